// Package progress shows the progress of a run on a terminal or in a log.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"popbench/internal/terminal"
)

// Progress shows the progress of a run. Callers must not call its methods concurrently.
type Progress interface {
	Add()             // one more cell is done
	Note(line string) // print a permanent line
	End()
}

// New returns a progress bar on a terminal, and occasional lines elsewhere.
func New(w io.Writer, total int) Progress {
	if total == 0 {
		return silent{}
	}
	if terminal.Of(w).Live {
		return newBar(w, total)
	}
	return &lines{w: w, total: total, now: time.Now, began: time.Now(), last: time.Now()}
}

type silent struct{}

func (silent) Add()        {}
func (silent) Note(string) {}
func (silent) End()        {}

// bar is a progress bar with the expected remaining time.
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

// A terminal that was closed must not stop a run, so errors are ignored.

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

// lines is a log with at most one line every few seconds, and fewer as time passes, so that
// the log of a run of hours stays readable.
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
	fmt.Fprintf(l.w, "%d of %d cells (%d%%), %s elapsed, about %s left\n", l.done, l.total, 100*l.done/l.total, Round(elapsed), left.Round(time.Second))
}

func (l *lines) Note(line string) { fmt.Fprintln(l.w, line) }
func (l *lines) End()             {}

// Round rounds a duration for display.
func Round(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Second)
}
