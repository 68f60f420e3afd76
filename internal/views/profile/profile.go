// Package profile measures how soon the runs of a results folder reach targets, and which
// algorithm does best. It uses the statistics of benchmarks of stochastic optimisers: expected
// running times and runtime profiles (Hansen et al. 2021, COCO), performance profiles (Dolan &
// Moré 2002), and average ranks with their critical difference (Friedman 1937, Nemenyi 1963,
// Demšar 2006). It reads only records.
//
//	outcome.Results → New → Profile → Document, WriteCSV
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/words"
)

// Options of a profile.
type Options struct {
	// Targets are numbers of single steps: suboptimalities of the recommended point, by the selected rule, or values of
	// Metric. They are shares of the mean suboptimality of a uniform random point, so that they mean the same on all
	// problems, or probabilities if the metric is one. A target is reached at the step from which on every recommendation
	// meets it, not at the first step that does, as COCO has it for algorithms that see values and can keep the best point:
	// here an algorithm that recommends a good point by luck may recommend a worse one later.
	Targets     []float64
	Metric      *outcome.Measure // nil for the suboptimality
	NoIntervals bool             // leave the intervals out, which take most of the time
}

// relative reports whether targets are shares of a random point's suboptimality.
func (o Options) relative() bool { return o.Metric.Unit == outcome.Utility }

// Default returns targets from one half to one hundredth of a random point's suboptimality.
func Default() Options {
	return Options{Targets: []float64{0.5, 0.2, 0.1, 0.05, 0.02, 0.01}}
}

// Profile holds the statistics of the runs and targets of a results folder.
type Profile struct {
	Suite      string
	Steps      int     // of every run
	Options    Options // targets sorted, easiest first
	Algorithms []string
	Problems   []*Problem
	// Runtimes are the empirical distributions of the steps to a target, over all problems, targets and runs: the shares
	// reached after step 1, 2, … of each algorithm.
	Runtimes [][]float64
	// Ratios are expected running times divided by the fastest algorithm's, for the performance profile: [problem and
	// target][algorithm]. +Inf if no run reached the target.
	Ratios   [][]float64
	Ranks    judge.Ranks // of the mean of the metric after the last step
	Warnings []string    // shown before everything else
	Notes    []string

	few bool // some algorithm has too few runs on a problem for any verdict
}

// Problem has the outcomes on one problem, one for each algorithm.
type Problem struct {
	*outcome.Group // its first
	Outcomes       []Outcome
}

// Outcome is the outcome of one algorithm on one problem.
type Outcome struct {
	Targets []Target
	Final   float64 // mean of the metric after the last step
}

// Target says how soon the runs reach one target.
type Target struct {
	Attempts []stats.Attempt
	Reached  stats.Share
	ERT      float64        // expected running time, in steps; +Inf if no run reaches it
	CI       stats.Interval // of ERT
}

// New profiles the results. It leaves out, with a note, problems on which an algorithm has no complete run or a random
// point's suboptimality is unknown. It returns an error if no problem remains, or if no single step has the metric.
func New(r *outcome.Results, o Options) (*Profile, error) {
	if o.Metric == nil {
		o.Metric = outcome.Find(outcome.Suboptimality)
	}
	if m := o.Metric; !m.AgainstOptimum() || m.Over == outcome.Whole {
		return nil, fmt.Errorf("no single step reaches a target of %s; take another metric, e.g. %s", m.Title, outcome.BestAskedRegret)
	}
	o.Targets = slices.Compact(slices.SortedFunc(slices.Values(o.Targets), func(a, b float64) int { return cmp.Compare(b, a) }))

	p := &Profile{Suite: r.Suite, Steps: r.Steps, Options: o, Warnings: r.Warnings, Notes: slices.Clone(r.Notes)}
	for _, g := range r.Groups {
		if p.without(g) {
			p.Notes = words.Include(p.Notes, fmt.Sprintf("%s: left out, because targets are relative to random points, of which imported numbers say nothing.",
				g.Algorithm.Label))
			continue
		}
		if label := g.Algorithm.Label; !slices.Contains(p.Algorithms, label) {
			p.Algorithms = append(p.Algorithms, label)
		}
		for _, n := range g.Notes {
			about := g.Algorithm.Label + " on " + g.Name()
			if g.BestFound != nil && n == g.BestFound.Note() {
				about = g.Name() // the same for all algorithms
			}
			p.Notes = words.Include(p.Notes, about+": "+n)
		}
	}
	if p.Algorithms == nil {
		return nil, errors.New("all numbers were imported, and say nothing of random points, of which targets are shares; give a folder with runs of bench")
	}
	if err := p.addProblems(r); err != nil {
		return nil, err
	}
	p.sumUp()
	return p, nil
}

func (p *Profile) without(g *outcome.Group) bool { return g.Imported != nil && p.Options.relative() }

func (p *Profile) addProblems(r *outcome.Results) error {
	var left []string
	var noUnit []error
	some := *r
	some.Groups = words.Only(r.Groups, func(g *outcome.Group) bool { return !p.without(g) })
	for _, first := range some.Problems() {
		var unitless error
		problem := &Problem{Group: first}
		for _, label := range p.Algorithms {
			g := r.Group(problem.Problem.Name, label)
			if g == nil || len(g.Runs) == 0 {
				break
			}
			var outcome Outcome
			if outcome, unitless = p.outcome(g); unitless != nil {
				break
			}
			problem.Outcomes = append(problem.Outcomes, outcome)
		}
		switch {
		case unitless != nil:
			noUnit = append(noUnit, unitless)
		case len(problem.Outcomes) < len(p.Algorithms):
			left = append(left, problem.Name())
		default:
			p.Problems = append(p.Problems, problem)
		}
	}
	switch {
	case len(p.Problems) == 0 && noUnit != nil:
		return noUnit[0]
	case len(p.Problems) == 0:
		return fmt.Errorf("no problem has a complete run of each of %s; let bench run finish", strings.Join(p.Algorithms, ", "))
	}
	if left != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("Left out, because some algorithm has no complete run: %s.", strings.Join(left, ", ")))
	}
	for _, err := range noUnit {
		p.Notes = append(p.Notes, fmt.Sprintf("Left out: %s.", err))
	}
	return nil
}

func (p *Profile) outcome(g *outcome.Group) (Outcome, error) {
	var o Outcome
	p.few = p.few || len(g.Runs) < stats.MinRuns
	final, each := make([]float64, len(g.Runs)), make([][]float64, len(g.Runs)) // each by step
	for i, run := range g.Runs {
		if final[i] = p.Options.Metric.Final(run); math.IsNaN(final[i]) {
			return o, fmt.Errorf("some run of %s on %s does not have the %s", g.Algorithm.Label, g.Name(), p.Options.Metric.Title)
		}
		each[i] = p.Options.Metric.Levels(run)
	}
	o.Final = stats.Mean(final)
	for _, target := range p.Options.Targets {
		var t Target
		for i, run := range g.Runs {
			level := target
			if p.Options.relative() {
				if run.Uniform == nil {
					return o, fmt.Errorf("the records of %s lack the suboptimality of a random point, of which targets are shares; run the suite again",
						g.Name())
				}
				if g.BestFound != nil && run.Unit() <= 0 {
					return o, fmt.Errorf("no run on %s found a value above the average of random points, so there is no unit for the targets; more runs or steps may find one",
						g.Name())
				}
				level *= run.Unit()
			}
			t.Attempts = append(t.Attempts, stats.Reach(each[i], level))
		}
		t.Reached, t.ERT = stats.Reached(t.Attempts), stats.ERT(t.Attempts)
		if t.CI = stats.NoInterval(); !p.Options.NoIntervals {
			t.CI = stats.BootstrapERT(t.Attempts)
		}
		o.Targets = append(o.Targets, t)
	}
	return o, nil
}

// sumUp adds the statistics over all problems.
func (p *Profile) sumUp() {
	for a := range p.Algorithms {
		var all []stats.Attempt
		for _, problem := range p.Problems {
			for _, t := range problem.Outcomes[a].Targets {
				all = append(all, t.Attempts...)
			}
		}
		p.Runtimes = append(p.Runtimes, stats.ReachedBy(all, p.Steps))
	}
	var cost [][]float64
	for _, problem := range p.Problems {
		for k := range p.Options.Targets {
			cost = append(cost, words.Each(problem.Outcomes, func(o Outcome) float64 { return o.Targets[k].ERT }))
		}
	}
	p.Ratios = stats.PerformanceRatios(cost)
	final := func(o Outcome) float64 { return o.Final }
	p.Ranks = judge.NewRanks(words.Each(p.Problems, func(p *Problem) []float64 { return words.Each(p.Outcomes, final) }), p.few)
}
