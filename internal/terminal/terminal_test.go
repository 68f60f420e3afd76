package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/check"
	"popbench/internal/terminal/terminaltest"
)

func TestElsewhereThanOnATerminal(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	file := check.Must(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	defer file.Close()
	null := check.Must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
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

// wrapped is a writer that hides the terminal behind it.
type wrapped struct{ w io.Writer }

func (w wrapped) Write(p []byte) (int, error) { return w.w.Write(p) }
func (w wrapped) Unwrap() io.Writer           { return w.w }

func TestOnATerminal(t *testing.T) {
	for _, c := range []struct {
		name                   string
		width                  int
		noColor, term, columns string
		want                   Screen
	}{
		{"a terminal", 97, "", "xterm", "", Screen{97, true, true}},
		{"NO_COLOR", 97, "1", "xterm", "", Screen{97, true, false}},
		{"a dumb one", 97, "", "dumb", "", Screen{97, false, false}},
		{"one without a name", 97, "", "", "", Screen{97, true, false}},
		{"COLUMNS", 97, "", "xterm", "60", Screen{60, true, true}},
		{"one whose width nobody set", 0, "", "xterm", "", Screen{80, true, true}},
		{"a narrow one", 7, "", "xterm", "", Screen{20, true, true}},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		t.Setenv("COLUMNS", c.columns)
		seen := terminaltest.Watch(t, c.width, func(screen *os.File) {
			check.Equal(t, c.name, Of(wrapped{screen}), c.want)
			fmt.Fprintln(screen, Of(screen).Paint(Green, "holds"))
		})
		want := "holds\r\n"
		if c.want.colour {
			want = "\x1b[32mholds\x1b[0m\r\n"
		}
		check.Equal(t, c.name+": text", seen, want)
	}
}
