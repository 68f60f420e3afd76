package golden

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"popbench/internal/check"
)

// recorder notes what a test says instead of failing.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }

func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	check.OK(t, os.Mkdir("testdata", 0o777))
	*update = true
	Check(t, "file.txt", "one\ntwo\n")
	*update = false
	for got, want := range map[string]string{
		"one\ntwo\n":        "",
		"one\ntoo\n":        "line 2\n  got  \"too\"\n  want \"two\"",
		"one\ntwo\nthree\n": "line 3\n  got  \"three\"\n  want \"\"",
		"one\ntwo":          "2 lines, want 3",
	} {
		r := &recorder{TB: t}
		Written(r, "file.txt", func(w io.Writer) error { return check.Err(io.WriteString(w, got)) })
		if want != "" {
			want = "testdata/file.txt differs; run the test with -update, then review the change\n" + want
		}
		check.Equal(t, fmt.Sprintf("what is said of %q", got), r.said, want)
	}
	*update = true
	Lines(t, "file.txt", func(line string) string { return line + "\nmore" })
	*update = false
	Check(t, "file.txt", "one\n\tone\n\tmore\ntwo\n\ttwo\n\tmore\n")
	r := &recorder{TB: t}
	Lines(r, "file.txt", strings.ToUpper)
	check.Contains(t, "what Lines says", r.said, "line 2\n  got  \"\\tONE\"\n  want \"\\tone\"")
}
