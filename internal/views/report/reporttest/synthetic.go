// Package reporttest makes records for tests: runs whose regret falls as a good optimiser's would, with made-up numbers.
package reporttest

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"

	"popbench/record"
)

// Options choose the shape of the results.
type Options struct {
	Problems   []string // catalogue names; the paper's seven by default
	Algorithms []string // catalogue names; popbo by default
	Runs       int      // 30 by default
	Steps      int      // 30 by default
	Paper      string   // "test-functions" by default, "none" for no experiment
	Norm       float64  // RKHS norm of the objective, for a bound of 6; 0 if it is not known
	Snapshots  []int    // steps with beliefs; the problems are 1-D then
	Unknown    []string // problems whose optimum the records do not state
}

// shape is a problem's runs: suboptimality of a random point and of the last recommendation, and how spread it is.
type shape struct {
	title             string
	random, end, skew float64
	shift             float64 // grid optimum minus optimum
}

var shapes = map[string]shape{
	"beale":         {"Beale", 0.3, 0.004, 1.6, -4e-6},
	"branin":        {"Branin", 0.95, 0.09, 0.9, -0.004},
	"bukin6":        {"Bukin", 2.5, 1.1, 0.5, -0.28},
	"cross_in_tray": {"Cross-in-Tray", 3.2, 1.5, 0.6, -0.06},
	"eggholder":     {"Eggholder", 3.0, 2.1, 0.4, -2e-6},
	"holder_table":  {"Holder Table", 4.6, 1.9, 0.7, -0.39},
	"levy13":        {"Levy13", 1.5, 0.4, 0.8, -0.02},
}

// Results returns records as a results folder would hold them.
func Results(o Options) *Folder {
	if o.Problems == nil {
		o.Problems = []string{"beale", "branin", "bukin6", "cross_in_tray", "eggholder", "holder_table", "levy13"}
	}
	if o.Algorithms == nil {
		o.Algorithms = []string{"popbo"}
	}
	o.Runs, o.Steps = cmp.Or(o.Runs, 30), cmp.Or(o.Steps, 30)
	if o.Paper = cmp.Or(o.Paper, "test-functions"); o.Paper == "none" {
		o.Paper = ""
	}
	res := &Folder{Dir: "results/synthetic", Timings: map[string]*record.Timing{}}
	for i, p := range o.Problems {
		for j, a := range o.Algorithms {
			for n := range o.Runs {
				r := rand.New(rand.NewPCG(uint64(1000*i+10*j), uint64(n)))
				rec := newRecord(o, p, a, n, r)
				res.Records = append(res.Records, rec)
				res.Timings[rec.Header.Cell] = timing(rec)
			}
		}
	}
	return res
}

// look is how far an algorithm's runs end from the optimum, and how long they take, both relative to popbo's.
type look struct {
	label     string
	end, time float64
}

var looks = map[string]look{
	"popbo": {"POP-BO", 1, 1}, "qeubo": {"qEUBO", 1.3, 2}, "sgp": {"SGP", 1.6, 0.8}, "dts": {"DTS", 2, 10},
	"gpucb": {"GP-UCB", 0.7, 0.5}, "random": {"Random", 4, 0.01},
}

// Swept is a suite of POP-BO with four values of beta0, and random search.
func Swept() *Folder {
	in := Results(Options{Problems: []string{"branin", "levy13"}, Algorithms: []string{"popbo", "a", "b", "c", "random"}, Runs: 7, Steps: 5, Paper: "none"})
	for _, r := range in.Records {
		if a := &r.Header.Algorithm; a.Name != "random" {
			value := map[string]string{"popbo": "1", "a": "10", "b": "0.1", "c": "3"}[a.Name]
			a.Name, a.Label, a.Settings = "popbo", "beta0="+value, json.RawMessage(`{"beta":{"beta0":`+value+`}}`)
			r.Header.Cell = record.CellID(r.Header.Problem.Name, a.Label, r.Header.Repetition)
		}
	}
	return in
}

// Powers are ten runs of 50 steps with R_t = 3 t^p, p going from lo to hi.
func Powers(lo, hi float64) *Folder {
	in := Results(Options{Problems: []string{"gp1"}, Paper: "gp-1d", Runs: 10, Steps: 50})
	for i, rec := range in.Records {
		p := lo + (hi-lo)*float64(i)/9
		before := 0.0
		for k := range rec.Steps {
			r := 3 * math.Pow(float64(k+1), p)
			rec.Steps[k].Utility[1] = *rec.Header.Problem.Optimum - (r - before)
			before = r
		}
	}
	return in
}

func lookOf(algorithm string) look {
	if l, ok := looks[algorithm]; ok {
		return l
	}
	return look{algorithm, 1, 1}
}

func newRecord(o Options, problem, algorithm string, repetition int, r *rand.Rand) *record.Record {
	sh, ok := shapes[problem]
	if !ok {
		sh = shape{problem, 2, 0.5, 0.5, 0}
	}
	look, optimum := lookOf(algorithm), 1.25
	grid := optimum + sh.shift
	settings, _ := json.Marshal(map[string]any{
		"norm_bound": 6, "kernel": map[string]any{"family": "matern52", "lengthscale": []float64{1}, "variance": 1},
		"beta": map[string]any{"schedule": "sqrt(t)", "beta0": 1}, "report": "max-mle",
	})
	rec := &record.Record{
		Header: record.Header{
			Suite: "synthetic", SuiteTitle: "made-up runs for tests", Paper: o.Paper,
			Problem: record.Problem{
				Name: problem, Title: sh.title, Source: "synthetic", Lo: []float64{-5, 0}, Hi: []float64{10, 15}, Scale: "std", Factor: -1,
				Optimum: &optimum, OptimumX: [][]float64{{1, 2}}, GridOptimum: &grid,
				Uniform: &record.Uniform{Mean: sh.random, Std: sh.random * 0.6, K: o.Steps + 1, BestMean: sh.random * 0.15, BestStd: sh.random * 0.1},
			},
			Algorithm:  record.Algorithm{Name: algorithm, Label: look.label, Settings: settings, Feedback: record.Comparisons, Disclosed: record.DisclosedNone},
			Repetition: repetition, Seed: 20240705, ConfigHash: "c0ffee", Budget: o.Steps, PilotComparisons: 20, PilotPer: record.PerRepetition,
			Build: record.Build{Version: "0.1.0", Go: "go1.26", Platform: "linux/amd64"},
		},
		Footer: record.Footer{Kind: "footer", Steps: o.Steps, Status: record.OK},
	}
	if algorithm == "gpucb" {
		rec.Header.Algorithm.Feedback = record.Values
	}
	if o.Norm > 0 {
		rec.Header.Problem.Norm = &o.Norm
	}
	if o.Snapshots != nil {
		rec.Header.Problem.Lo, rec.Header.Problem.Hi = []float64{0}, []float64{10}
		rec.Header.Problem.OptimumX = [][]float64{{5}}
		rec.Header.Snapshots = o.Snapshots
	}
	rec.Header.Seal()

	luck := math.Exp(sh.skew*r.NormFloat64()) * look.end
	point := []float64{1, 2}[:len(rec.Header.Problem.Lo)]
	previous := sh.random * math.Exp(0.3*r.NormFloat64())
	for t := 1; t <= o.Steps; t++ {
		level := sh.end*luck + (sh.random-sh.end)*math.Exp(-4*float64(t)/float64(o.Steps))
		proposed := max(0, level*(1.1+0.35*r.NormFloat64())+0.2*sh.random)
		winner := 0
		if proposed < previous {
			winner = 1
		}
		report := func(rule string, worse float64) record.Recommendation {
			return record.Recommendation{Rule: rule, X: point, Utility: optimum - max(0, worse*level*(1+0.15*r.NormFloat64()))}
		}
		rec.Steps = append(rec.Steps, record.Step{
			Kind: "step", T: t, Points: [][]float64{point, point}, New: 1,
			Utility: []float64{optimum - previous, optimum - proposed}, Winner: winner,
			Recommendations: []record.Recommendation{report("max-mle", 1), report("max-mle-visited", 1.2), report("min-uncertainty", 1.7)},
			Metrics: record.Metrics{{Name: "solves", Value: 9}, {Name: "retries", Value: float64(t % 10 / 9)}, {Name: "failures", Value: 0},
				{Name: "duality_gap", Value: 1e-11 * (1 + r.Float64())}},
		})
		previous = proposed
	}
	if algorithm == "popbo" {
		rec.Header.Algorithm.InForce = &record.InForce{Kernel: &record.Kernel{Family: "matern52", Variance: 1, Lengthscale: []float64{2.5}}, NormBound: 6}
		believe(rec, o, rand.New(rand.NewPCG(7, uint64(repetition))))
	}
	if slices.Contains(o.Unknown, problem) {
		p := &rec.Header.Problem
		p.Optimum, p.OptimumX, p.GridOptimum = nil, nil, nil
		p.Uniform.Mean -= optimum
		p.Uniform.BestMean -= optimum
	}
	for _, m := range rec.Steps[0].Metrics {
		rec.Header.Algorithm.Metrics = append(rec.Header.Algorithm.Metrics, record.MetricType{Name: m.Name, Kind: kinds[m.Name]})
	}
	return rec
}

var kinds = map[string]record.Kind{
	"solves": record.Work, "retries": record.Work, "failures": record.Work, "duality_gap": record.Certificate,
	"beta": record.State, "norm_bound": record.State, "log_likelihood": record.State,
}

// believe adds a confidence set: the truth is in its likelihood part in most of the steps, and the bound on the norm is 6.
func believe(rec *record.Record, o Options, r *rand.Rand) {
	last := []float64{10 * r.Float64()}
	luck := 0.2 + 0.6*r.Float64()
	for i := range rec.Steps {
		s := &rec.Steps[i]
		t := float64(s.T)
		s.TrueLogLikelihood = min(-0.3*t-luck*math.Sqrt(t)*(1+0.3*r.NormFloat64()), -0.3*t)
		s.Metrics = append(record.Metrics{{Name: "beta", Value: math.Sqrt(t)}, {Name: "norm_bound", Value: 6}, {Name: "log_likelihood", Value: -0.3 * t}},
			s.Metrics...)
		if o.Snapshots == nil {
			continue
		}
		x := []float64{10 * r.Float64()}
		s.Points, last = [][]float64{last, x}, x
		for k := range s.Recommendations {
			s.Recommendations[k].X = x
		}
		if !slices.Contains(o.Snapshots, s.T) {
			continue
		}
		b := &record.Belief{}
		for k := range 41 {
			at := float64(k) / 4
			f := 3*math.Exp(-(at-7)*(at-7)) - 2*math.Exp(-(at-3)*(at-3)/2)
			b.X = append(b.X, at)
			b.Utility = append(b.Utility, f)
			b.Estimate = append(b.Estimate, f*(1-2/(2+t))+0.3)
			half := 8/math.Sqrt(t) + 0.5*math.Cos(at)
			b.Lower = append(b.Lower, f-half)
			b.Upper = append(b.Upper, f+1.2*half)
		}
		s.Belief = b
	}
}

// timing is made up too: steps take longer and longer, the last of a run a while.
func timing(rec *record.Record) *record.Timing {
	t := &record.Timing{Cell: rec.Header.Cell, Host: "here", CPU: "Some CPU", Workers: 2, Started: "2024-07-05T12:00:00Z"}
	factor := lookOf(rec.Header.Algorithm.Name).time
	for i := range rec.Steps {
		t.AskSeconds = append(t.AskSeconds, factor*1e-3*float64(i+1))
		t.TellSeconds = append(t.TellSeconds, factor*0.5e-3*float64(1+rec.Header.Repetition))
	}
	t.TellSeconds[len(t.TellSeconds)-1] += factor * 0.1
	return t
}

// Moments are the mean and the standard deviation, without the help of what is tested.
func Moments(x []float64) (mean, std float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std / float64(len(x)-1))
}
