package problems

import (
	"errors"
	"math"
	"testing"

	"popbench/internal/check"
)

// rangeProofs has interval extensions of functions whose worst value is proved and that proofs lacks.
var rangeProofs = map[string]func(x []jet) jet{
	"beale": func(x []jet) jet {
		var s jet
		power := x[1]
		for _, c := range []float64{1.5, 2.25, 2.625} {
			s = s.add(x[0].mul(power).sub(x[0]).plus(c).sq())
			power = power.mul(x[1])
		}
		return s
	},
	"branin": func(x []jet) jet {
		q := x[1].sub(x[0].sq().times(5.1 / (4 * math.Pi * math.Pi))).add(x[0].times(5 / math.Pi)).plus(-6)
		return q.sq().add(x[0].cos().times(10 * (1 - 1/(8*math.Pi)))).plus(10)
	},
	"bukin6": func(x []jet) jet {
		return x[1].sub(x[0].sq().times(0.01)).abs().sqrt().times(100).add(x[0].plus(10).abs().times(0.01))
	},
	"levy13": func(x []jet) jet {
		sine := func(v jet, k float64) jet { return v.times(k * math.Pi).sin().sq() }
		a := x[0].plus(-1).sq().mul(sine(x[1], 3).plus(1))
		b := x[1].plus(-1).sq().mul(sine(x[1], 2).plus(1))
		return sine(x[0], 3).add(a).add(b)
	},
}

// This test proves every worst value, and that none is farther away than it says.
func TestWorstValues(t *testing.T) {
	check.Sequential(t)
	for name, value := range worst {
		t.Run(name, func(t *testing.T) {
			s := lookup(t, name)
			f := rangeProofs[name]
			if f == nil {
				f = proofs[name]
			}
			sameFunction(t, s, f)
			check.That(t, instance(t, name, Raw).function.Minimise, "the function is to be maximised; the proof below is about one to be minimised")
			slack := worstMargin * max(1, math.Abs(value))
			negated := func(x []jet) jet { return f(x).times(-1) }
			err := proveBelow(negated, s.Box, -value-slack, nil)
			check.That(t, err == nil, "no proof that nothing is worse than %v: %v", value, err)
			// At (0, 0) the function is cross_in_tray's worst, but rounding hides the root from the interval extension.
			if instance(t, name, Raw).Raw(make([]float64, s.Box.Dim())) < value-slack {
				err := proveBelow(negated, s.Box, -value+slack, nil)
				check.That(t, errors.Is(err, errBelow), "%v is attained nowhere: %v", value, err)
			}
			lo, hi, ok := s.Range()
			check.That(t, ok && lo <= s.Optimum.Value && hi >= value && hi-lo <= (value-s.Optimum.Value)*(1+1e-6), "Range is [%v, %v], %v", lo, hi, ok)
		})
	}
	for name := range limit {
		s := lookup(t, name)
		lo, hi, ok := s.Range()
		p, r, x := instance(t, name, Raw), stream(1), make([]float64, s.Box.Dim())
		for range 1000 {
			v := -p.Value(s.Box.Sample(x, r))
			check.That(t, ok && v >= lo && v <= hi, "%s is %v at %v, outside [%v, %v]", name, v, x, lo, hi)
		}
	}
	_, _, ok := lookup(t, "gp1").Range()
	check.That(t, !ok, "a drawn function has a range")
}
