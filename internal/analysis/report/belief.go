package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/runlog"
)

// Belief is what an algorithm held true of a 1-D objective after a step.
type Belief struct {
	Step int
	*runlog.Belief
	Visited []float64 // points compared so far, in the order in which they came, each once
}

func beliefs(rec *runlog.Record) (all []Belief) {
	var visited []float64
	for i := range rec.Steps {
		s := &rec.Steps[i]
		if len(rec.Header.Problem.Lo) == 1 {
			for _, x := range s.Points {
				if !slices.Contains(visited, x[0]) {
					visited = append(visited, x[0])
				}
			}
		}
		if s.Belief != nil {
			all = append(all, Belief{s.T, s.Belief, slices.Clone(visited)})
		}
	}
	return all
}

// width is the mean over the grid of the confidence range's width.
func (b *Belief) width() float64 {
	w := make([]float64, len(b.X))
	for i := range w {
		w[i] = b.Upper[i] - b.Lower[i]
	}
	return stats.Mean(w)
}

// error is the root mean square over the grid of estimate minus truth, up to the
// constant that preferences cannot see.
func (b *Belief) error() float64 {
	d := make([]float64, len(b.X))
	for i := range d {
		d[i] = b.Estimate[i] - b.Utility[i]
	}
	n := float64(len(d))
	return stats.Std(d) * math.Sqrt((n-1)/n)
}

// covered is the share of the grid where the truth is in the range.
func (b *Belief) covered() float64 {
	n := 0
	for i := range b.X {
		if b.Lower[i] <= b.Utility[i] && b.Utility[i] <= b.Upper[i] {
			n++
		}
	}
	return float64(n) / float64(len(b.X))
}

// BeliefSummary describes the beliefs of a group's runs after a step.
type BeliefSummary struct {
	Step                  int
	Width, Error, Covered stats.Summary
}

func (g *Group) beliefSummaries() (all []BeliefSummary) {
	byStep := map[int][]*Belief{}
	var steps []int
	for i := range g.Runs {
		for k := range g.Runs[i].Beliefs {
			b := &g.Runs[i].Beliefs[k]
			if byStep[b.Step] == nil {
				steps = append(steps, b.Step)
			}
			byStep[b.Step] = append(byStep[b.Step], b)
		}
	}
	slices.Sort(steps)
	for _, step := range steps {
		of := func(f func(*Belief) float64) stats.Summary {
			var x []float64
			for _, b := range byStep[step] {
				x = append(x, f(b))
			}
			return stats.Summarize(x, tableResamples)
		}
		all = append(all, BeliefSummary{step, of((*Belief).width), of((*Belief).error), of((*Belief).covered)})
	}
	return all
}

// BeliefChart is the confidence set of one run on a 1-D problem, step by step.
type BeliefChart struct {
	Name       string // file name without extension, unique in the report
	File       string // of the numbers
	Title      string // of the problem
	Algorithm  string // label
	Repetition int
	Lo, Hi     float64  // the box
	Panels     []Belief // one or more, by step
	Inside     []bool   // panel: the truth is in the confidence set; nil if that is not known
	Again      bool     // it is not the first of its group
	group      *Group
}

// maxBeliefCharts is how many runs of a group are drawn; all are in the table.
const maxBeliefCharts = 3

// BeliefCharts are the confidence-set figures: the first runs of each group whose
// records have beliefs.
func BeliefCharts(r *Results) (charts []BeliefChart) {
	var names []string
	for i := range r.Groups {
		names = append(names, r.Groups[i].Problem.Name+"-"+r.Groups[i].Algorithm.Label)
	}
	names = fileNames(names)
	for i := range r.Groups {
		g := &r.Groups[i]
		drawn := 0
		for k := range g.Runs {
			run := &g.Runs[k]
			if len(run.Beliefs) == 0 || drawn == maxBeliefCharts {
				continue
			}
			drawn++
			c := BeliefChart{
				Name: fmt.Sprintf("%s-confidence-set-%03d", names[i], run.Repetition), File: names[i] + "-confidence-set",
				Title: g.Name(), Algorithm: g.Algorithm.Label, Repetition: run.Repetition,
				Lo: g.Problem.Lo[0], Hi: g.Problem.Hi[0], Panels: run.Beliefs, Again: drawn > 1, group: g,
			}
			if run.InBall != nil {
				in := run.inside()
				for _, b := range run.Beliefs {
					c.Inside = append(c.Inside, in[b.Step-1])
				}
			}
			charts = append(charts, c)
		}
	}
	return charts
}

// DataFile is where a report has the beliefs of the group, from its folder.
func (c *BeliefChart) DataFile() string { return "data/" + c.File + ".csv" }

// steps is "10, 20 and 30 comparisons".
func (c *BeliefChart) steps() string {
	var s []string
	for i := range c.Panels {
		s = append(s, strconv.Itoa(c.Panels[i].Step))
	}
	last := len(s) - 1
	if last > 0 {
		return strings.Join(s[:last], ", ") + " and " + s[last] + " comparisons"
	}
	return count(c.Panels[0].Step, "comparison")
}

// Caption explains the figure.
func (c *BeliefChart) Caption() string {
	if c.Again {
		return fmt.Sprintf("The same for run %d.", c.Repetition) + c.verdict()
	}
	text := fmt.Sprintf("Confidence set of %s on %s, run %d, after %s. Solid: the truth. Dashed: the maximum likelihood estimate of smallest norm. Band: the least and the largest value at x of any function in the set. Ticks: the points compared.",
		c.Algorithm, c.Title, c.Repetition, c.steps())
	text += " Preferences cannot tell f from f plus a constant; values are shown as they are, and only the bound on the norm ties them down, so an estimate that is off by a constant is as good as the truth."
	return text + c.verdict()
}

// verdict says after which of the steps the truth is inside.
func (c *BeliefChart) verdict() string {
	if c.Inside == nil {
		return ""
	}
	var out []string
	for i, in := range c.Inside {
		if !in {
			out = append(out, strconv.Itoa(c.Panels[i].Step))
		}
	}
	switch len(out) {
	case 0:
		return " The truth is inside the set every time."
	case len(c.Inside):
		return " The truth is inside the set at none of these times."
	}
	return " The truth is outside of the set after " + strings.Join(out, ", ") + "."
}

// Alt says what a reader would see.
func (c *BeliefChart) Alt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of a function on [%g, %g], its estimate and its confidence range: %s on %s.", Capital(count(len(c.Panels), "chart")), c.Lo, c.Hi, c.Algorithm, c.Title)
	for i := range c.Panels {
		p := &c.Panels[i]
		fmt.Fprintf(&b, " After %s the range is %s wide on average and the estimate is off by %s.", count(p.Step, "comparison"), short(p.width()), short(p.error()))
	}
	return b.String() + c.verdict()
}

// WriteCSV writes the beliefs of all runs of the chart's group, a line for each
// point.
func (b *BeliefChart) WriteCSV(w io.Writer) error {
	g := b.group
	c := NewCSV(w)
	c.Write([]string{"problem", "label", "repetition", "step", "x", "truth", "estimate", "lower", "upper", "in_set"})
	for i := range g.Runs {
		run := &g.Runs[i]
		for _, b := range run.Beliefs {
			in := ""
			if run.InBall != nil {
				in = strconv.FormatBool(run.inside()[b.Step-1])
			}
			for k := range b.X {
				c.Write([]string{g.Problem.Name, g.Algorithm.Label, strconv.Itoa(run.Repetition), strconv.Itoa(b.Step),
					field(b.X[k]), field(b.Utility[k]), field(b.Estimate[k]), field(b.Lower[k]), field(b.Upper[k]), in})
			}
		}
	}
	c.Flush()
	return c.Error()
}

// beliefs is the sheet of the beliefs, a row for each group and step.
func (l *layout) beliefs() Sheet {
	s := Sheet{ID: "beliefs", Title: "Confidence set of a function on an interval",
		Caption: "Mean ± standard deviation over the runs. Width: from the lower to the upper end of the confidence range, averaged over the box. Error: of the estimate, root mean square over the box, up to the constant that preferences cannot see. Covered: share of the box where the truth is in the range."}
	s.Columns = append([]Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}[:l.heads()],
		Column{Title: "Comparisons"}, Column{Title: "Runs"}, Column{Title: "Width"}, Column{Title: "Error"}, Column{Title: "Covered"})
	for i := range l.Rows {
		row := &l.Rows[i]
		for k := range row.Beliefs {
			b := &row.Beliefs[k]
			cells := []Cell{{Text: row.Name()}, {Text: row.Algorithm.Label}}[:l.heads()]
			s.Rows = append(s.Rows, append(cells, Cell{Text: strconv.Itoa(b.Step)}, Cell{Text: strconv.Itoa(b.Width.N)},
				Cell{Text: meanStd(&b.Width)}, Cell{Text: meanStd(&b.Error)}, Cell{Text: meanStd(&b.Covered)}))
		}
	}
	return s
}
