package claimstest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"popbench/internal/claims"
	"popbench/internal/views/report/reporttest"
)

// Trial is a study of one suite whose suboptimalities after the last step are drawn: the mean of each label and problem,
// with exponentially distributed noise of the given size.
type Trial struct {
	Claims []claims.Claim
	Mean   map[string]float64 // by "problem/label"
	Noise  float64
}

// Study has the claims of the trial.
func (tr Trial) Study() *claims.Study {
	return &claims.Study{Name: "trial", Paper: "A paper", Claims: func() []claims.Claim { return tr.Claims }}
}

// Records are the runs of the repetitions below n.
func (tr Trial) Records(n int) *reporttest.Folder {
	p := reporttest.Plan{Suite: "s", Problems: []string{"p", "q"}, Labels: []string{"a", "b", "c", "d"}, Runs: n, Steps: 2, Rules: []string{"selected"},
		Random: 1}
	draw := func(problem, label string, i int) float64 {
		h := fnv.New64a()
		fmt.Fprint(h, problem, label)
		r := rand.New(rand.NewPCG(h.Sum64(), uint64(i)))
		noise := tr.Noise
		if label == "d" {
			noise *= 20
		}
		return tr.Mean[problem+"/"+label] + noise*(r.ExpFloat64()-1)
	}
	p.Regret = func(problem, label string, i, t int) float64 { return draw(problem, label, i) + float64(t)/10 }
	p.Suboptimality = func(problem, label, rule string, i, t int) float64 { return draw(problem, label, i) }
	p.Seconds = func(string, int) float64 { return 1 }
	return p.Results()
}

// All is enough runs for every look of the usual plan.
const All = 30 + 480

// Claim makes a claim of parts.
func Claim(id string, parts ...claims.Check) claims.Claim {
	return claims.Claim{ID: id, Where: "here", Short: "s", Says: "s", Read: "r", Parts: parts}
}

func beside(c claims.Claim, checks ...claims.Check) claims.Claim {
	c.Beside = checks
	return c
}

// Place is where the claims of trials are.
var Place = claims.Place{Suite: "s", Problem: "p"}

// Final is the difference of two labels after the last step.
func Final(a, b string, r claims.Region) claims.Check {
	return claims.Gap(Place, claims.Suboptimality(a, claims.Last), claims.Suboptimality(b, claims.Last), r)
}

// Usual has a label that is better, two that are equal, and a noisy one.
var Usual = Trial{
	Claims: []claims.Claim{
		beside(Claim("lower", Final("a", "b", claims.Below(0))), Final("a", "c", claims.Below(0))),
		Claim("higher", Final("a", "b", claims.Above(0))),
		Claim("equal", Final("b", "c", claims.Below(0))),
		Claim("noisy", Final("b", "d", claims.Below(0))),
		Claim("two parts", Final("a", "b", claims.Below(0)), Final("b", "c", claims.Below(0))),
		Claim("one fails", Final("b", "d", claims.Below(0)), Final("b", "a", claims.Below(0))),
		Claim("interval", Final("b", "a", claims.Between(0.25, 0.35))),
		Claim("ratio", claims.Ratio(Place, claims.Suboptimality("b", claims.Last), claims.Suboptimality("a", claims.Last), claims.Above(2))),
		Claim("slope", claims.Order(Place, "a", 1, 2, claims.Above(0.5))),
		Claim("seconds", claims.Mean(Place, claims.Seconds("a"), claims.Below(2))),
	},
	Mean:  map[string]float64{"p/a": 0.2, "p/b": 0.5, "p/c": 0.5, "p/d": 0.5},
	Noise: 0.1,
}
