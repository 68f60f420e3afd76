package outcome

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/words"
)

// Metric is what a curve shows.
type Metric string

const (
	InstantRegret    Metric = "instantaneous-regret" // f(x*) − f(x_t)
	CumulativeRegret Metric = "cumulative-regret"    // Run.CumulativeRegret
	Suboptimality    Metric = "suboptimality"        // f(x*) − f(recommended point)
	// InSet and InLikelihoodSet are 1 in runs with the truth inside the confidence set, or inside its likelihood part, and 0
	// in all other runs: the mean is a share, and the interval Wilson's.
	InSet           Metric = "in-set"
	InLikelihoodSet Metric = "in-likelihood-set"
	// RelativeRegret is R_t / R_1, of the means: no mean of single runs.
	RelativeRegret Metric = "relative-regret"
)

// Measure defines a metric of a run: a row of [Measures], from which tables, figures, CSV files, exports, comparisons,
// profiles, the documentation and the key headline of suite files follow.
type Measure struct {
	Name  Metric
	Title string // in lower case
	// Formula gives the number after t steps, as package document reads it: x_s1 to x_sq are the points of step s, x_s its
	// new point, r_s the recommended one, g the algorithm's estimate of f.
	Formula string
	About   string // what the formula does not say, with formulas between dollar signs
	Unit    Unit
	Higher  bool // higher is better; otherwise, lower is
	Over    Over
	Rule    bool // it is about the points that the selected rule recommends

	step func(run *Run, t int) float64 // the number of a step, from 0; NaN where it has none; nil if Over is Whole
	of   func(run *Run) float64        // the number of the whole run
}

// Unit is the unit of a metric.
type Unit string

const (
	Utility     Unit = "f"           // in the scale of the suite
	Probability Unit = "probability" // from 0 to 1/2
	Share       Unit = "share"       // of the steps
	Comparison  Unit = "comparisons"
	Nat         Unit = "nats"
	Correlation Unit = "correlation"
)

// Over is how the numbers of single steps make the number of a run.
type Over string

const (
	Last  Over = "last"  // the number of the last step
	Least Over = "least" // the smallest
	Mean  Over = "mean"
	Sum   Over = "sum"
	Whole Over = "whole" // no step has a number of its own
)

// The names of the metrics in suite files, tables and exports.
const (
	MeanSuboptimality    Metric = "mean-suboptimality"
	BestAskedRegret      Metric = "best-asked-regret"
	UtilityRegret        Metric = "utility-regret"
	PreferenceRegret     Metric = "preference-regret"
	WeakRegret           Metric = "weak-regret"
	WeakPreferenceRegret Metric = "weak-preference-regret"
	SelfDuels            Metric = "self-duels"
	ToTarget             Metric = "comparisons-to-target"
	HeldOutLogLoss       Metric = "held-out-log-loss"
	ExcessLogLoss        Metric = "excess-log-loss"
	KendallTau           Metric = "kendall-tau"
)

// Target is the suboptimality that [ToTarget] waits for, as a share of a uniform random point's suboptimality.
const Target = 0.1

// Measures are the metrics of a run.
var Measures = []*Measure{
	{Name: Suboptimality, Title: "suboptimality", Formula: `f(x^*) - f(r_t)`, Unit: Utility, Over: Last, Rule: true,
		About: "of the point $r_t$ that the selected rule recommends", step: (*Run).suboptimality},
	{Name: MeanSuboptimality, Title: "mean suboptimality", Formula: `\sum_{s \le t} (f(x^*) - f(r_s)) / t`, Unit: Utility, Over: Mean, Rule: true,
		About: "low if good points are recommended early", step: (*Run).suboptimality},
	{Name: BestAskedRegret, Title: "best-asked regret", Formula: `f(x^*) - \max_{s \le t, i} f(x_{si})`, Unit: Utility, Over: Least,
		About: "of the best point queried so far; no algorithm knows which one that is", step: (*Run).weak},
	{Name: CumulativeRegret, Title: "cumulative regret", Formula: `\sum_{s \le t} (f(x^*) - f(x_s))`, Unit: Utility, Over: Sum,
		About: "of the new point of each query, the mean over them if there are several; a query without one adds 0", step: (*Run).fresh},
	{Name: UtilityRegret, Title: "utility regret", Formula: `\sum_{s \le t} \sum_i (f(x^*) - f(x_{si})) / q`, Unit: Utility, Over: Sum,
		About: "mean over the $q$ points of each query, new or not", step: (*Run).regret},
	{Name: PreferenceRegret, Title: "preference regret", Formula: `\sum_{s \le t} \sum_i (\sigma(f(x^*) - f(x_{si})) - 1/2) / q`, Unit: Probability, Over: Sum,
		About: "by how much the optimum would win more often than half of the duels with the points of the query; $\\sigma$ is the unit logistic function, whatever the oracle",
		step:  (*Run).preference},
	{Name: WeakRegret, Title: "weak regret", Formula: `\sum_{s \le t} \min_i (f(x^*) - f(x_{si}))`, Unit: Utility, Over: Sum,
		About: "of the best point of each query", step: (*Run).weak},
	{Name: WeakPreferenceRegret, Title: "weak preference regret",
		Formula: `\sum_{s \le t} \min_i (\sigma(f(x^*) - f(x_{si})) - 1/2)`, Unit: Probability, Over: Sum,
		About: "of the best point of each query, as a probability like that of the preference regret",
		step:  func(run *Run, t int) float64 { return advantage(run.weak(t)) }},
	{Name: SelfDuels, Title: "self-duels", Formula: `\sum_{s \le t} [x_{s1} = \dots = x_{sq}] / t`, Unit: Share, Over: Mean,
		About: "share of the queries of one point with itself, from which nothing can be learned", step: (*Run).selfDuel},
	{Name: ToTarget, Title: "comparisons to target", Formula: `\min\{t : f(x^*) - f(r_s) \le U/10, s \ge t\}`, Unit: Comparison, Over: Whole, Rule: true,
		About: "comparisons until every later recommendation has at most a tenth of $U$, the mean suboptimality of a random point; over several runs, the expected running time: the comparisons of all runs divided by the number of runs that get there",
		of:    (*Run).toTarget},
	{Name: HeldOutLogLoss, Title: "held-out log-loss", Formula: `-\sum_j \log \sigma(g(w_j) - g(v_j)) / n`, Unit: Nat, Over: Last,
		About: "of the algorithm’s estimate $g$ at $n$ random duels that it never saw, which $w_j$ won and $v_j$ lost; $\\sigma$ is the unit logistic function, also where the estimate has another unit",
		step:  func(run *Run, t int) float64 { loss, _ := run.logLoss(t); return loss }},
	{Name: ExcessLogLoss, Title: "excess log-loss", Formula: `\sum_j (\log \sigma(f(w_j) - f(v_j)) - \log \sigma(g(w_j) - g(v_j))) / n`, Unit: Nat, Over: Last,
		About: "the held-out log-loss minus that of $f$ itself, which no estimate avoids",
		step:  func(run *Run, t int) float64 { loss, truth := run.logLoss(t); return loss - truth }},
	{Name: KendallTau, Title: "Kendall’s tau", Formula: `\tau_b(g, f)`, Unit: Correlation, Over: Last, Higher: true,
		About: "rank correlation of estimate and f at random points, corrected for ties; 1 is the same order",
		step:  (*Run).tau},
}

// Find returns the metric with a name; nil if there is none.
func Find(name Metric) *Measure {
	k := slices.IndexFunc(Measures, func(m *Measure) bool { return m.Name == name })
	if k < 0 {
		return nil
	}
	return Measures[k]
}

// Named returns the metric with the name that a user gives. The error lists the names.
func Named(name string) (*Measure, error) {
	if m := Find(Metric(name)); m != nil {
		return m, nil
	}
	known := words.Each(Measures, func(m *Measure) string { return string(m.Name) })
	return nil, fmt.Errorf("metric %.*q is unknown; give one of %s", words.MaxLabel, name, strings.Join(known, ", "))
}

// Steps are the numbers of the single steps, from step 1; nil if only the whole run has a number.
func (m *Measure) Steps(run *Run) []float64 {
	if m.step == nil {
		return nil
	}
	each := make([]float64, run.Steps())
	for t := range each {
		each[t] = m.step(run, t)
	}
	return each
}

// Series are the numbers of the run had it ended after step 1, 2, …; nil if only the whole run has one. A number is NaN
// where it does not apply.
func (m *Measure) Series(run *Run) []float64 {
	s := m.Steps(run)
	switch m.Over {
	case Least:
		for t := 1; t < len(s); t++ {
			s[t] = min(s[t-1], s[t])
		}
	case Sum, Mean:
		for t := 1; t < len(s); t++ {
			s[t] += s[t-1]
		}
	}
	if m.Over == Mean {
		for t := range s {
			s[t] /= float64(t + 1)
		}
	}
	return s
}

// Levels are the numbers of the single steps or, if Over is Least, the least so far: what a run may reach and keep.
func (m *Measure) Levels(run *Run) []float64 {
	if m.Over == Least {
		return m.Series(run)
	}
	return m.Steps(run)
}

// Final is the number of the run; NaN if it does not apply.
func (m *Measure) Final(run *Run) float64 {
	switch m.Over {
	case Whole:
		return m.of(run)
	case Mean:
		return stats.Mean(m.Steps(run))
	}
	s := m.Series(run)
	return s[len(s)-1]
}

// sign is what makes a number lower the better it is.
func (m *Measure) sign() float64 {
	if m.Higher {
		return -1
	}
	return 1
}

// Better says in words whether lower or higher numbers are better.
func (m *Measure) Better() string {
	if m.Higher {
		return "higher is better"
	}
	return "lower is better"
}

// AgainstOptimum reports whether the number depends on f(x*).
func (m *Measure) AgainstOptimum() bool {
	return m.Unit == Utility || m.Unit == Probability || m.Unit == Comparison
}

// Terms is how often f(x*) is a term of [Measure.Final]: by how much it grows if the optimum grows by 1. It is NaN of a
// metric that depends on the optimum in another way.
func (m *Measure) Terms(run *Run) float64 {
	switch {
	case !m.AgainstOptimum():
		return 0
	case m.Unit != Utility:
		return math.NaN()
	case m.Name == CumulativeRegret:
		return float64(run.Regrets())
	case m.Over == Sum:
		return float64(run.Steps())
	}
	return 1
}

// MeasureSummary sums up the numbers of a group's runs. It leaves out runs without a number.
type MeasureSummary struct {
	*Measure
	stats.Summary
	Reached stats.Share // runs that reach the target, of ToTarget; else zero
}

// measures sums up all metrics of the group's runs, in the order of Measures.
func (g *Group) measures() []MeasureSummary {
	all := make([]MeasureSummary, len(Measures))
	summaries := stats.SummarizeAll(words.Each(Measures, func(m *Measure) []float64 { return slices.DeleteFunc(g.values(m.Final), math.IsNaN) }))
	for k, m := range Measures {
		all[k] = MeasureSummary{Measure: m, Summary: summaries[k]}
		if m.Name == ToTarget {
			all[k].runningTime(g)
		}
	}
	return all
}

// runningTime replaces the mean of runs that may not have reached the target by their expected running time.
func (s *MeasureSummary) runningTime(g *Group) {
	attempts := g.Attempts()
	s.Reached, s.Mean, s.CI = stats.Reached(attempts), stats.ERT(attempts), stats.BootstrapERT(attempts)
	s.Std, s.StdErr = math.NaN(), math.NaN()
}

// Attempts are how the runs reach the target of [ToTarget], without runs whose target is not known.
func (g *Group) Attempts() (all []stats.Attempt) {
	for _, run := range g.Runs {
		if a, ok := run.attempt(); ok {
			all = append(all, a)
		}
	}
	return all
}

func (run *Run) suboptimality(t int) float64 { return run.Suboptimality[0][t] }

func (run *Run) fresh(t int) float64 { return run.Regret[t] }

func (run *Run) regret(t int) float64 {
	return run.meanAsked(t, func(regret float64) float64 { return regret })
}

func (run *Run) preference(t int) float64 { return run.meanAsked(t, advantage) }

func (run *Run) meanAsked(t int, of func(regret float64) float64) float64 {
	sum := 0.0
	for _, f := range run.query(t) {
		sum += of(run.round(run.Optimum - f))
	}
	return sum / float64(len(run.query(t)))
}

func (run *Run) weak(t int) float64 {
	if len(run.query(t)) == 0 {
		return math.NaN()
	}
	return run.round(run.Optimum - slices.Max(run.query(t)))
}

// advantage is the probability, beyond 1/2, that the optimum wins a duel with a point of that regret.
func advantage(regret float64) float64 { return math.Tanh(regret/2) / 2 }

func (run *Run) selfDuel(t int) float64 {
	if run.self[t] < 0 {
		return math.NaN()
	}
	return float64(run.self[t])
}

// query returns f at the points of the query of step t, from 0; none of an imported run.
func (run *Run) query(t int) []float64 {
	from := int32(0)
	if t > 0 {
		from = run.until[t-1]
	}
	return run.asked[from:run.until[t]]
}

// attempt is the steps of a run to the target; false if the target is not known.
func (run *Run) attempt() (stats.Attempt, bool) {
	u := run.Unit()
	return stats.Reach(run.Suboptimality[0], Target*u), u > 0
}

// toTarget is one more than the steps of the run if it does not reach the target.
func (run *Run) toTarget() float64 {
	a, ok := run.attempt()
	switch {
	case !ok:
		return math.NaN()
	case !a.Reached:
		return float64(a.Steps + 1)
	}
	return float64(a.Steps)
}

// logLoss is that of the estimate and of f at the held-out duels; NaN without any.
func (run *Run) logLoss(t int) (loss, truth float64) {
	if h := run.scores[t]; h != nil && h.Duels > 0 {
		return h.LogLoss, h.TrueLogLoss
	}
	return math.NaN(), math.NaN()
}

func (run *Run) tau(t int) float64 {
	if h := run.scores[t]; h != nil && h.Tau != nil {
		return *h.Tau
	}
	return math.NaN()
}
