package terminal

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/check"
)

func TestElsewhereThanOnATerminal(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, w := range []io.Writer{file, new(bytes.Buffer), null, nil} {
		s := Of(w)
		check.Equal(t, "screen", s, Screen{Width: 80})
		check.Equal(t, "text", s.Paint(Red, "holds"), "holds")
	}
}

func TestWidthFromTheEnvironment(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "132": 132, "1": leastWidth, "0": 80, "-5": 80, "wide": 80, "100x": 80} {
		t.Setenv("COLUMNS", columns)
		check.Equal(t, "width where COLUMNS is "+columns, Of(nil).Width, want)
	}
}

func TestPaint(t *testing.T) {
	s := Screen{colour: true}
	check.Equal(t, "red", s.Paint(Red, "no"), "\x1b[31mno\x1b[0m")
	check.Equal(t, "plain", s.Paint(Plain, "no"), "no")
	check.Equal(t, "nothing", s.Paint(Bold, ""), "")
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"Größe", 5, "Größe"}, {"Größe", 4, "Grö…"}, {"Größe", 1, "…"}, {"Größe", 0, "…"}, {"", 0, ""}} {
		check.Equal(t, c.text, Cut(c.text, c.most), c.want)
	}
}
