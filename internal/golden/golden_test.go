package golden

import (
	"fmt"
	"io"
	"os"
	"testing"

	"popbench/internal/check"
)

// recorder notes what a test says instead of failing.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

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
		t.Run(got, func(t *testing.T) {
			r := &recorder{TB: t}
			Written(r, "file.txt", func(w io.Writer) error {
				_, err := io.WriteString(w, got)
				return err
			})
			var said []string
			if want != "" {
				said = []string{"testdata/file.txt differs; run the test with -update, then review the change\n" + want}
			}
			if fmt.Sprint(r.said) != fmt.Sprint(said) {
				t.Errorf("Written says %q, want %q", r.said, said)
			}
		})
	}
}
