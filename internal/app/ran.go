package app

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"popbench/internal/harness/progress"
	"popbench/internal/words"
	"popbench/record"
)

// Ran is the result of a run.
type Ran struct {
	Out     string           // the results folder
	Done    int              // cells that ran
	Kept    int              // complete cells of earlier runs
	Failed  []record.Failure // cells that failed
	LeftOut []record.Part    // cells that cannot be done, one each
	Took    time.Duration
}

// String summarises the run in one line.
func (r *Ran) String() string {
	if r.Done == 0 && len(r.LeftOut) == 0 {
		return fmt.Sprintf("nothing to run: all %s are complete", words.Count(r.Kept, "cell"))
	}
	text := fmt.Sprintf("%s run in %s: %d ok, %d failed; %d kept",
		words.Count(r.Done, "cell"), progress.Round(r.Took), r.Done-len(r.Failed), len(r.Failed), r.Kept)
	if n := len(r.LeftOut); n > 0 {
		text += fmt.Sprintf("; %d left out", n)
	}
	return text
}

// Reasons says why cells were left out, a line for each reason, the most frequent first.
func (r *Ran) Reasons() (lines []string) {
	cells := map[string]int{}
	var reasons []string
	for _, p := range r.LeftOut {
		reasons = words.Include(reasons, p.Reason)
		cells[p.Reason]++
	}
	slices.SortFunc(reasons, func(a, b string) int { return cmp.Or(cells[b]-cells[a], cmp.Compare(a, b)) })
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("left out: %s: %s", words.Count(cells[reason], "cell"), reason))
	}
	return lines
}

// Err returns an error with a line for each cause of failed cells, or nil if there are none. Unless all is set, it has the
// first causes only: progress has shown more of them.
func (r *Ran) Err(all bool) error {
	most := shownCauses
	if all {
		most = len(r.Failed)
	}
	return failure(r.Failed, most, r.Out, "the same command")
}

// add adds the cells of another run.
func (r *Ran) add(other *Ran) {
	r.addNew(other)
	r.Kept += other.Kept
	r.LeftOut = append(r.LeftOut, other.LeftOut...)
}

// addNew adds the cells that another run ran. Cells that it kept are counted already: a look keeps the cells of the looks
// before it.
func (r *Ran) addNew(other *Ran) {
	r.Done += other.Done
	r.Failed = append(r.Failed, other.Failed...)
}

// shownCauses is the number of causes of failures that an error shows.
const shownCauses = 3

// failure returns an error with a line for each of the first causes of failed cells, or nil if no cell failed. The text
// again names the command that repeats these cells.
func failure(failed []record.Failure, most int, out, again string) error {
	if len(failed) == 0 {
		return nil
	}
	causes := record.Causes(failed)
	var lines []error // on a line each
	for _, c := range causes[:min(most, len(causes))] {
		lines = append(lines, fmt.Errorf("%s failed, %s: %s", words.Count(len(c.Cells), "cell"), c.Where(), c.Error))
	}
	if more := len(causes) - most; more > 0 {
		lines = append(lines, errors.New(words.Count(more, "more cause")))
	}
	last := &lines[len(lines)-1]
	*last = fmt.Errorf("%w; the last line of each file in %s has the reason; %s runs them again", *last, filepath.Join(out, "records"), again)
	return &Error{Partly, errors.Join(lines...)}
}
