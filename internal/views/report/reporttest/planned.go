package reporttest

import (
	"encoding/json"
	"slices"

	"popbench/record"
)

// Plan says what records are to show: whoever writes it knows what a report must find in them.
type Plan struct {
	Suite, Paper     string
	Problems, Labels []string
	Runs, Steps      int
	Rules            []string // of reporting, first the selected one
	// Regret is f(x*) − f(x_t) of run i after step t, from 1; Suboptimality is the same for the point that a rule reports;
	// Random is a random point's, on average.
	Regret        func(problem, label string, i, t int) float64
	Suboptimality func(problem, label, rule string, i, t int) float64
	Random        float64
	Seconds       func(label string, i int) float64 // of a step
}

// Results are records after the plan, on functions with an optimum of 1 at 0.
func (p Plan) Results() *Folder {
	res := &Folder{Dir: "results/" + p.Suite, Timings: map[string]*record.Timing{}}
	for _, problem := range p.Problems {
		for _, label := range p.Labels {
			for i := range p.Runs {
				rec := p.record(problem, label, i)
				res.Records = append(res.Records, rec)
				res.Timings[rec.Header.Cell] = &record.Timing{Cell: rec.Header.Cell, CPU: "Some CPU", Workers: 1,
					AskSeconds: slices.Repeat([]float64{p.Seconds(label, i)}, p.Steps), TellSeconds: make([]float64, p.Steps)}
			}
		}
	}
	return res
}

func (p Plan) record(problem, label string, i int) *record.Record {
	const optimum = 1
	rec := &record.Record{
		Header: record.Header{
			Suite: p.Suite, Paper: p.Paper, Repetition: i, Seed: 1, ConfigHash: "c0ffee", Budget: p.Steps,
			Problem: record.Problem{Name: problem, Title: problem, Lo: []float64{-1}, Hi: []float64{1}, Scale: "raw", Factor: 1,
				Optimum: new(float64(optimum)), Uniform: &record.Uniform{Mean: p.Random, K: p.Steps + 1}},
			Algorithm: record.Algorithm{Name: label, Label: label, Settings: json.RawMessage("{}"), Feedback: record.Comparisons,
				Disclosed: record.DisclosedNone},
			Build: record.Build{Version: "0.1.0", Go: "go1.26", Platform: "linux/amd64"},
		},
		Footer: record.Footer{Kind: "footer", Steps: p.Steps, Status: record.OK},
	}
	rec.Header.Seal()
	for t := 1; t <= p.Steps; t++ {
		s := record.Step{Kind: "step", T: t, Points: [][]float64{{0}, {0}}, New: 1, Utility: []float64{optimum, optimum - p.Regret(problem, label, i, t)}}
		for _, rule := range p.Rules {
			s.Recommendations = append(s.Recommendations,
				record.Recommendation{Rule: rule, X: []float64{0}, Utility: optimum - p.Suboptimality(problem, label, rule, i, t)})
		}
		rec.Steps = append(rec.Steps, s)
	}
	return rec
}

// Ackley returns runs of the paper's 6-D suite. qEUBO has half of POP-BO's regret, as the paper claims (claim ack-1), and a
// far better recommendation, which contradicts it (ack-2).
func Ackley(runs int) *Folder {
	return Plan{
		Suite: "paper-ackley-6d", Paper: "ackley-6d",
		Problems: []string{"ackley6"}, Labels: []string{"POP-BO", "qEUBO"}, Runs: runs, Steps: 3, Rules: []string{"max-mle"}, Random: 1,
		Regret: func(_, label string, i, t int) float64 {
			return map[string]float64{"POP-BO": 2, "qEUBO": 1}[label] + 0.01*float64(i)
		},
		Suboptimality: func(_, label, _ string, i, t int) float64 {
			return map[string]float64{"POP-BO": 0.9, "qEUBO": 0.1}[label] + 0.01*float64(i%3)
		},
		Seconds: func(string, int) float64 { return 0.01 },
	}.Results()
}
