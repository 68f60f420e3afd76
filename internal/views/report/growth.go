package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/words"
)

// curveName is the name of the curve among the others.
func curveName(g *outcome.Growth, c *outcome.GrowthCurve) string {
	for _, o := range g.Curves {
		if !c.Paper && !o.Paper && o.Problem != c.Problem {
			return c.Title + ", " + c.Algorithm
		}
	}
	return c.Algorithm
}

// between answers the paper's claim that R_T is between √T and T.
func between(c *outcome.GrowthCurve) document.Text {
	if !c.Paper && c.Runs < stats.MinRuns {
		return ""
	}
	above, below := c.Outside()
	var parts []document.Text
	if len(above) > 0 {
		parts = append(parts, document.Textf("above $T$ after %s", steps(above)))
	}
	if len(below) > 0 {
		parts = append(parts, document.Textf(`below $\sqrt{T}$ after %s`, steps(below)))
	}
	if parts == nil {
		return "yes, after every step"
	}
	return "no: " + document.Join(parts, ", ")
}

// steps is "step 2", "steps 2, 4" or "7 steps, the last 50".
func steps(list []int) string {
	if len(list) > 3 {
		return fmt.Sprintf("%d steps, the last %d", len(list), list[len(list)-1])
	}
	return words.Choose(len(list), "step ", "steps ") + strings.Join(words.Each(list, strconv.Itoa), ", ")
}

// answers are what a curve says to a question about its order, over the telling ranges; "" of too few runs.
func answers(g *outcome.Growth, c *outcome.GrowthCurve, of func(lo, hi float64) string) string {
	var parts []string
	for _, i := range g.Telling(c) {
		o := c.Orders[i]
		lo, hi := o.CI.Lo, o.CI.Hi
		if c.Paper {
			lo, hi = o.Value, o.Value
		}
		if !math.IsNaN(lo) {
			parts = append(parts, fmt.Sprintf("%s over %v", of(lo, hi), g.Ranges[i]))
		}
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

// near says whether an order is the paper's.
func near(lo, hi float64) string {
	switch {
	case hi < paper.Order:
		return "below"
	case lo > paper.Order:
		return "above"
	}
	return "no clear difference"
}

// growth is the sheet of the orders, a column for each curve.
func (l *layout) growth() document.Sheet {
	g := l.Growth
	type row struct {
		head document.Text
		of   func(*outcome.GrowthCurve) document.Cell
	}
	var rows []row
	for i, r := range g.Ranges {
		rows = append(rows, row{document.Plain(r.String()), func(c *outcome.GrowthCurve) document.Cell { return estimate(c.Orders[i]) }})
	}
	rows = append(rows,
		row{"$R_T/R_1$", func(c *outcome.GrowthCurve) document.Cell { return estimate(c.Regret[len(c.Regret)-1]) }},
		row{"$T^{3/4}$, to compare", func(c *outcome.GrowthCurve) document.Cell {
			return document.Short(math.Pow(float64(len(c.Regret)), paper.Order))
		}})
	columns := []document.Column[row]{{Title: "Steps", Head: true, Of: func(r row) document.Cell { return document.Prose(r.head) }}}
	for _, c := range g.Curves {
		columns = append(columns, document.Column[row]{Title: document.Plain(curveName(g, c)), Of: func(r row) document.Cell { return r.of(c) }})
	}
	return document.Tabulate(document.Sheet{ID: "growth", Title: "Order of the cumulative regret",
		Caption: document.Textf("$p$ of $R_t \\propto t^p$, where $R_t$ is the mean over the runs: by least squares in log-log over the steps, or from the ends of these alone; with the 95\u00a0%% bootstrap interval over the runs. The paper's curve is that of %s; its single runs are not known.",
			g.Source)}, rows, columns...)
}

func estimate(e outcome.Estimate) document.Cell { return document.Estimate(e.Value, e.CI) }

// growthClaims answers what the paper says of the order.
func (l *layout) growthClaims() document.Sheet {
	g := l.Growth
	return document.Tabulate(document.Sheet{ID: "growth-claims", Title: "What the paper says of the order",
		Caption: "“It can be clearly seen that the order of the cumulative regret is between $\\sqrt{T}$ and $T$ (indeed, close to $T^{3/4}$ by checking the slope in log scale).” The curves are checked after every step, the slopes by their intervals where there are any. The theory bounds the order from above only, so slower growth agrees with it."},
		g.Curves,
		document.Names("Curve", func(c *outcome.GrowthCurve) string { return curveName(g, c) }),
		document.Column[*outcome.GrowthCurve]{Title: "$R_T/R_1$ between $\\sqrt{T}$ and $T$?",
			Words: true, Of: func(c *outcome.GrowthCurve) document.Cell { return document.Prose(between(c)) }},
		document.Texts("Slope between 1/2 and 1?", func(c *outcome.GrowthCurve) string { return answers(g, c, within) }),
		document.Texts("Slope 3/4?", func(c *outcome.GrowthCurve) string { return answers(g, c, near) }))
}

// ofCurvesCSV is csvOf of lines that belong to curves.
func ofCurvesCSV(lines []at[outcome.GrowthCurve], columns ...document.Column[at[outcome.GrowthCurve]]) func(io.Writer) error {
	type line = at[outcome.GrowthCurve]
	return csvOf(lines, append([]document.Column[line]{
		document.WordsAt("problem", func(l line) string { return l.of.Problem }),
		document.WordsAt("label", func(l line) string { return l.of.Algorithm }),
		{Key: "runs", Of: func(l line) document.Cell { return document.Count(l.of.Runs).If(l.of.Runs > 0) }},
	}, columns...)...)
}

// growthCSV has the curves of a problem and the paper's, a line for each step.
func growthCSV(g *outcome.Growth, problem string) func(io.Writer) error {
	type point = at[outcome.GrowthCurve]
	curves := words.Only(g.Curves, func(c *outcome.GrowthCurve) bool { return c.Problem == problem || c.Paper })
	return ofCurvesCSV(indices(curves, func(c *outcome.GrowthCurve) int { return len(c.Regret) }),
		document.CountAt("step", func(p point) int { return p.k + 1 }),
		document.NumberAt("relative_regret", func(p point) float64 { return p.of.Regret[p.k].Value }),
		document.Column[point]{Of: func(p point) document.Cell { return document.SignedInterval(p.of.Regret[p.k].CI) }})
}

// ordersCSV has the orders of all curves, a line for each range.
func ordersCSV(g *outcome.Growth) func(io.Writer) error {
	type order = at[outcome.GrowthCurve]
	return ofCurvesCSV(indices(g.Curves, func(*outcome.GrowthCurve) int { return len(g.Ranges) }),
		document.CountAt("from", func(o order) int { return g.Ranges[o.k].From }),
		document.CountAt("to", func(o order) int { return g.Ranges[o.k].To }),
		document.WordsAt("method", func(o order) string { return map[bool]string{true: "ends", false: "least-squares"}[g.Ranges[o.k].Ends] }),
		document.NumberAt("order", func(o order) float64 { return o.of.Orders[o.k].Value }),
		document.Column[order]{Of: func(o order) document.Cell { return document.SignedInterval(o.of.Orders[o.k].CI) }})
}

// pilots says how many comparisons there are, and whose.
func pilots(g *outcome.Group) string {
	switch {
	case g.Pilot == 0:
		return "none"
	case g.Conditional():
		return fmt.Sprintf("%d, one draw for all runs", g.Pilot)
	}
	return fmt.Sprintf("%d, a draw for each repetition", g.Pilot)
}

// fits is the sheet of the lengthscales that were fitted to pilot comparisons, a row for each group and coordinate.
func (l *layout) fits() document.Sheet {
	type fit struct {
		*outcome.Row
		outcome.Fit
		coordinate string
	}
	var rows []fit
	each := slices.ContainsFunc(l.Rows, func(row *outcome.Row) bool { return len(row.Prior.Fits) > 1 })
	for _, at := range indices(l.Rows, func(row *outcome.Row) int { return len(row.Prior.Fits) }) {
		r := fit{at.of, at.of.Prior.Fits[at.k], ""}
		if r.Conditional() { // the runs have the same value
			r.Values = slices.Compact(slices.Clone(r.Values))
		}
		switch {
		case each && len(r.Prior.Fits) > 1:
			r.coordinate = fmt.Sprintf("x%d", at.k+1)
		case each:
			r.coordinate = "all"
		}
		rows = append(rows, r)
	}
	words := func(title document.Text, of func(fit) string) document.Column[fit] {
		return document.Column[fit]{Title: title, Of: func(f fit) document.Cell { return document.Words(of(f)) }}
	}
	between := func(lo, hi float64) string {
		return document.Significant(lo, 4).String() + " to " + document.Significant(hi, 4).String()
	}
	q := func(f fit, p float64) float64 { return stats.Quantile(f.Values, p) }
	end := func(title document.Text, of func(lower, upper int) int) document.Column[fit] {
		return document.Column[fit]{Title: title, Of: func(f fit) document.Cell {
			n := of(f.Ends())
			return document.Prose(document.Textf("%d (%s)", n, document.Percent(float64(n)/float64(len(f.Values)))))
		}, About: document.Textf("At an end: within %g\u00a0%% of an end of the range in which it was sought; such a pilot does not say how long the lengthscale is.",
			100*outcome.AtEnd)}
	}
	return document.Tabulate(document.Sheet{ID: "fits", Title: "Lengthscales fitted to pilot comparisons",
		Caption: "How the fitted lengthscale varies over the pilots, in units of $x$."}, rows,
		append(heads(l, func(f fit) *outcome.Row { return f.Row }),
			words("Coordinate", func(f fit) string { return f.coordinate }),
			words("Pilots", func(f fit) string { return fmt.Sprint(len(f.Values)) }),
			words("Median", func(f fit) string { return document.Significant(q(f, 0.5), 4).String() }),
			words("Quartiles", func(f fit) string { return between(q(f, 0.25), q(f, 0.75)) }),
			words("Smallest to largest", func(f fit) string { return between(q(f, 0), q(f, 1)) }),
			words("Sought in", func(f fit) string { return between(f.Lo, f.Hi) }),
			end("At the lower end", func(lower, _ int) int { return lower }), end("At the upper end", func(_, upper int) int { return upper }))...)
}

// GrowthCharts are figures with logarithmic axes, one for each problem: its curves and the paper's, beside √t and t.
func GrowthCharts(t *outcome.Table) (charts []*figure.Chart) {
	g, styles := t.Growth, about.Styles(t.Results)
	own := slices.DeleteFunc(slices.Clone(g.Curves), func(c *outcome.GrowthCurve) bool { return c.Paper })
	problems := words.Once(words.Each(own, func(c *outcome.GrowthCurve) string { return c.Problem }))
	names := FileNames(problems)
	for i, p := range problems {
		c := &figure.Chart{Name: names[i] + "-growth", File: names[i] + "-growth",
			Problem: p, Quantity: quantity(outcome.RelativeRegret), Log: true, LogSteps: true}
		for _, cv := range g.Curves {
			if cv.Problem != p && !cv.Paper {
				continue
			}
			c.Title = cmp.Or(c.Title, cv.Title)
			c.Steps = max(c.Steps, len(cv.Regret))
			style, ok := styles[cv.Algorithm]
			if !ok { // the paper's
				style = about.Free(styles)
			}
			line := figure.Line{Label: cv.Algorithm, Style: style}
			for _, v := range cv.Regret {
				line.Points = append(line.Points, stats.Summary{N: cv.Runs, Mean: v.Value, CI: v.CI})
			}
			c.Lines = append(c.Lines, line)
		}
		c.Baselines = []figure.Baseline{{Label: "t", Slope: 1, Power: 1}, {Label: "√t", Slope: 1, Power: 0.5}}
		charts = append(charts, c)
	}
	return charts
}
