// Package progress shows how far a run is, and when it will be done: on a terminal in one line that it writes anew,
// elsewhere in the lines of a log.
package progress

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"

	"popbench/internal/terminal"
)

// Meter shows the progress of the runs of one or several suites. Callers must not call its methods concurrently. It is a
// writer: what is written to it stands above the line of progress.
type Meter struct {
	w        io.Writer
	screen   terminal.Screen
	bar      *progressbar.ProgressBar // nil elsewhere than on a terminal, and where nothing is shown
	now      func() time.Time
	forecast forecast

	suites, begun int // numbers of suites
	suite, title  string
	done, total   int           // runs of the suite that runs
	began         time.Time     // when it did
	passed        time.Duration // while the earlier ones ran
	last          time.Duration // when a line of the log was written, in that time
}

// New returns the meter of runs by so many workers at a time, in so many suites.
func New(w io.Writer, workers, suites int) *Meter {
	return &Meter{w: w, screen: terminal.Of(w), now: time.Now, suites: suites, forecast: forecast{workers: workers, suites: map[string][]Group{}}}
}

// Count returns a meter that has begun to count runs which cost about the same. Each is done by Done("", 0).
func Count(w io.Writer, total int) *Meter {
	m := New(w, 1, 1)
	m.Expect("", []Group{{Left: total}})
	m.Begin("", "")
	return m
}

// Expect says what is left to do of a suite. It replaces what was said before.
func (m *Meter) Expect(suite string, groups []Group) {
	groups = slices.Clone(groups)
	for i, g := range groups {
		if g.Seconds == 0 {
			groups[i].Seconds = usual(g.Work)
		}
	}
	m.forecast.suites[suite] = groups
}

// Begin says that the runs of a suite begin, with its title for whoever watches. Expect has been called for it.
func (m *Meter) Begin(suite, title string) {
	m.begun++
	m.suite, m.title, m.done, m.total = suite, title, 0, 0
	for _, g := range m.forecast.suites[suite] {
		m.total += g.Left
	}
	m.began = m.now()
	all := m.forecast.done + m.forecast.left()
	switch {
	case !m.screen.Live || all == 0:
	case m.bar == nil || m.bar.IsFinished(): // which it never leaves
		m.bar = progressbar.NewOptions(all,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetWidth(m.barWidth()),
			progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd(),
			progressbar.OptionSetDescription(m.text()),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetRenderBlankState(true),
		)
		_ = m.bar.Set(m.forecast.done)
	default:
		m.bar.ChangeMax(all)
		m.bar.Describe(m.text())
	}
}

// Place is the place of the suite among several, "[3/15] ", and "" for a single one.
func (m *Meter) Place() string {
	if m.suites < 2 {
		return ""
	}
	return fmt.Sprintf("[%d/%d] ", m.begun, m.suites)
}

// Log prints a line of the log. On a terminal the progress of several suites stays one line, so it prints none there.
func (m *Meter) Log(line string) {
	if !m.screen.Live || m.suites < 2 {
		fmt.Fprintln(m, line)
	}
}

// time is how long suites have run.
func (m *Meter) time() time.Duration {
	if m.began.IsZero() {
		return m.passed
	}
	return m.passed + m.now().Sub(m.began)
}

// ToGo is the time until all suites are done, in words; "" if it cannot be told or nothing is left.
func (m *Meter) ToGo() string {
	if d, ok := m.forecast.toGo(m.time()); ok && m.forecast.left() > 0 {
		return about(d)
	}
	return ""
}

// Done counts a run of a group of the suite, and the seconds that it took.
func (m *Meter) Done(group string, seconds float64) {
	m.done++
	m.forecast.add(m.suite, group, seconds)
	if m.bar != nil {
		// A terminal that was closed must not stop a run, so errors are ignored, here and below.
		m.bar.Describe(m.text())
		_ = m.bar.Add(1)
		return
	}
	m.line()
}

// text is what stands beside the bar.
func (m *Meter) text() string {
	rest := m.ToGo()
	if rest != "" && m.title != "" {
		rest = ", " + rest
	}
	all := m.forecast.done + m.forecast.left()
	// The cursor stays on the line if its last place is free.
	room := m.screen.Width - 1 - len(fmt.Sprintf(" 100%% || (%d/%d)  ", all, all)) - m.barWidth()
	return terminal.Cut(terminal.Cut(m.Place()+m.title, max(room-len(rest), 0))+rest, room)
}

// barWidth is the width of the bar proper, which leaves room for words.
func (m *Meter) barWidth() int { return min(max(m.screen.Width/8, 3), 20) }

// line writes a line of the log every few seconds, and fewer as time passes, so that the log of a run of hours stays
// readable.
func (m *Meter) line() {
	passed, left := m.time(), m.forecast.left()
	if passed-m.last < max(5*time.Second, passed/20) || left == 0 {
		return
	}
	m.last = passed
	done, all, of := m.forecast.done, m.forecast.done+left, ""
	if m.suites > 1 {
		of = fmt.Sprintf("%s%s: %d of %d cells; of all suites ", m.Place(), m.title, m.done, m.total)
	}
	fmt.Fprintf(m.w, "%s%d of %d cells (%d %%), %s elapsed, %s\n", of, done, all, 100*done/all, Round(passed), m.ToGo())
}

// Write prints lines that stay, above the line of progress.
func (m *Meter) Write(p []byte) (int, error) {
	if m.bar != nil {
		wipe(m.w, m.screen)
		if !m.bar.IsFinished() {
			defer m.bar.RenderBlank()
		}
	}
	return m.w.Write(p)
}

// End says that the suite has ended.
func (m *Meter) End() {
	m.passed, m.began = m.time(), time.Time{}
	if m.bar != nil && m.begun == m.suites {
		m.Close()
	}
}

// Close removes the line of progress.
func (m *Meter) Close() {
	if m.bar != nil {
		wipe(m.w, m.screen)
		_ = m.bar.Exit()
		m.bar = nil
	}
}

// wipe empties the line that is written anew. Unlike Clear of progressbar it does so on Windows, too.
func wipe(w io.Writer, s terminal.Screen) { fmt.Fprintf(w, "\r%*s\r", s.Width-1, "") }

// Show replaces what is being done by a text: in one line that is written anew on a terminal, and in a line each elsewhere.
func Show(w io.Writer, text string) {
	s := terminal.Of(w)
	if !s.Live {
		fmt.Fprintln(w, text)
		return
	}
	wipe(w, s)
	fmt.Fprint(w, terminal.Cut(text, s.Width-1))
}

// Clear removes the line of Show from a terminal.
func Clear(w io.Writer) {
	if s := terminal.Of(w); s.Live {
		wipe(w, s)
	}
}

// Round rounds a duration for display.
func Round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Second)
}
