package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/math/wide"
)

// Draws of six latent values, four of which were compared, have the posterior's moments: prior draws A e are
// corrected. Each moment is within five standard errors of 100,000 draws, with a fixed seed.
func TestPathwiseMoments(t *testing.T) {
	const all, n, draws = 6, 4, 100_000
	r := rand.New(rand.NewPCG(10, 1))
	a := make([]float64, all*all)
	for i := range a {
		a[i] = 1.5 * r.NormFloat64()
	}
	cov := make([]float64, all*all)
	for i := range all {
		for j := range all {
			cov[i*all+j] = wide.Dot(a[i*all:(i+1)*all], a[j*all:(j+1)*all])
		}
	}
	g := make([]float64, 0, n*n)
	for i := range n {
		g = append(g, cov[i*all:i*all+n]...)
	}
	f := Laplace(g, n, Logit{}, nil)

	sum, square := make([]float64, all), make([]float64, all*all)
	e, h, noise := make([]float64, all), make([]float64, all), make([]float64, n)
	for range draws {
		for i := range e {
			e[i] = r.NormFloat64()
		}
		mulSym(h, a, e, all)
		for i := range noise {
			noise[i] = r.NormFloat64()
		}
		f.Pathwise(noise, h[:n], noise)
		for i := range h {
			h[i] += wide.Dot(cov[i*all:i*all+n], noise) - f.Mean(cov[i*all:i*all+n])
		}
		for i, v := range h {
			sum[i] += v
			for j, w := range h {
				square[i*all+j] += v * w
			}
		}
	}
	white := append([]float64(nil), cov...)
	post := func(i, j int) float64 {
		vi, vj := make([]float64, n), make([]float64, n)
		f.Whiten(vi, white[i*all:i*all+n])
		f.Whiten(vj, white[j*all:j*all+n])
		return cov[i*all+j] - wide.Dot(vi, vj)
	}
	for i := range all {
		if slack := 5 * math.Sqrt(post(i, i)/draws); math.Abs(sum[i]/draws) > slack {
			t.Errorf("value %d: the draws' mean is off by %.4f, slack %.4f", i, sum[i]/draws, slack)
		}
		for j := range i + 1 {
			want := post(i, j)
			slack := 5 * math.Sqrt((post(i, i)*post(j, j)+want*want)/draws)
			if got := square[i*all+j] / draws; math.Abs(got-want) > slack {
				t.Errorf("values %d, %d: the draws' covariance is %.4f, the posterior's %.4f, slack %.4f", i, j, got, want, slack)
			}
		}
	}
}
