package gp

import (
	"math"
	"testing"

	"popbench/internal/check"
)

// scripts/reference/priors.py computed testdata/priors.json with scipy.
func TestPriors(t *testing.T) {
	var file struct {
		Cases []struct {
			Family            string
			Shape, Rate, Mode float64
			D                 int
			X, Slope          []float64
			Density           []float64 `json:"log_density"`
		}
	}
	check.Read(t, "testdata/priors.json", &file)
	for _, c := range file.Cases {
		p := NewPrior(c.Family, c.Shape, c.Rate, c.D)
		check.That(t, math.Abs(p.Mode()/c.Mode-1) <= 1e-6, "mode %.9g, want %.9g", p.Mode(), c.Mode)
		for i, x := range c.X {
			log := math.Log(x)
			if got := p.addLog(p.LogNorm(), x, log); math.Abs(got-c.Density[i]) > 1e-12*max(1, math.Abs(c.Density[i])) {
				t.Errorf("log density at %g is %.15g, want %.15g", x, got, c.Density[i])
			}
			check.Near(t, p.slope(x, log), c.Slope[i], 1e-6*max(1, math.Abs(c.Slope[i])), "slope at %g", x)
		}
	}
	if flat := (Gamma{Shape: 1}); flat.Mode() != 1 || flat.addLog(flat.LogNorm(), 7, math.Log(7)) != 0 || flat.slope(7, math.Log(7)) != 0 {
		t.Errorf("the flat prior has the mode %g, the density %g, the slope %g", flat.Mode(), flat.addLog(flat.LogNorm(), 7, math.Log(7)), flat.slope(7, math.Log(7)))
	}
}
