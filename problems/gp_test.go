package problems

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/gpsample"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// Problems are drawn as the paper and its authors' program state: by that generator of gpsample, with that kernel and box.
func TestDrawnProblems(t *testing.T) {
	const proved, searched = "proved by branch and bound: nowhere better by more than", "the best of 64 local searches, not proved"
	for _, want := range []struct {
		name        string
		draw        func(kernel.Config, space.Box, int, *rand.Rand) (*gpsample.Function, error)
		dim, grid   int // points of the grid, 0 for none
		family      string
		lengthscale float64
		how         string
	}{
		{"gp1", gpsample.Draw, 1, 30, "se-paper", 1, proved},
		{"gp1_authors_code", gpsample.DrawAuthorsCode, 1, 30, "se-half", 1, proved},
		{"gp2", gpsample.Draw, 2, 100, "se-paper", 1, proved},
		{"gp7", gpsample.Draw, 7, 0, "se-paper", 13.228756555322953, searched},
		{"gp12", gpsample.Draw, 12, 0, "se-paper", 17.32050807568877, searched},
	} {
		s := lookup(t, want.name)
		k := kernel.Config{Family: want.family, Variance: 9, Lengthscale: []float64{want.lengthscale}}
		check.Equal(t, want.name+": kernel", s.Kernel.String(), k.String())
		for seed := range uint64(3) {
			p := check.Must(s.Instance(Raw, stream(seed)))(t)
			f := check.Must(want.draw(k, space.Cube(want.dim, 0, 10), 10, stream(seed)))(t)
			x := p.Box.Sample(make([]float64, want.dim), stream(9))
			check.Same(t, want.name+": box", p.Box, f.Box())
			check.Same(t, want.name+": value and scale", []float64{p.Value(x), p.Factor, p.Shift}, []float64{f.Value(x), 1, 0})
			check.Same(t, want.name+": RKHS", *p.RKHS, RKHS{Kernel: *s.Kernel, Norm: f.Norm(), NormBound: f.NormBound()})
			check.That(t, strings.HasPrefix(p.Optimum.How, want.how) && p.Value(p.Optimum.X[0]) == p.Optimum.Value, "%s: the optimum is %+v", want.name, p.Optimum)
			check.Equal(t, want.name+": it has a grid", p.HasGrid(), want.grid > 0)
			if p.HasGrid() {
				points := p.Box.Grid(int(math.Round(math.Pow(float64(want.grid), 1/float64(want.dim)))))
				best := math.Inf(-1)
				for i := 0; i < len(points); i += want.dim {
					best = max(best, p.Value(points[i:i+want.dim]))
				}
				g := p.Grid()
				check.Near(t, g.Max, best, 1e-4, "%s: the grid's maximum", want.name)
				check.That(t, g.Complete && g.Max <= p.Optimum.Value, "%s: the grid is %+v", want.name, g)
			}
		}
	}
	check.That(t, instance(t, "beale", Std).RKHS == nil && lookup(t, "beale").Kernel == nil, "beale is said to be drawn")
}
