package outcome

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/paper"
	"popbench/internal/words"
	"popbench/record"
)

// Run is one complete run, measured against the certified optimum f(x*), or the best value found where that is unknown.
// Steps are counted from 1; slices by step begin with the first.
type Run struct {
	Repetition    int
	Optimum       float64         // f(x*), or what stands for it; differs between the runs of a random problem
	Regret        []float64       // by step: f(x*) − f(x_t); the mean over the new points when there are several
	Suboptimality [][]float64     // [rule][step]: f(x*) − f(recommended point); NaN where the rule recommends none
	Totals        []Total         // of the algorithm's metrics
	GridShift     *float64        // added to Suboptimality: against the best value of the paper's grid; nil if unknown
	Uniform       *record.Uniform // suboptimality of uniform random points; nil if unknown
	Likely        []bool          // by step: the truth is likely enough for the confidence set; nil without a set
	InBall        []bool          // by step: the truth's norm is within the set's bound; nil if that is not known
	Beliefs       []*Belief       // by step
	Seconds       []float64       // by step: wall clock; nil if there is no measurement
	Trace         *Trace          // nil if it is not kept; see [MaxTraces]

	asked  []float64               // f at the points of the queries, one query after the other; none of an imported run
	until  []int32                 // by step: where the values of its query end in asked
	self   []int8                  // by step: 1 if all points of the query are the same, 0 if not, -1 of an imported run
	scores map[int]*record.HeldOut // by step, from 0
	excess float64                 // by how much a value exceeds the optimum
	grain  float64                 // a power of two of which regrets are multiples; 0 for any regret
	idle   []int                   // steps, from 0, without a new point: their regret is 0 whatever the optimum is
}

// Total sums up a metric of the algorithm over the steps: work by its sum, a certificate by its maximum.
type Total struct {
	Name     string
	Sum, Max float64
}

// NewRun returns what a complete record says of regret, suboptimality and work. Rules are the recommendation rules to
// measure, first the selected one; nil stands for the rules of the record's first step. A Run has a few numbers for each
// step, and keeps nothing of the record. Where the optimum is unknown, the run is measured relative to 0.
func NewRun(rec *record.Record, rules []string) *Run {
	if rules == nil {
		rules = Rules(rec)
	}
	p := &rec.Header.Problem
	optimum := 0.0
	if p.Optimum != nil {
		optimum = *p.Optimum
	}
	steps := len(rec.Steps)
	run := &Run{
		Repetition:    rec.Header.Repetition,
		Optimum:       optimum,
		Regret:        make([]float64, steps),
		Suboptimality: make([][]float64, len(rules)),
		Uniform:       p.Uniform,
		until:         make([]int32, steps),
		self:          make([]int8, steps),
	}
	if p.GridOptimum != nil {
		shift := *p.GridOptimum - optimum
		run.GridShift = &shift
	}
	for k := range rules {
		run.Suboptimality[k] = make([]float64, steps)
	}
	if u := p.Uniform; u != nil && u.Std > 0 {
		_, exponent := math.Frexp(u.Std)
		run.grain = math.Ldexp(1, exponent-40)
	}
	for t := range rec.Steps {
		s := &rec.Steps[t]
		run.Regret[t] = run.round(s.Regret(optimum))
		for _, f := range s.Utility[len(s.Utility)-s.New:] {
			run.excess = max(run.excess, f-optimum)
		}
		if s.New == 0 {
			run.idle = append(run.idle, t)
		}
		run.addQuery(t, s, rec.Header.Compact)
		for k, rule := range rules {
			j := slices.IndexFunc(s.Recommendations, func(q record.Recommendation) bool { return q.Rule == rule })
			if j < 0 || k == 0 && j != 0 {
				run.Suboptimality[k][t] = math.NaN()
				continue
			}
			run.Suboptimality[k][t] = run.round(optimum - s.Recommendations[j].Utility)
			run.excess = max(run.excess, s.Recommendations[j].Utility-optimum)
		}
		run.addTotals(s.Metrics)
	}
	return run
}

// round returns the nearest multiple of the grain, 1e-12 of the standard deviation of f at random points. Two best arms
// that mirror each other have values that differ in the last bit, and so have means of the same values in another order;
// neither makes one method better than another. Sums of multiples are exact.
func (run *Run) round(v float64) float64 {
	if run.grain == 0 {
		return v
	}
	return math.Round(v/run.grain) * run.grain
}

// addQuery keeps what is to be said of a query as a whole. An imported step has no points, and not all of their utilities; a
// compact step has no points, but says whether they are the same.
func (run *Run) addQuery(t int, s *record.Step, compact bool) {
	run.self[t], run.until[t] = -1, int32(len(run.asked))
	if len(s.Points) == 0 && !compact {
		return
	}
	if run.asked == nil {
		run.asked = make([]float64, 0, len(run.until)*len(s.Utility))
	}
	run.asked = append(run.asked, s.Utility...)
	run.self[t], run.until[t] = 0, int32(len(run.asked))
	if s.Self || len(s.Points) > 0 && !slices.ContainsFunc(s.Points, func(x []float64) bool { return !slices.Equal(x, s.Points[0]) }) {
		run.self[t] = 1
	}
	if s.HeldOut != nil {
		if run.scores == nil {
			run.scores = map[int]*record.HeldOut{}
		}
		run.scores[t] = s.HeldOut
	}
}

// Rules are the recommendation rules of a record's first step, the selected one first.
func Rules(rec *record.Record) []string {
	return words.Each(rec.Steps[0].Recommendations, func(r record.Recommendation) string { return r.Rule })
}

func (run *Run) addTotals(metrics record.Metrics) {
	for i, m := range metrics {
		k := i // the order is the same at every step
		if k >= len(run.Totals) || run.Totals[k].Name != m.Name {
			k = slices.IndexFunc(run.Totals, func(t Total) bool { return t.Name == m.Name })
		}
		if k < 0 {
			k = len(run.Totals)
			run.Totals = append(run.Totals, Total{Name: m.Name, Max: math.Inf(-1)})
		}
		run.Totals[k].Sum += m.Value
		run.Totals[k].Max = max(run.Totals[k].Max, m.Value)
	}
}

// Total returns sum and maximum of the metric with a name; NaN if the algorithm has no such metric.
func (run *Run) Total(name string) Total {
	k := slices.IndexFunc(run.Totals, func(t Total) bool { return t.Name == name })
	if k < 0 {
		return Total{name, math.NaN(), math.NaN()}
	}
	return run.Totals[k]
}

// Steps is how many steps the run has.
func (run *Run) Steps() int { return len(run.Suboptimality[0]) }

// CumulativeRegret is R_t = Σ_{τ≤t} f(x*) − f(x_τ), Eq. (cumu_reg_def) of the paper.
func (run *Run) CumulativeRegret(t int) (sum float64) {
	for _, v := range run.Regret[:t] {
		sum += v
	}
	return sum
}

// cumulative are R_1, R_2, ….
func (run *Run) cumulative() []float64 {
	all, sum := make([]float64, len(run.Regret)), 0.0
	for t, v := range run.Regret {
		sum += v
		all[t] = sum
	}
	return all
}

// Regrets is how many steps have a new point, and so a term in the cumulative regret over all steps.
func (run *Run) Regrets() int { return run.Steps() - len(run.idle) }

// FinalSuboptimality returns the suboptimality of what rule k recommends after the last step.
func (run *Run) FinalSuboptimality(k int) float64 { return run.Suboptimality[k][run.Steps()-1] }

// MeanSuboptimality is the mean of rule k's suboptimality over steps from to to, both included: the smaller, the faster.
func (run *Run) MeanSuboptimality(k, from, to int) float64 {
	return stats.Mean(run.Suboptimality[k][from-1 : to])
}

// Roughness is the standard deviation of the changes of the selected rule's suboptimality after step from; NaN below two.
func (run *Run) Roughness(from int) float64 {
	s := run.Suboptimality[0]
	var d []float64
	for t := from; t < len(s); t++ {
		d = append(d, s[t]-s[t-1])
	}
	return stats.Std(d)
}

// Slight is the largest difference that counts as slight, as a share of the suboptimality of a random point: what
// POP-BO's paper calls "slightly worse" on Bukin.
const Slight = 0.134

// Unit is the mean suboptimality of a uniform random point, the unit U of suboptimalities; NaN if it is not known. It is a
// property of the instance, whichever algorithm's record has it.
func (run *Run) Unit() float64 {
	if run.Uniform == nil {
		return math.NaN()
	}
	return run.Uniform.Mean
}

// StepSeconds is the wall clock of a step, averaged over the run's; NaN if there is no measurement.
func (run *Run) StepSeconds() float64 { return stats.Mean(run.Seconds) }

// seconds of each step: to propose, and to learn from the answer and report.
func seconds(t *record.Timing) []float64 {
	if t == nil {
		return nil
	}
	s := make([]float64, len(t.AskSeconds))
	for i := range s {
		s[i] = t.AskSeconds[i] + t.TellSeconds[i]
	}
	return s
}

// Inside says after which steps the truth is in both parts of the set.
func (run *Run) Inside() []bool {
	in := slices.Clone(run.Likely)
	for t := range in {
		in[t] = in[t] && run.InBall[t]
	}
	return in
}

// inside reads off a record after which steps the truth is in each part of the confidence set; nil where this is not known.
func inside(rec *record.Record) (likely, ball []bool) {
	if rec.Header.Imported != nil { // its records lack the likelihood of the truth
		return nil, nil
	}
	if rec.Header.Oracle != nil { // the theorem is about the Bradley-Terry-Luce oracle
		return nil, nil
	}
	bounds := make([]float64, len(rec.Steps))
	for t := range rec.Steps {
		s := &rec.Steps[t]
		mle, ok1 := s.Metrics.Get("log_likelihood")
		beta, ok2 := s.Metrics.Get("beta")
		bound, ok3 := s.Metrics.Get("norm_bound")
		if !ok1 || !ok2 || !ok3 {
			return nil, nil
		}
		likely = append(likely, s.TrueLogLikelihood >= mle-beta)
		bounds[t] = bound
	}
	p := &rec.Header.Problem
	norm := p.Norm
	if norm == nil {
		if n, ok := authorsNorm(rec); ok && n.AtLeast > slices.Max(bounds) {
			norm = &n.AtLeast // a lower bound of the norm decides if it exceeds every bound
		}
	}
	if norm == nil {
		return likely, nil
	}
	return likely, words.Each(bounds, func(b float64) bool { return *norm <= b })
}

// authorsNorm is the norm of a test function in the authors' set-up, if the record has the same function, scale and kernel.
func authorsNorm(rec *record.Record) (paper.Norm, bool) {
	n, ok := paper.NormOf(rec.Header.Problem.Name)
	if !ok || !slices.Contains([]string{"std", "standardise"}, rec.Header.Problem.Scale) || len(rec.Steps) == 0 {
		return n, false
	}
	var settings struct {
		Kernel struct {
			Family   string
			Variance float64
		}
	}
	if json.Unmarshal(rec.Header.Algorithm.Settings, &settings) != nil || settings.Kernel.Family != n.Kernel || settings.Kernel.Variance != n.Variance {
		return n, false
	}
	ok = false
	for _, m := range rec.Steps[0].Metrics { // the settings may leave it to a fit
		if strings.HasPrefix(m.Name, "lengthscale_") {
			if ok = m.Value == n.Lengthscale; !ok {
				break
			}
		}
	}
	return n, ok
}
