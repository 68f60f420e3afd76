package check

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden fails the test if got differs from testdata/name.
func Golden[T string | []byte](t testing.TB, name string, got T) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		OK(t, os.WriteFile(path, []byte(got), 0o644))
	}
	if want := Text(t, path); string(got) != want {
		t.Errorf("%s differs; run the test with -update, then review the change\n%s", path, difference(string(got), want))
	}
}

// GoldenWritten checks what write writes and returns it.
func GoldenWritten(t testing.TB, name string, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	OK(t, write(&b))
	Golden(t, name, b.Bytes())
	return b.Bytes()
}

// difference describes the first line in which two different texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n  got  %q\n  want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// GoldenLines checks testdata/name, in which each line is followed by what `of` makes of it, indented: nothing, a line or
// several.
func GoldenLines(t testing.TB, name string, of func(line string) string) {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(Text(t, filepath.Join("testdata", name))) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		b.WriteString(line)
		if made := of(strings.TrimSuffix(line, "\n")); made != "" {
			b.WriteString("\t" + strings.ReplaceAll(made, "\n", "\n\t") + "\n")
		}
	}
	Golden(t, name, b.String())
}
