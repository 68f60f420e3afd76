package check

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	OK(t, os.Mkdir("testdata", 0o777))
	*update = true
	Golden(t, "file.txt", "one\ntwo\n")
	*update = false
	for got, want := range map[string]string{
		"one\ntwo\n":        "",
		"one\ntoo\n":        "line 2\n  got  \"too\"\n  want \"two\"",
		"one\ntwo\nthree\n": "line 3\n  got  \"three\"\n  want \"\"",
		"one\ntwo":          "2 lines, want 3",
	} {
		r := &recorder{TB: t}
		GoldenWritten(r, "file.txt", func(w io.Writer) error { return Err(io.WriteString(w, got)) })
		if want != "" {
			want = "testdata/file.txt differs; run the test with -update, then review the change\n" + want
		}
		Equal(t, fmt.Sprintf("what is said of %q", got), strings.Join(r.errors, ""), want)
	}
	*update = true
	GoldenLines(t, "file.txt", func(line string) string { return line + "\nmore" })
	*update = false
	Golden(t, "file.txt", "one\n\tone\n\tmore\ntwo\n\ttwo\n\tmore\n")
	r := &recorder{TB: t}
	GoldenLines(r, "file.txt", strings.ToUpper)
	Contains(t, "what Lines says", strings.Join(r.errors, ""), "line 2\n  got  \"\\tONE\"\n  want \"\\tone\"")
}
