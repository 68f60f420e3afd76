// Package progress shows on a terminal, or in a log, how far a run is.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows how far a run is. Its methods are called one at a time.
type Progress interface {
	Add()             // one cell more is done
	Note(line string) // a line that stays
	End()
}

// New is a bar on a terminal, and a line now and then elsewhere.
func New(w io.Writer, total int) Progress {
	if total == 0 {
		return silent{}
	}
	if isTerminal(w) {
		return newBar(w, total)
	}
	return &lines{w: w, total: total, now: time.Now, began: time.Now(), last: time.Now()}
}

// isTerminal reports whether w is a terminal that can move its cursor.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

type silent struct{}

func (silent) Add()        {}
func (silent) Note(string) {}
func (silent) End()        {}

// bar is a progress bar with the expected time to the end.
type bar struct {
	w   io.Writer
	bar *progressbar.ProgressBar
}

func newBar(w io.Writer, total int) *bar {
	return &bar{w, progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
	)}
}

// Errors of a terminal that has gone are no reason to stop a run.

func (b *bar) Add() { _ = b.bar.Add(1) }

func (b *bar) Note(line string) {
	_ = b.bar.Clear()
	fmt.Fprintln(b.w, line)
	_ = b.bar.RenderBlank()
}

func (b *bar) End() {
	_ = b.bar.Exit()
	fmt.Fprintln(b.w)
}

// lines is a log: at most one line every few seconds, and less and less often,
// so that a run of hours stays readable.
type lines struct {
	w           io.Writer
	total, done int
	now         func() time.Time
	began, last time.Time
}

func (l *lines) Add() {
	l.done++
	now := l.now()
	elapsed := now.Sub(l.began)
	if now.Sub(l.last) < max(5*time.Second, elapsed/20) || l.done == l.total {
		return
	}
	l.last = now
	left := time.Duration(float64(elapsed) / float64(l.done) * float64(l.total-l.done))
	fmt.Fprintf(l.w, "%d of %d cells (%d%%), %s so far, about %s to go\n", l.done, l.total, 100*l.done/l.total, Round(elapsed), left.Round(time.Second))
}

func (l *lines) Note(line string) { fmt.Fprintln(l.w, line) }
func (l *lines) End()             {}

// Round rounds a duration for people.
func Round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Second)
}
