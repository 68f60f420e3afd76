package problems

import (
	"math"
	"strings"
	"testing"

	"popbench/gpsample"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// The facts that the paper and its authors' program state about the problems they draw.
func TestDrawnProblems(t *testing.T) {
	for _, want := range []struct {
		name        string
		dim, grid   int // points of the grid, 0 for none
		family      string
		lengthscale float64
		how         string
	}{
		{"gp1", 1, 30, "se-paper", 1, "proved by branch and bound: nowhere better by more than"},
		{"gp1_authors_code", 1, 30, "se-half", 1, "proved by branch and bound: nowhere better by more than"},
		{"gp2", 2, 100, "se-paper", 1, "proved by branch and bound: nowhere better by more than"},
		{"gp7", 7, 0, "se-paper", 13.228756555322953, "the best of 64 local searches, not proved"},
		{"gp12", 12, 0, "se-paper", 17.32050807568877, "the best of 64 local searches, not proved"},
	} {
		t.Run(want.name, func(t *testing.T) {
			s := lookup(t, want.name)
			k := *s.Kernel
			check.Equal(t, "kernel", k.String(), kernel.Config{Family: want.family, Variance: 9, Lengthscale: []float64{want.lengthscale}}.String())
			for seed := range uint64(3) {
				p := check.Must(s.Instance(Raw, stream(seed)))(t)
				check.Same(t, "box", p.Box, space.Cube(want.dim, 0, 10))
				check.That(t, p.Factor == 1 && p.Shift == 0, "factor %g, shift %g, want 1 and 0", p.Factor, p.Shift)
				if !strings.HasPrefix(p.Optimum.How, want.how) || p.Value(p.Optimum.X[0]) != p.Optimum.Value {
					t.Errorf("%s: the optimum is %+v, the value there %g", want.name, p.Optimum, p.Value(p.Optimum.X[0]))
				}
				if p.RKHS.Kernel.String() != k.String() || p.RKHS.Norm <= 0 || p.RKHS.NormBound < 1.1*p.RKHS.Norm {
					t.Errorf("%s: drawn from %+v", want.name, p.RKHS)
				}
				check.That(t, p.HasGrid() == (want.grid > 0), "%s: HasGrid is %t", want.name, p.HasGrid())
				if p.HasGrid() {
					points := p.Box.Grid(int(math.Round(math.Pow(float64(want.grid), 1/float64(want.dim)))))
					best := math.Inf(-1)
					for i := 0; i < len(points); i += want.dim {
						best = max(best, p.Value(points[i:i+want.dim]))
					}
					if g := p.Grid(); math.Abs(g.Max-best) > 1e-4 || !g.Complete || g.Max > p.Optimum.Value {
						t.Errorf("%s: the grid's maximum is %.10g, over %d points %.10g", want.name, g.Max, len(points)/want.dim, best)
					}
				}
			}
		})
	}
	if deterministic := instance(t, "beale", Std); deterministic.RKHS != nil || lookup(t, "beale").Kernel != nil {
		t.Error("beale is said to be drawn")
	}
}

// The instances come from the generator of gpsample that the name says.
func TestDrawnProblemsAreGpsamples(t *testing.T) {
	x := []float64{3.7}
	want := check.Must(gpsample.Draw(kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{1}}, space.Cube(1, 0, 10), 10, stream(5)))(t)
	code := check.Must(gpsample.DrawAuthorsCode(kernel.Config{Family: "se-half", Variance: 9, Lengthscale: []float64{1}}, space.Cube(1, 0, 10), 10, stream(5)))(t)
	for name, f := range map[string]*gpsample.Function{"gp1": want, "gp1_authors_code": code} {
		p := check.Must(lookup(t, name).Instance(Raw, stream(5)))(t)
		if p.Value(x) != f.Value(x) || p.RKHS.Norm != f.Norm() || p.RKHS.NormBound != f.NormBound() {
			t.Errorf("%s is not the function that is drawn for it", name)
		}
	}
}
