package progress

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"popbench/internal/check"
	"popbench/internal/terminal/terminaltest"
)

// clocked returns a meter whose clock the caller moves.
func clocked(workers, suites int) (*Meter, *bytes.Buffer, *time.Time) {
	log, clock := new(bytes.Buffer), time.Unix(1, 0)
	m := New(log, workers, suites)
	m.now = func() time.Time { return clock }
	return m, log, &clock
}

func TestProgressLines(t *testing.T) {
	m, log, clock := clocked(1, 1)
	m.Expect("s", []Group{{Name: "g", Left: 10_000}})
	m.Begin("s", "demo")
	for range 10_000 {
		*clock = clock.Add(time.Second)
		m.Done("g", 0)
	}
	text := log.String()
	n := strings.Count(text, "\n")
	check.That(t, n >= 50 && n <= 200, "%d lines for 10,000 cells in three hours", n)
	check.Equal(t, "first line", strings.SplitN(text, "\n", 2)[0], "5 of 10000 cells (0 %), 5s elapsed, about 2 h 50 min to go")
}

// The forecast of several suites weighs each run by what others of its group took, else by what it is known to take, else
// by its steps. With two workers it adds a quarter of the longest run of each suite.
func TestForecast(t *testing.T) {
	m, log, clock := clocked(2, 2)
	m.Expect("cheap", []Group{{Name: "a", Work: Work{Algorithm: "x", Steps: 10}, Left: 4}})
	m.Expect("dear", []Group{
		{Name: "a", Work: Work{Algorithm: "x", Steps: 100}, Left: 2},
		{Name: "b", Work: Work{Algorithm: "y", Steps: 10}, Left: 3, Seconds: 50}, // as an earlier run says
		{Name: "c", Work: Work{Algorithm: "z", Steps: 10}, Left: 1},
	})
	m.Begin("cheap", "cheap")
	check.Equal(t, "before the first run", m.ToGo(), "")
	*clock = clock.Add(6 * time.Second)
	m.Done("a", 6)
	// 0.6 s a step: 3·6/2 + 6/4 + (2·60 + 3·50 + 6)/2 + 60/4 = 163.5 s
	check.Equal(t, "line", log.String(), "[1/2] cheap: 1 of 4 cells; of all suites 1 of 10 cells (10 %), 6s elapsed, about 3 min to go\n")
	for range 3 {
		m.Done("a", 6)
	}
	m.End()
	*clock = clock.Add(time.Hour) // between suites; nothing runs
	m.Begin("dear", "dear")
	*clock = clock.Add(24 * time.Second)
	for range 2 {
		m.Done("a", 30)
	}
	// 84 s for 240 steps: (3·50 + 3.5)/2 + 50/4 = 89.3 s
	check.Equal(t, "after six", m.ToGo(), "about 2 min to go")
	m.Done("b", 250)
	// 334 s for 250 steps: (2·250 + 13.4)/2 + 250/4 = 319 s
	check.Equal(t, "after seven", m.ToGo(), "about 6 min to go")
	m.Expect("dear", []Group{{Name: "d", Left: 2, Seconds: 10}})
	// five times as slow as in that earlier run: 2·50/2 + 50/4 = 62.5 s
	check.Equal(t, "others left", m.ToGo(), "about 2 min to go")
	m.Expect("dear", []Group{{Name: "b", Left: 0}})
	check.Equal(t, "nothing left", m.ToGo(), "")
	check.Equal(t, "place", m.Place(), "[2/2] ")
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                             "a few seconds",
		6 * time.Second:               "about 10 s",
		41 * time.Second:              "about 50 s",
		56 * time.Second:              "about 1 min",
		11*time.Minute + 1:            "about 12 min",
		89 * time.Minute:              "about 89 min",
		91 * time.Minute:              "about 1 h 40 min",
		119 * time.Minute:             "about 2 h",
		26*time.Hour + 55*time.Minute: "about 27 h",
	} {
		check.Equal(t, fmt.Sprint(d), about(d), want+" to go")
	}
}

// Elsewhere than on a terminal nothing is written anew.
func TestLogHasNoControlCharacters(t *testing.T) {
	m, log, clock := clocked(1, 2)
	m.Expect("s", []Group{{Name: "a", Left: 2}})
	m.Begin("s", "s")
	m.Log("begins")
	fmt.Fprintln(m, "note")
	*clock = clock.Add(time.Minute)
	m.Done("a", 60)
	m.End()
	m.Close()
	Show(log, "report")
	Clear(log)
	check.Equal(t, "log", log.String(), "begins\nnote\n[1/2] s: 1 of 2 cells; of all suites 1 of 2 cells (50 %), 1m0s elapsed, about 1 min to go\nreport\n")
}

// On a terminal of any width all progress is one line, which is empty at the end. What is written stands above it.
func TestOneLineOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("COLUMNS", "")
	for _, width := range []int{40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			seen := terminaltest.Watch(t, width, func(screen *os.File) {
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
				Show(screen, strings.Repeat("report ", 40))
				Clear(screen)
				fmt.Fprint(screen, "end")
			})
			check.Contains(t, "screen", seen, "6/6", "report report")
			if width >= 80 {
				check.Contains(t, "screen", seen, "[1/2] a, about 59 min to go")
			}
			var lines []string
			for line := range strings.SplitSeq(seen, "\r\n") {
				shown := ""
				for part := range strings.SplitSeq(line, "\r") { // each overwrites the one before
					check.That(t, utf8.RuneCountInString(part) < width, "too many characters: %q", part)
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
