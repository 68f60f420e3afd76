package progress

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
	"popbench/internal/terminal/terminaltest"
)

// On a terminal of any width all progress is one line, which is empty at the end. What is written stands above it.
func TestOneLineOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("COLUMNS", "")
	for _, width := range []int{40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			seen, err := terminaltest.Watch(width, func(screen *os.File) {
				m := New(screen, 2, 2)
				for _, name := range []string{"a", strings.Repeat("paper-größe-", 20)} {
					m.Expect(name, []Group{{Name: "g", Work: Work{Algorithm: "x", Steps: 1}, Left: 3, Seconds: 1000}})
				}
				for _, name := range []string{"a", strings.Repeat("paper-größe-", 20)} {
					m.Begin(name, name)
					m.Log("not on a terminal")
					for range 3 {
						m.Done("g", 1000)
						fmt.Fprintln(m, "failed: "+name[:1])
					}
					m.End()
				}
				s := NewStatus(screen)
				s.Show(strings.Repeat("report ", 40))
				s.End()
				fmt.Fprint(screen, "end")
			})
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip("no pseudo-terminals here")
			}
			check.Equal(t, "error", err, nil)
			check.Contains(t, "screen", seen, "6/6", "report report")
			if width >= 80 {
				check.Contains(t, "screen", seen, "[1/2] a, about 59 min to go")
			}
			var lines []string
			for line := range strings.SplitSeq(seen, "\r\n") {
				shown := ""
				for part := range strings.SplitSeq(line, "\r") { // each overwrites the one before
					if n := utf8.RuneCountInString(part); n >= width {
						t.Errorf("%d characters: %q", n, part)
					}
					old := []rune(shown)
					shown = part
					if n := utf8.RuneCountInString(part); n < len(old) {
						shown += string(old[n:])
					}
				}
				lines = append(lines, strings.TrimRight(shown, " "))
			}
			check.Equal(t, "lines that stay", strings.Join(lines, "|"), "failed: a|failed: a|failed: a|failed: p|failed: p|failed: p|end")
		})
	}
}
