package figure

import (
	"fmt"
	"io"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/record"
)

// The golden has what each kind of chart says in words, and the numbers that it computes.
func TestCharts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ci := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	point := func(n int, mean float64) []stats.Summary {
		return []stats.Summary{{N: n, Mean: 2 * mean, Std: 1, CI: ci(nan, nan)}, {N: n, Mean: mean, Std: 1, StdErr: 0.1, CI: ci(mean-0.2, mean+0.3)}}
	}
	found := &outcome.BestFound{Value: 3, Runs: 12}
	of := func(change func(c *Chart)) *Chart {
		c := &Chart{Title: "Beale", Steps: 2, Quantity: Quantity{What: "regret", Better: "lower is better", Mean: true, About: "Regret on %[1]s over %[2]s; %[3]s."},
			Lines: []Line{{"A", 0, point(7, 1)}, {"B", 1, point(6, 30)}}, Baselines: []Baseline{{Label: "random", Slope: 2, Power: 0.5, Level: 1}},
			Marks: []Mark{{"paper", -1, 0.25}}, AboutMarks: "what the paper prints"}
		change(c)
		return c
	}
	all := []*Chart{
		of(func(*Chart) {}), of(func(c *Chart) { c.Log, c.NoBands, c.BestFound = true, true, found }),
		of(func(c *Chart) { c.Log, c.LogSteps, c.Marks = true, true, nil }), of(func(c *Chart) { c.LogSteps, c.Mean, c.Marks[0].Style = true, false, 0 }),
		of(func(c *Chart) { c.Band, c.Missing = 0.2, []string{"DTS", "SGP"} }), of(func(c *Chart) { c.Band, c.Lines = 0.1, []Line{{"A", 0, point(1, 1)}} }),
		of(func(c *Chart) { c.Lines = []Line{c.Lines[0], {"C", 2, point(0, 29)}} }),
		of(func(c *Chart) { c.Lines = append(c.Lines, c.Lines[0], c.Lines[0], c.Lines[0], c.Lines[0]) }),
	}
	check.GoldenWritten(t, "charts.txt", func(w io.Writer) error {
		for _, c := range all {
			first, last := &c.Lines[0].Points[0], &c.Lines[0].Points[1]
			fmt.Fprintf(w, "%s\n%s\nbars %v, decades %v, ends %g %g %g %g\n\n", c.Caption(), c.Alt(), c.bars(), c.SpansDecades(), c.Low(first), c.High(first), c.Low(last), c.High(last))
		}
		fmt.Fprintf(w, "%s\n%s\n\n", overviewCaption(append(all[:2:2], all[5])), overviewCaption(all[2:3]))

		doses := []*Chart{of(func(c *Chart) {
			c.Lines, c.Sweep = c.Lines[:1], &outcome.Sweep{Setting: "beta0", Values: []float64{0.1, 10}}
		})}
		for _, log := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			doses[0].Log, doses[0].LogSweep = log[0], log[1]
			fmt.Fprintf(w, "%s\n", doseCaption(doses))
		}
		fmt.Fprintf(w, "%s\n%s\n\n", doseCaption(append(doses, doses[0])), doseAlt(append(doses, doses[0])))

		belief := &outcome.Belief{Step: 1, Belief: &record.Belief{X: []float64{0, 1}, Utility: []float64{2, 1}, Estimate: []float64{1, 1}, Lower: []float64{0, 0}, Upper: []float64{2, 4}}}
		b := &BeliefChart{Title: "Drawn", Algorithm: "A", Repetition: 3, Lo: -1, Hi: 1, Panels: []*outcome.Belief{belief}}
		fmt.Fprintf(w, "%s\n%s\n", b.Caption(), b.Alt())
		b.Panels, b.Again = []*outcome.Belief{belief, belief, belief}, true
		for _, b.Inside = range [][]bool{{true, true, true}, {false, false, false}, {true, false, false}} {
			fmt.Fprintf(w, "%s\n%s\n", b.Caption(), b.Alt())
		}

		for _, d := range []*Differences{
			{Title: "Differences", Axis: "difference (U)", Margin: 0.1, Rows: []DifferenceRow{{Label: "a", Value: -0.2, CI: ci(-0.3, 0.1), Finding: "better", Problems: []float64{1}}}},
			{Title: "Differences", Axis: "difference", Higher: true, Rows: []DifferenceRow{{Label: "a", Value: 3, CI: ci(nan, nan), Finding: "worse"}}},
		} {
			fmt.Fprintf(w, "\n%s\n%s\n", d.Caption(), d.Alt())
		}

		for _, s := range []*Shares{{Title: "Shares", What: "share", Axis: "steps", About: "Shares.", To: 5}, {Title: "Shares", What: "share", Axis: "ratio", From: 1, To: 8, Log: true}} {
			s.Add("a", 0, []float64{inf, 4, 1, 1, 2.7})
			s.Add("never", 1, []float64{inf})
			fmt.Fprintf(w, "\n%s\n%s\n%v %v\n", s.Caption(), s.Alt(), s.Lines[0].Points(s.To), s.Lines[0].Last(s.To))
		}

		tr := &Trend{Title: "Time", What: "ms", Axis: "version", Ticks: []string{"a", "b", "c", "d"}, Log: true}
		tr.Add("New", 0, func(i int) float64 { return []float64{nan, 0, 2, 20}[i] }) // no logarithmic axis has 0
		tr.Add("Gone", 1, func(int) float64 { return nan })
		fmt.Fprintf(w, "\n%s\n%v\n", tr.Alt(), tr.Lines)
		for _, l := range tr.known().Lines {
			fmt.Fprintf(w, "%s: %d points, the last %g; logarithmic %v\n\n", l.Label, len(l.Points), l.Points[len(l.Points)-1].Mean, tr.known().Log)
		}

		for _, r := range []IntervalRow{
			{Value: 0.5, Interval: ci(0.4, 0.6), Joint: ci(0.3, 0.7), Region: ci(2.5, inf), Printed: 3, Border: 2.5, Margin: 1},
			{Value: 0.5, Interval: ci(0.4, 0.6), Joint: ci(nan, nan), Region: ci(-inf, 1), Printed: -30},
			{Value: 7, Interval: ci(nan, nan), Joint: ci(nan, nan), Region: ci(-inf, 7), Printed: nan},
			{Value: nan, Interval: ci(nan, nan), Joint: ci(nan, nan), Region: ci(-inf, inf), Printed: nan},
		} {
			lo, hi := Intervals{r}.axis()
			fmt.Fprintf(w, "axis from %.6g to %.6g\n", lo, hi)
		}
		return nil
	})
}
