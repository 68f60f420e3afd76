package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"popbench/gpsample"
	"popbench/kernel"
	"popbench/space"
)

const (
	gpSource = "Xu et al. (2024), Principled Preferential Bayesian Optimization, "
	gpKnots  = 10 // as in the authors' program; the paper does not state the number
)

// Functions drawn anew for each repetition. Their values are not rescaled: the kernel's variance of
// 9 sets their scale.
var gaussian = []*Spec{
	drawn("gp1", "GP (1-D)",
		"interpolant of a Gaussian process's values at 10 random knots: some bumps on a plain",
		gpSource+"Sec. 6.1, which does not state dimension and box: they are its authors' program's",
		gpPaper(1), 1, 30, gpsample.Draw),
	drawn("gp1_authors_code", "GP (1-D, authors' code)",
		"what the published program draws for the paper's 1-D experiment: bumps at 0, 5 and 10 only, seen through 10 random knots",
		gpSource+"program published with it, popbo/util.py",
		kernel.Config{Family: "se-half", Variance: 9, Lengthscale: []float64{1}}, 1, 30, gpsample.DrawAuthorsCode),
	drawn("gp2", "GP (2-D)",
		"interpolant of a Gaussian process's values at 10 random knots: isolated bumps on a plain",
		gpSource+"Sec. 6.1, taken to two dimensions",
		gpPaper(1), 2, 10, gpsample.Draw),
	drawn("gp7", "GP (7-D)",
		"interpolant of a Gaussian process's values at 10 random knots: smooth over the whole box, the optimum often on its boundary",
		gpSource+`App. "Higher-Dimensional Problems Sampled from Gaussian Process"`,
		gpPaper(5*math.Sqrt(7)), 7, 10, gpsample.Draw),
	drawn("gp12", "GP (12-D)",
		"interpolant of a Gaussian process's values at 10 random knots: smooth over the whole box, the optimum often on its boundary",
		gpSource+"Sec. 6.3, which does not state the kernel's parameters: they are gp7's by analogy, with lengthscale 5√12",
		gpPaper(5*math.Sqrt(12)), 12, 10, gpsample.Draw),
}

// gpPaper is the paper's kernel 9 exp(-‖x-x'‖²/l²).
func gpPaper(lengthscale float64) kernel.Config {
	return kernel.Config{Family: "se-paper", Variance: 9, Lengthscale: []float64{lengthscale}}
}

// drawn is a problem of random functions on [0, 10]^d with kernel k. The authors' program
// searches a grid with side points per dimension for the optimum.
func drawn(name, title, summary, source string, k kernel.Config, d, side int,
	generate func(kernel.Config, space.Box, int, *rand.Rand) (*gpsample.Function, error)) *Spec {
	s := Spec{Name: name, Title: title, Summary: summary + "; kernel " + k.String(), Source: source, Box: space.Cube(d, 0, 10), Kernel: &k}
	spec, err := NewDrawn(s, func(r *rand.Rand) (Function, error) {
		g, err := generate(k, s.Box, gpKnots, r)
		if err != nil {
			return Function{}, err
		}
		return Function{
			Eval: g.Value, Optimum: optimumOf(g),
			RKHS:     &RKHS{Kernel: g.Kernel(), Norm: g.Norm(), NormBound: g.NormBound()},
			gridSide: side,
		}, nil
	})
	if err != nil {
		panic(err)
	}
	return spec
}

func optimumOf(g *gpsample.Function) Optimum {
	m := g.Maximum()
	how := fmt.Sprintf("the best of %d local searches, not proved", m.Climbs)
	if !math.IsInf(m.Excess, 1) {
		how = fmt.Sprintf("proved by branch and bound: nowhere better by more than %.1e", m.Excess)
	}
	return Optimum{Value: m.Value, X: [][]float64{m.X}, How: how}
}
