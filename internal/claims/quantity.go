package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Labels of the paper's methods in the suites.
const (
	popbo = "POP-BO"
	qeubo = "qEUBO"
	sgp   = "SGP"
	dts   = "DTS"
	// small is POP-BO with the β0 of the authors' program, 0.1, on the functions
	// where the text has 1.
	small = "POP-BO, beta0 = 0.1"
)

// Place is a problem of a suite.
type Place struct {
	Suite   string `json:"suite"`
	Problem string `json:"problem"`
}

// Sample is a list of quantities of the runs on one problem, paired by repetition: with the
// same function, start and oracle.
type Sample struct {
	Place
	Quantities []Quantity
}

func (p Place) sample(q ...Quantity) Sample { return Sample{p, q} }

// on are samples of the same quantities on each of several problems.
func on(problems []Place, q ...Quantity) []Sample {
	return words.Each(problems, func(p Place) Sample { return p.sample(q...) })
}

func places(suite string, problems ...string) []Place {
	return words.Each(problems, func(p string) Place { return Place{suite, p} })
}

// Quantity is a number of each run of the algorithm with a label.
type Quantity struct {
	Name   document.Text
	Label  string
	rule   string // recommendation rule; "" for the one that the settings select
	Of     func(g *outcome.Group, run *outcome.Run) (float64, error)
	Ranged bool           // it lies between 0 and the range of the function
	Clock  bool           // it is measured in seconds
	Shown  outcome.Metric // whose curves show it in a report; "" if none do
}

// Text is "S_T(POP-BO)" or "S_T(POP-BO, max-mle)".
func (q Quantity) Text() document.Text {
	if q.rule == "" {
		return document.Textf("%s(%s)", q.Name, q.Label)
	}
	return document.Textf("%s(%s, %s)", q.Name, q.Label, q.rule)
}

// Last stands for the last step.
const Last = 0

func stepName(t int) string {
	if t == Last {
		return "T"
	}
	return strconv.Itoa(t)
}

// reached returns step t, or the run's last step if t is last.
func reached(run *outcome.Run, t int) (int, error) {
	switch n := run.Steps(); {
	case t == Last:
		return n, nil
	case t > n:
		return 0, fmt.Errorf("runs have %d steps, the claim is about step %d", n, t)
	}
	return t, nil
}

// Regret is R_t, the cumulative regret after step t.
func Regret(label string, t int) Quantity {
	return Quantity{Name: document.Textf("$R_{%s}$", stepName(t)), Label: label, Shown: outcome.CumulativeRegret,
		Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
			t, err := reached(run, t)
			if err != nil {
				return 0, err
			}
			return run.CumulativeRegret(t), nil
		}}
}

// Suboptimality is S_t, the suboptimality of the point that the selected rule recommends after step t.
func Suboptimality(label string, t int) Quantity { return suboptimalityBy("", label, t) }

// suboptimalityBy is S_t by another recommendation rule; "" is the selected one.
func suboptimalityBy(rule, label string, t int) Quantity {
	q := meanSuboptimality(rule, label, t, t)
	q.Name = document.Textf("$S_{%s}$", stepName(t))
	return q
}

// changed is the quantity with another name and its numbers changed.
func (q Quantity) changed(name document.Text, by func(v float64, run *outcome.Run) float64) Quantity {
	of := q.Of
	q.Name, q.Ranged = name, false
	q.Of = func(g *outcome.Group, run *outcome.Run) (float64, error) {
		v, err := of(g, run)
		return by(v, run), err
	}
	return q
}

// score is f at the recommendation after step t, in the scale of the suite.
func score(label string, t int) Quantity {
	return Suboptimality(label, t).changed(document.Textf("$g_{%s}$", stepName(t)), func(v float64, run *outcome.Run) float64 { return run.Optimum - v })
}

// meanSuboptimality is the mean of S_t over the steps from to to, both included. Fast
// convergence makes it small.
func meanSuboptimality(rule, label string, from, to int) Quantity {
	return Quantity{Name: document.Textf(`mean $S_{%d{\dots}%s}$`, from, stepName(to)), Label: label, rule: rule, Ranged: true, Shown: outcome.Suboptimality,
		Of: func(g *outcome.Group, run *outcome.Run) (float64, error) {
			k := 0
			if rule != "" {
				k = slices.Index(g.Rules, rule)
			}
			if k < 0 || k >= len(run.Suboptimality) {
				return 0, fmt.Errorf("records have no recommendation by %s", rule)
			}
			from, err := reached(run, from)
			if err != nil {
				return 0, err
			}
			to, err := reached(run, to)
			if err != nil {
				return 0, err
			}
			return run.MeanSuboptimality(k, from, to), nil
		}}
}

// roughness is the standard deviation of S_t − S_{t−1} over the steps of a run
// after step from.
func roughness(label string, from int) Quantity {
	return Quantity{Name: document.Textf("std of ΔS after %d", from), Label: label, Shown: outcome.Suboptimality,
		Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
			if _, err := reached(run, from+2); err != nil {
				return 0, err
			}
			return run.Roughness(from), nil
		}}
}

// capped is a suboptimality of at most U, a uniform random point's: how far a run goes astray does not count.
func capped(s Quantity) Quantity {
	return s.changed("min("+s.Name+", $U$)", func(v float64, run *outcome.Run) float64 { return min(v, run.Unit()) })
}

// Unit is the name of the unit of suboptimalities. It does not depend on pilots.
const Unit = "U"

// random is U, the mean suboptimality of a uniform random point, which is the unit of
// suboptimalities. It is a property of the instance; any algorithm's record has it.
func random(label string) Quantity {
	return Quantity{Name: Unit, Label: label, Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
		if run.Uniform == nil {
			return 0, errors.New("records do not say how far from the optimum a random point is")
		}
		return run.Unit(), nil
	}}
}

// Seconds is the elapsed time of a step, averaged over the steps of a run.
func Seconds(label string) Quantity {
	return Quantity{Name: "seconds a step", Label: label, Clock: true, Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
		if run.Seconds == nil {
			return 0, fmt.Errorf("there are runs without a timing file")
		}
		return run.StepSeconds(), nil
	}}
}

// whole returns the quantity of a metric of the whole run, for the algorithm with a label.
func whole(name outcome.Metric) func(label string) Quantity {
	m := outcome.Find(name)
	return measured(document.Text(m.Title), name, m.Final)
}

// tail is the number of steps at the end of a run over which lately averages.
const tail = 50

// lately returns the quantity of a metric's mean over the last steps of a run.
func lately(name outcome.Metric) func(label string) Quantity {
	m := outcome.Find(name)
	return measured(document.Textf("%s a step, last %d", m.Title, tail), name, func(run *outcome.Run) float64 {
		steps := m.Steps(run)
		return stats.Mean(steps[max(0, len(steps)-tail):])
	})
}

func measured(name document.Text, metric outcome.Metric, of func(*outcome.Run) float64) func(label string) Quantity {
	return func(label string) Quantity {
		return Quantity{Name: name, Label: label, Shown: metric, Of: func(_ *outcome.Group, run *outcome.Run) (float64, error) {
			v := of(run)
			if math.IsNaN(v) {
				return 0, errors.New("records do not have it")
			}
			return v, nil
		}}
	}
}
