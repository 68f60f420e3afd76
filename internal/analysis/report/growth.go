package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/paper"
	"popbench/internal/math/stats"
)

// Growth is how the cumulative regret grows with t, as the paper reads it off a
// figure with logarithmic axes: for each group of its method the mean of R_t over
// the runs divided by the mean of R_1, next to the paper's own curve.
type Growth struct {
	Ranges []Range
	Curves []GrowthCurve // the paper's last
	Source string        // of the paper's curve
}

// Range is steps From to To, over which an order is read off: by least squares,
// or from its ends alone.
type Range struct {
	From, To int
	Ends     bool
}

// GrowthCurve is a curve of R_t / R_1 and its order: p of R_t ∝ t^p.
type GrowthCurve struct {
	Problem, Title, Algorithm string     // "" for the paper's, but Algorithm
	Paper                     bool       // it is the paper's own, known without its runs and so without intervals
	Runs                      int        // 0 for the paper's
	Style                     int        // as Line.Style
	Regret                    []Estimate // R_t / R_1 after step t = 1, 2, …; the first is 1
	Orders                    []Estimate // by range
}

// Estimate is a number with its 95 % interval; NaN where there is none.
type Estimate struct {
	Value float64
	CI    stats.Interval
}

// NewGrowth compares with the paper's curve; nil if it prints none for this
// suite.
func NewGrowth(r *Results) *Growth {
	p := r.PaperGrowth
	if p == nil {
		return nil
	}
	g := &Growth{Source: p.Source}
	for _, f := range p.Fits {
		g.Ranges = append(g.Ranges, Range{f[0], f[1], false})
	}
	for _, e := range p.Ends {
		g.Ranges = append(g.Ranges, Range{e[0], e[1], true})
	}
	styles := r.styles()
	for i := range r.Groups {
		if m, ok := r.Experiment.Method(r.Groups[i].Algorithm.Name); !ok || m != p.Method {
			continue
		}
		if c := r.Groups[i].growthCurve(g.Ranges, r.Steps); c != nil {
			c.Style = styles[c.Algorithm]
			g.Curves = append(g.Curves, *c)
		}
	}
	theirs := paperCurve(p, g.Ranges)
	theirs.Style = free(styles)
	g.Curves = append(g.Curves, theirs)
	return g
}

func paperCurve(p *paper.Growth, ranges []Range) GrowthCurve {
	c := GrowthCurve{Algorithm: "paper: " + p.Method, Paper: true}
	known := func(v float64) Estimate { return Estimate{v, stats.Interval{Lo: math.NaN(), Hi: math.NaN()}} }
	for _, v := range p.Regret {
		c.Regret = append(c.Regret, known(v))
	}
	for _, r := range ranges {
		c.Orders = append(c.Orders, known(r.order(p.Regret)))
	}
	return c
}

// growthCurve is the group's; nil if its regret starts from zero.
func (g *Group) growthCurve(ranges []Range, steps int) *GrowthCurve {
	n := len(g.Runs)
	regret := make([][]float64, n) // run, step: R_t
	for i := range g.Runs {
		for t := range steps {
			regret[i] = append(regret[i], g.Runs[i].cumulative(t))
		}
	}
	sum := func(sample []int, t int) (s float64) {
		for _, i := range sample {
			s += regret[i][t]
		}
		return s
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if n == 0 || !(sum(all, 0) > 0) {
		return nil
	}
	data := slices.Concat(regret...)
	estimate := func(f func(sample []int) float64) Estimate {
		e := Estimate{f(all), stats.Interval{Lo: math.NaN(), Hi: math.NaN()}}
		if !math.IsNaN(e.Value) {
			e.CI = stats.Bootstrap(data, n, f, stats.Level, curveResamples)
		}
		return e
	}
	c := &GrowthCurve{Problem: g.Problem.Name, Title: g.Name(), Algorithm: g.Algorithm.Label, Runs: n}
	for t := range steps {
		c.Regret = append(c.Regret, estimate(func(sample []int) float64 {
			first := sum(sample, 0)
			if first <= 0 {
				return math.NaN() // runs that start at the optimum
			}
			return sum(sample, t) / first
		}))
	}
	curve := make([]float64, steps)
	for _, r := range ranges {
		c.Orders = append(c.Orders, estimate(func(sample []int) float64 {
			for t := r.From - 1; t < min(r.To, steps); t++ { // a factor does not change the order
				curve[t] = sum(sample, t)
			}
			return r.order(curve)
		}))
	}
	return c
}

// order of the curve over the range; NaN if the curve ends before it does.
func (r Range) order(curve []float64) float64 {
	if r.To > len(curve) {
		return math.NaN()
	}
	var t, v []float64
	for s := r.From; s <= r.To; s++ {
		if !r.Ends || s == r.From || s == r.To {
			t, v = append(t, float64(s)), append(v, curve[s-1])
		}
	}
	return stats.LogLogSlope(t, v)
}

// String is "1–50", with "ends of" before it.
func (r Range) String() string {
	text := fmt.Sprintf("%d–%d", r.From, r.To)
	if r.Ends {
		return "ends of " + text
	}
	return text
}

// name of the curve among the others.
func (g *Growth) name(c *GrowthCurve) string {
	for i := range g.Curves {
		if o := &g.Curves[i]; !c.Paper && !o.Paper && o.Problem != c.Problem {
			return c.Title + ", " + c.Algorithm
		}
	}
	return c.Algorithm
}

// outside are the steps after which R_t / R_1 is above t or below √t.
func (c *GrowthCurve) outside() (above, below []int) {
	for i, v := range c.Regret[1:] { // at t = 1 all three are 1
		switch t := float64(i + 2); {
		case v.Value > t:
			above = append(above, i+2)
		case v.Value < math.Sqrt(t):
			below = append(below, i+2)
		}
	}
	return above, below
}

// between answers the paper's claim that R_T is between √T and T.
func (c *GrowthCurve) between() string {
	above, below := c.outside()
	var parts []string
	if len(above) > 0 {
		parts = append(parts, "above T after "+steps(above))
	}
	if len(below) > 0 {
		parts = append(parts, "below √T after "+steps(below))
	}
	if parts == nil {
		return "yes, after every step"
	}
	return "no: " + strings.Join(parts, ", ")
}

// steps is "step 2", "steps 2, 4" or "7 steps, the last 50".
func steps(list []int) string {
	if len(list) > 3 {
		return fmt.Sprintf("%d steps, the last %d", len(list), list[len(list)-1])
	}
	return verb(len(list), "step ", "steps ") + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// telling are the ranges that say most of the order: the first, over all steps,
// and of those by least squares that the curve reaches the last to begin.
func (g *Growth) telling(c *GrowthCurve) (list []int) {
	last := 0
	for i, r := range g.Ranges {
		if !r.Ends && r.To <= len(c.Regret) && r.From > g.Ranges[last].From {
			last = i
		}
	}
	if !math.IsNaN(c.Orders[0].Value) {
		list = append(list, 0)
	}
	if last > 0 {
		list = append(list, last)
	}
	return list
}

// answers are what a curve says to a question about its order, over the telling
// ranges. A single run says nothing.
func (g *Growth) answers(c *GrowthCurve, of func(lo, hi float64) string) string {
	var parts []string
	for _, i := range g.telling(c) {
		o := c.Orders[i]
		lo, hi := o.CI.Lo, o.CI.Hi
		if math.IsNaN(lo) {
			lo, hi = o.Value, o.Value
		}
		if c.Runs != 1 {
			parts = append(parts, fmt.Sprintf("%s over %v", of(lo, hi), g.Ranges[i]))
		}
	}
	if parts == nil {
		return none
	}
	return strings.Join(parts, ", ")
}

// within says if an order is between 1/2 and 1.
func within(lo, hi float64) string {
	switch {
	case lo >= 0.5 && hi <= 1:
		return "yes"
	case hi < 0.5:
		return "below"
	case lo > 1:
		return "above"
	}
	return "not clear"
}

// near says if an order is that of the paper.
func near(lo, hi float64) string {
	switch {
	case hi < paper.Order:
		return "below"
	case lo > paper.Order:
		return "above"
	}
	return "no clear difference"
}

// cell is "0.66 [0.61, 0.72]".
func (o Estimate) cell(decimals int) string {
	text := number(o.Value, decimals)
	if !math.IsNaN(o.CI.Lo) {
		text += " [" + number(o.CI.Lo, decimals) + ", " + number(o.CI.Hi, decimals) + "]"
	}
	return text
}

// growth is the sheet of the orders, a column for each curve.
func (l *layout) growth() Sheet {
	g := l.Growth
	s := Sheet{ID: "growth", Title: "Order of the cumulative regret", Columns: []Column{{Title: "Steps", Head: true}},
		Caption: "p of R_t ∝ t^p, R_t being the mean over the runs: by least squares in log-log over the steps, or from the ends of these alone; with the 95\u00a0% bootstrap interval over the runs. The paper's curve is that of " + g.Source + "; of its single runs nothing is known."}
	for i := range g.Curves {
		s.Columns = append(s.Columns, Column{Title: g.name(&g.Curves[i])})
	}
	row := func(head string, of func(*GrowthCurve) string) {
		cells := []Cell{{Text: head}}
		for i := range g.Curves {
			cells = append(cells, Cell{Text: of(&g.Curves[i])})
		}
		s.Rows = append(s.Rows, cells)
	}
	for i, r := range g.Ranges {
		row(r.String(), func(c *GrowthCurve) string { return c.Orders[i].cell(2) })
	}
	row("R_T/R_1", func(c *GrowthCurve) string { return c.Regret[len(c.Regret)-1].cell(1) })
	row("T^(3/4), to compare", func(c *GrowthCurve) string { return number(math.Pow(float64(len(c.Regret)), paper.Order), 1) })
	return s
}

// growthClaims answers what the paper says of the order.
func (l *layout) growthClaims() Sheet {
	g := l.Growth
	s := Sheet{ID: "growth-claims", Title: "What the paper says of the order",
		Caption: "“It can be clearly seen that the order of the cumulative regret is between √T and T (indeed, close to T^(3/4) by checking the slope in log scale).” The curves are looked at after every step, the slopes with their intervals, where there are any. The theory bounds the order from above only: slower growth is in accord with it.",
		Columns: []Column{{Title: "Curve", Head: true}, {Title: "R_T/R_1 between √T and T?", Words: true}, {Title: "Slope between 1/2 and 1?", Words: true}, {Title: "Slope 3/4?", Words: true}}}
	for i := range g.Curves {
		c := &g.Curves[i]
		s.Rows = append(s.Rows, []Cell{{Text: g.name(c)}, {Text: c.between()}, {Text: g.answers(c, within)}, {Text: g.answers(c, near)}})
	}
	return s
}

// Charts are figures with logarithmic axes, one for each problem: its curves and
// the paper's, and √t and t to compare them with.
func (g *Growth) Charts() (charts []Chart) {
	var problems []string
	for i := range g.Curves {
		if c := &g.Curves[i]; !c.Paper {
			problems = include(problems, c.Problem)
		}
	}
	names := fileNames(problems)
	for i, p := range problems {
		chart := Chart{Name: names[i] + "-growth", File: names[i] + "-growth", Problem: p, Metric: RelativeRegret, Log: true, LogSteps: true}
		for k := range g.Curves {
			c := &g.Curves[k]
			if c.Problem != p && !c.Paper {
				continue
			}
			chart.Title = cmp.Or(chart.Title, c.Title)
			chart.Steps = max(chart.Steps, len(c.Regret))
			line := Line{Label: c.Algorithm, Style: c.Style}
			for _, v := range c.Regret {
				line.Points = append(line.Points, stats.Summary{N: c.Runs, Mean: v.Value, CI: v.CI})
			}
			chart.Lines = append(chart.Lines, line)
		}
		chart.Baselines = []Baseline{{Label: "t", Slope: 1, Power: 1}, {Label: "√t", Slope: 1, Power: 0.5}}
		charts = append(charts, chart)
	}
	return charts
}

// WriteCSV writes the curves of a problem and the paper's, a line for each step.
func (g *Growth) WriteCSV(w io.Writer, problem string) error {
	c := NewCSV(w)
	c.Write([]string{"problem", "label", "runs", "step", "relative_regret", "ci_lo", "ci_hi"})
	for i := range g.Curves {
		k := &g.Curves[i]
		if k.Problem != problem && !k.Paper {
			continue
		}
		for t, v := range k.Regret {
			c.Write([]string{k.Problem, k.Algorithm, k.runs(), strconv.Itoa(t + 1), field(v.Value), field(v.CI.Lo), field(v.CI.Hi)})
		}
	}
	c.Flush()
	return c.Error()
}

// WriteOrdersCSV writes the orders of all curves, a line for each range.
func (g *Growth) WriteOrdersCSV(w io.Writer) error {
	c := NewCSV(w)
	c.Write([]string{"problem", "label", "runs", "from", "to", "method", "order", "ci_lo", "ci_hi"})
	for i := range g.Curves {
		k := &g.Curves[i]
		for j, r := range g.Ranges {
			method := "least-squares"
			if r.Ends {
				method = "ends"
			}
			o := &k.Orders[j]
			c.Write([]string{k.Problem, k.Algorithm, k.runs(), strconv.Itoa(r.From), strconv.Itoa(r.To), method, field(o.Value), field(o.CI.Lo), field(o.CI.Hi)})
		}
	}
	c.Flush()
	return c.Error()
}

// runs is their number, "" where it is not known.
func (c *GrowthCurve) runs() string {
	if c.Runs == 0 {
		return ""
	}
	return strconv.Itoa(c.Runs)
}
