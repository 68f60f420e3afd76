package outcome

import (
	"cmp"
	"math"
	"slices"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/internal/words"
	"popbench/record"
)

// Table is the outcome after the last step, a row for each group of runs.
type Table struct {
	*Results
	Rows   []*Row
	Growth *Growth    // next to the paper's; nil if it prints no curve
	Times  *TimeTable // next to the paper's; nil unless all of its methods were measured
}

// Row is the outcome of one algorithm on one problem. Its summaries have N = 0 and NaN when there is no complete run.
type Row struct {
	*Group
	Rules      []RuleSummary  // as Group.Rules, first the selected one
	Regret     stats.Summary  // cumulative regret R_T
	GridRegret *stats.Summary // the same against the grid's best value; nil if unknown
	Exponent   float64        // p of R_t ∝ t^p, least squares over the mean regret
	Uniform    *record.Uniform
	Coverage   Coverage
	Times      Times
	Beliefs    []BeliefSummary  // by step
	Metrics    []MeasureSummary // as Measures
	Printed    *paper.Value     // what the paper prints for this algorithm; nil if nothing
	Against    Relations
	Standing   Standing
}

// NewTable sums up the results.
func NewTable(r *Results) *Table {
	t := &Table{Results: r, Rows: words.Each(r.Groups, r.row), Growth: NewGrowth(r), Times: newTimeTable(r)}
	t.stand()
	return t
}

func (r *Results) row(g *Group) *Row {
	row := &Row{Group: g, Uniform: g.Uniform(), Exponent: g.exponent(r.Steps), Coverage: g.coverage(),
		Times: g.times(), Beliefs: g.beliefSummaries(), Metrics: g.measures()}
	columns := [][]float64{g.values(func(run *Run) float64 { return run.CumulativeRegret(r.Steps) })}
	for k := range g.Rules {
		columns = append(columns, g.values(func(run *Run) float64 { return run.FinalSuboptimality(k) }))
	}
	known, grid := g.summaries(columns, func(k int) float64 {
		if k == 0 {
			return float64(r.Steps)
		}
		return 1
	})
	onGrid := func(k int) *stats.Summary {
		if grid == nil {
			return nil
		}
		return &grid[k]
	}
	row.Regret, row.GridRegret = known[0], onGrid(0)
	for k, rule := range g.Rules {
		row.Rules = append(row.Rules, RuleSummary{Rule: rule, True: known[k+1], Grid: onGrid(k + 1)})
	}
	printedRuns := 0
	if r.Paper != nil && g.BestFound == nil && g.Imported == nil {
		printedRuns = r.Paper.Runs
		method, _ := r.Paper.Method(g.Algorithm.Name)
		if v, ok := r.Paper.Value(g.Problem.Name, method); ok {
			row.Printed = &v
		}
	}
	row.Against = g.relations(row.Printed, printedRuns, row.Uniform, row.Rules)
	return row
}

// fauvel is the suite that repeats published runs whose scores are known.
const fauvel = "fauvel-2021"

// Published returns the last suboptimalities of the row's runs that the authors of the suite's paper published; nil if none.
func (t *Table) Published(row *Row) []float64 {
	if t.Suite != fauvel || row.Problem.Optimum == nil || row.Random() {
		return nil
	}
	scores := paper.FauvelScores(row.Problem.Name, row.Algorithm.Label, t.Steps)
	return words.Each(scores, func(score float64) float64 { return *row.Problem.Optimum - score })
}

// Standing is how a row's mean of the headline compares with the best on its problem.
type Standing struct {
	// Best is the first row with the best mean on the problem among algorithms that learn from comparisons; nil of a row
	// that is not ranked: it has no complete run with the metric, its algorithm observes values, or no algorithm reaches
	// the target.
	Best   *Row
	Lowest bool // the row has the mean of Best
	// Versus is Higher if the row is clearly worse than Best, Equal if it is not or is Best itself, TooFew if there are too
	// few runs to tell, Unknown of a row that is not ranked. The difference is between runs of the same repetition, which
	// share instance, starting points and oracle noise. It is clear if its interval leaves out zero.
	Versus Relation
}

// ByProblem are the rows of each problem, in the order of the table.
func (t *Table) ByProblem() (all [][]*Row) {
	for _, row := range t.Rows {
		k := slices.IndexFunc(all, func(rows []*Row) bool { return rows[0].Problem.Name == row.Problem.Name })
		if k < 0 {
			k, all = len(all), append(all, nil)
		}
		all[k] = append(all[k], row)
	}
	return all
}

// Row returns the row of an algorithm on a problem; nil if there is none.
func (t *Table) Row(problem, label string) *Row {
	for _, row := range t.Rows {
		if row.Problem.Name == problem && row.Algorithm.Label == label {
			return row
		}
	}
	return nil
}

func (t *Table) stand() {
	for _, rows := range t.ByProblem() {
		rows = slices.DeleteFunc(rows, func(row *Row) bool { return row.Metric(t.Headline).N == 0 || !row.Ranked() })
		if len(rows) == 0 {
			continue
		}
		best := slices.MinFunc(rows, func(a, b *Row) int { return cmp.Compare(a.Score(t.Headline), b.Score(t.Headline)) })
		least := best.Score(t.Headline)
		if math.IsInf(least, 1) {
			continue
		}
		for _, row := range rows {
			row.Standing = Standing{Best: best, Lowest: row.Score(t.Headline) == least, Versus: row.versus(best, t.Headline)}
		}
	}
}

// Metric sums up the row's runs.
func (row *Row) Metric(m *Measure) *MeasureSummary {
	return &row.Metrics[slices.IndexFunc(row.Metrics, func(s MeasureSummary) bool { return s.Measure == m })]
}

// Score is the row's mean of a metric, negated where higher is better: the lower, the better. NaN if no run has it.
func (row *Row) Score(m *Measure) float64 { return m.sign() * row.Metric(m).Mean }

func (row *Row) versus(best *Row, m *Measure) Relation {
	var d []float64
	for run, other := range row.Pairs(best.Group) {
		if v := m.sign() * (m.Final(run) - m.Final(other)); !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	switch {
	case len(d) < stats.MinRuns:
		return TooFew
	case stats.BootstrapMean(d).Lo > 0:
		return Higher
	}
	return Equal
}

// Relation is how our mean compares with another number.
type Relation string

const (
	Unknown Relation = ""             // nothing to compare with
	TooFew  Relation = "too few runs" // below stats.MinRuns
	Lower   Relation = "lower"        // by more than the sampling error
	Equal   Relation = "equal"        // up to the sampling error
	Higher  Relation = "higher"       // by more than the sampling error
)

// Alpha is the level of the tests behind a Relation: two-sided, row by row, not corrected for the number of rows.
const Alpha = 1 - stats.Level

// Relations compare the suboptimality by the selected rule; lower is better.
type Relations struct {
	// Paper is against the printed mean, on the paper's metric, by Welch's test with the printed deviation and runs.
	Paper     Relation
	PaperTest stats.WelchResult
	// Random and Best are against one uniform random point and the best of K, by the bootstrap interval.
	Random, Best Relation
}

// relations compares what the selected rule recommends after the last step; printed or uniform is nil if it is not known.
func (g *Group) relations(printed *paper.Value, printedRuns int, uniform *record.Uniform, rules []RuleSummary) (v Relations) {
	nan := math.NaN()
	v.PaperTest = stats.WelchResult{T: nan, DF: nan, P: nan}
	few := len(g.Runs) < stats.MinRuns
	switch {
	case printed == nil:
	case few:
		v.Paper = TooFew
	default:
		ours := cmp.Or(rules[0].Grid, &rules[0].True)
		v.PaperTest = stats.Welch(
			stats.Moments{N: ours.N, Mean: ours.Mean, Std: ours.Std},
			stats.Moments{N: printedRuns, Mean: printed.Mean, Std: printed.Std})
		v.Paper = fromTest(v.PaperTest)
	}
	switch {
	case uniform == nil:
	case few:
		v.Random, v.Best = TooFew, TooFew
	default:
		v.Random = g.against(rules[0].True.CI, uniform.Mean, func(u *record.Uniform) float64 { return u.Mean })
		v.Best = g.against(rules[0].True.CI, uniform.BestMean, func(u *record.Uniform) float64 { return u.BestMean })
	}
	return v
}

func fromTest(w stats.WelchResult) Relation {
	switch {
	case math.IsNaN(w.P):
		return Unknown
	case w.P >= Alpha:
		return Equal
	case w.T < 0:
		return Lower
	}
	return Higher
}

// against compares the interval of the selected rule's mean with a number known without error. When that number differs
// between the runs, each run is compared with its own.
func (g *Group) against(ci stats.Interval, common float64, of func(*record.Uniform) float64) Relation {
	if !g.sameUniform() {
		d := g.values(func(run *Run) float64 { return run.FinalSuboptimality(0) - of(run.Uniform) })
		ci, common = stats.BootstrapMean(d), 0
	}
	switch {
	case ci.Hi < common:
		return Lower
	case ci.Lo > common:
		return Higher
	}
	return Equal
}
