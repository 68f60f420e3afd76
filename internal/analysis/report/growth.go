package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/analysis/paper"
	"popbench/internal/analysis/words"
	"popbench/internal/math/stats"
)

// name of the curve among the others.
func curveName(g *outcome.Growth, c *outcome.GrowthCurve) string {
	for i := range g.Curves {
		if o := &g.Curves[i]; !c.Paper && !o.Paper && o.Problem != c.Problem {
			return c.Title + ", " + c.Algorithm
		}
	}
	return c.Algorithm
}

// between answers the paper's claim that R_T is between √T and T.
func between(c *outcome.GrowthCurve) string {
	if !c.Paper && c.Runs < stats.MinRuns {
		return document.None
	}
	above, below := c.Outside()
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
	return words.Verb(len(list), "step ", "steps ") + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// answers are what a curve says to a question about its order, over the telling
// ranges. Too few runs say nothing.
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
	if parts == nil {
		return document.None
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
func estimateCell(o outcome.Estimate, decimals int) string {
	text := document.Number(o.Value, decimals)
	if !math.IsNaN(o.CI.Lo) {
		text += " [" + document.Number(o.CI.Lo, decimals) + ", " + document.Number(o.CI.Hi, decimals) + "]"
	}
	return text
}

// growth is the sheet of the orders, a column for each curve.
func (l *layout) growth() document.Sheet {
	g := l.Growth
	s := document.Sheet{ID: "growth", Title: "Order of the cumulative regret", Columns: []document.Column{{Title: "Steps", Head: true}},
		Caption: "p of R_t ∝ t^p, R_t being the mean over the runs: by least squares in log-log over the steps, or from the ends of these alone; with the 95\u00a0% bootstrap interval over the runs. The paper's curve is that of " + g.Source + "; of its single runs nothing is known."}
	for i := range g.Curves {
		s.Columns = append(s.Columns, document.Column{Title: curveName(g, &g.Curves[i])})
	}
	row := func(head string, of func(*outcome.GrowthCurve) string) {
		cells := []document.Cell{{Text: head}}
		for i := range g.Curves {
			cells = append(cells, document.Cell{Text: of(&g.Curves[i])})
		}
		s.Rows = append(s.Rows, cells)
	}
	for i, r := range g.Ranges {
		row(r.String(), func(c *outcome.GrowthCurve) string { return estimateCell(c.Orders[i], 2) })
	}
	row("R_T/R_1", func(c *outcome.GrowthCurve) string { return estimateCell(c.Regret[len(c.Regret)-1], 1) })
	row("T^(3/4), to compare", func(c *outcome.GrowthCurve) string {
		return document.Number(math.Pow(float64(len(c.Regret)), paper.Order), 1)
	})
	return s
}

// growthClaims answers what the paper says of the order.
func (l *layout) growthClaims() document.Sheet {
	g := l.Growth
	s := document.Sheet{ID: "growth-claims", Title: "What the paper says of the order",
		Caption: "“It can be clearly seen that the order of the cumulative regret is between √T and T (indeed, close to T^(3/4) by checking the slope in log scale).” The curves are looked at after every step, the slopes with their intervals, where there are any. The theory bounds the order from above only: slower growth is in accord with it.",
		Columns: []document.Column{{Title: "Curve", Head: true}, {Title: "R_T/R_1 between √T and T?", Words: true}, {Title: "Slope between 1/2 and 1?", Words: true}, {Title: "Slope 3/4?", Words: true}}}
	for i := range g.Curves {
		c := &g.Curves[i]
		s.Rows = append(s.Rows, []document.Cell{{Text: curveName(g, c)}, {Text: between(c)}, {Text: answers(g, c, within)}, {Text: answers(g, c, near)}})
	}
	return s
}

// WriteCSV writes the curves of a problem and the paper's, a line for each step.
func WriteGrowthCSV(g *outcome.Growth, w io.Writer, problem string) error {
	c := document.NewCSV(w)
	c.Write([]string{"problem", "label", "runs", "step", "relative_regret", "ci_lo", "ci_hi"})
	for i := range g.Curves {
		k := &g.Curves[i]
		if k.Problem != problem && !k.Paper {
			continue
		}
		for t, v := range k.Regret {
			c.Write([]string{k.Problem, k.Algorithm, curveRuns(k), strconv.Itoa(t + 1), document.Field(v.Value), document.Field(v.CI.Lo), document.Field(v.CI.Hi)})
		}
	}
	c.Flush()
	return c.Error()
}

// WriteOrdersCSV writes the orders of all curves, a line for each range.
func WriteOrdersCSV(g *outcome.Growth, w io.Writer) error {
	c := document.NewCSV(w)
	c.Write([]string{"problem", "label", "runs", "from", "to", "method", "order", "ci_lo", "ci_hi"})
	for i := range g.Curves {
		k := &g.Curves[i]
		for j, r := range g.Ranges {
			method := "least-squares"
			if r.Ends {
				method = "ends"
			}
			o := &k.Orders[j]
			c.Write([]string{k.Problem, k.Algorithm, curveRuns(k), strconv.Itoa(r.From), strconv.Itoa(r.To), method, document.Field(o.Value), document.Field(o.CI.Lo), document.Field(o.CI.Hi)})
		}
	}
	c.Flush()
	return c.Error()
}

// runs is their number, "" where it is not known.
func curveRuns(c *outcome.GrowthCurve) string {
	if c.Runs == 0 {
		return ""
	}
	return strconv.Itoa(c.Runs)
}
