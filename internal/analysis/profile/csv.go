package profile

import (
	"io"
	"math"
	"slices"
	"strconv"

	"popbench/internal/analysis/document"
	"popbench/internal/math/stats"
)

// WriteCSV writes every number at full precision, a line each:
//
//	ert          of a problem, algorithm and target, with its interval, runs that reach it (n of of)
//	runtime      share of all that is reached after step x
//	performance  share of problems and targets with a ratio of at most x, wherever it rises
//	rank         average rank of an algorithm
//	critical     the critical difference of two ranks
//
// What does not apply is empty; what is never reached is inf.
func (p *Profile) WriteCSV(w io.Writer) error {
	c := document.NewCSV(w)
	c.Write([]string{"statistic", "problem", "algorithm", "target", "x", "value", "ci_lo", "ci_hi", "n", "of"})
	for i := range p.Problems {
		for a, o := range p.Problems[i].Outcomes {
			for k, t := range o.Targets {
				c.Write([]string{"ert", p.Problems[i].Name, p.Algorithms[a], field(p.Options.Targets[k]), "", field(t.ERT), field(t.CI.Lo), field(t.CI.Hi), strconv.Itoa(t.Reached.Count), strconv.Itoa(t.Reached.N)})
			}
		}
	}
	line := func(statistic, algorithm, x string, value float64) {
		c.Write([]string{statistic, "", algorithm, "", x, field(value), "", "", "", ""})
	}
	for a, label := range p.Algorithms {
		for t, v := range p.Runtimes[a].By {
			line("runtime", label, strconv.Itoa(t+1), v)
		}
	}
	for a, label := range p.Algorithms {
		for _, tau := range p.rises(a) {
			line("performance", label, field(tau), stats.PerformanceProfile(p.Ratios, a, tau))
		}
	}
	for a, label := range p.Algorithms {
		line("rank", label, "", p.Ranks.Ranks[a])
	}
	line("critical", "", "", p.Critical)
	c.Flush()
	return c.Error()
}

// rises are the τ at which an algorithm's performance profile is higher than
// before, and 1.
func (p *Profile) rises(algorithm int) []float64 {
	at := []float64{1}
	for _, r := range p.Ratios {
		if v := r[algorithm]; !math.IsInf(v, 1) {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// field is a number at full precision, empty if there is none.
func field(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
