package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/math/wide"
)

// With one comparison EP is exact. Φ(g) under N(0, v) has mass ½, mean vβ and variance v - (vβ)² with β =
// φ(0)/(½√(1+v)).
func TestEPOfOneComparison(t *testing.T) {
	for _, v := range []float64{1e-12, 0.3, 2.5, 1e8} {
		for _, scale := range []float64{0.1, 1, 3} {
			f := EP([]float64{v}, 1, Probit{scale})
			mean := v * math.Sqrt(2/math.Pi) / math.Sqrt(scale*scale+v)
			if f.Status != Converged || math.Abs(f.Mode[0]/mean-1) > 1e-9 || math.Abs(f.Evidence+math.Ln2) > 1e-9 {
				t.Errorf("v = %g, scale %g: %v, mean %g, want %g; evidence %.12g, want -log 2", v, scale, f.Status, f.Mode[0], mean, f.Evidence)
			}
			k := []float64{v}
			f.Whiten(k, k)
			if got, want := v-k[0]*k[0], v-mean*mean; math.Abs(got/want-1) > 1e-7 {
				t.Errorf("v = %g, scale %g: variance %g, want %g", v, scale, got, want)
			}
		}
	}
}

// The moments of every comparison's latent value match, computed from the public results; also if G is
// singular, has a row of zeros, or is huge.
func TestEPMatchesMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, scale := range []float64{1e-6, 1, 100, 1e4} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			for _, shape := range [][2]int{{5, 5}, {20, 7}, {40, 60}} {
				t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
					n, link := shape[0], Probit{1}
					g := randomGram(n, shape[1], scale, r)
					for i := range n { // a point against itself
						g[2*n+i], g[i*n+2] = 0, 0
					}
					f := EP(g, n, link)
					if f.Status != Converged {
						t.Fatalf("scale %g, n = %d: %v after %d sweeps, residual %g", scale, n, f.Status, f.Newton, f.Residual)
					}
					for i := range n {
						k := append([]float64(nil), g[i*n:(i+1)*n]...)
						mean := f.Mean(k)
						f.Whiten(k, k)
						v := g[i*n+i] - wide.Dot(k, k)
						tau := f.SqrtW()[i] * f.SqrtW()[i]
						nu := f.Alpha()[i] + tau*mean
						cv := v / (1 - tau*v)
						cm := (mean - v*nu) / (1 - tau*v)
						z := cm / math.Sqrt(1+cv)
						h := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (0.5 * math.Erfc(-z/math.Sqrt2))
						wantMean := cm + cv*h/math.Sqrt(1+cv)
						wantV := cv - cv*cv*h*(z+h)/(1+cv)
						if math.Abs(mean-wantMean) > 1e-8*math.Sqrt(1+v) || math.Abs(v-wantV) > 1e-8*(1+v) {
							t.Errorf("scale %g, n = %d: g[%d] has moments %g, %g, its comparison wants %g, %g", scale, n, i, mean, v, wantMean, wantV)
						}
					}
				})
			}
		})
	}
}

// The evidence, compared with a simulation of the prior: the probability that all comparisons come out the
// same. Four standard errors of 200,000 draws, with a fixed seed; EP's own error is far smaller here.
func TestEPEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	const n, draws = 4, 200_000
	a := make([]float64, n*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	g := make([]float64, n*n)
	for i := range n {
		for j := range n {
			g[i*n+j] = wide.Dot(a[i*n:(i+1)*n], a[j*n:(j+1)*n])
		}
	}
	var sum, square float64
	e := make([]float64, n)
	for range draws {
		for i := range e {
			e[i] = r.NormFloat64()
		}
		p := 1.0
		for i := range n {
			p *= 0.5 * math.Erfc(-wide.Dot(a[i*n:(i+1)*n], e)/math.Sqrt2)
		}
		sum += p
		square += p * p
	}
	mean := sum / draws
	slack := 4 * math.Sqrt(square/draws-mean*mean) / math.Sqrt(draws)
	if got := math.Exp(EP(g, n, Probit{1}).Evidence); math.Abs(got-mean) > slack {
		t.Errorf("evidence %.6f, by simulation %.6f ± %.6f", got, mean, slack)
	}
}

func TestEPOfNothing(t *testing.T) {
	f := EP(nil, 0, Probit{1})
	if f.Status != Converged || f.Evidence != 0 || f.EvidenceGrad(nil) != 0 {
		t.Errorf("status %v, evidence %g", f.Status, f.Evidence)
	}
}

func TestEPDoesNotAllocate(t *testing.T) {
	g := randomGram(30, 30, 4, rand.New(rand.NewPCG(8, 1)))
	s := new(Solver)
	s.EP(g, 30, Probit{1}).Sensitivity()
	if n := testing.AllocsPerRun(10, func() { s.EP(g, 30, Probit{1}).Sensitivity() }); n > 0 {
		t.Errorf("EP in the solver's memory allocates %g times", n)
	}
}
