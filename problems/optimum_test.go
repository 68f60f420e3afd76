package problems

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"popbench/internal/check"
	"popbench/space"
)

// margin is the error that byIntervals states, relative to max(1, |optimum|).
const margin = 1e-9

// proofs has interval extensions of the functions whose optimum is known by interval branch and
// bound, negated where they are to be maximised.
var proofs = map[string]func(x []jet) jet{
	"ackley1_max": func(x []jet) jet {
		r := x[0].abs().times(-0.2).exp().times(20)
		return r.add(x[0].times(2 * math.Pi).cos().exp()).plus(-20 - math.E)
	},
	"bohf_rkhs": func(x []jet) jet {
		return feedbackJet("se-half", x[0], func(r jet) jet { return r.sq().times(-0.5).exp() })
	},
	"bohf_rkhs_matern52": func(x []jet) jet {
		return feedbackJet("matern52", x[0], func(r jet) jet {
			t := r.abs().times(math.Sqrt(5))
			return t.sq().times(1.0 / 3).add(t).plus(1).mul(t.times(-1).exp())
		})
	},
	"car_cab": func(x []jet) jet { return utilityJet(carCab, x) },
	"cross_in_tray": func(x []jet) jet {
		r := x[0].sq().add(x[1].sq()).sqrt()
		e := r.times(-1 / math.Pi).plus(100).abs().exp()
		return x[0].sin().mul(x[1].sin()).mul(e).abs().plus(1).pow(0.1).times(-0.0001)
	},
	"eggholder":     eggholderJet,
	"eggholder_100": eggholderJet,
	"forrester":     func(x []jet) jet { return x[0].times(6).plus(-2).sq().mul(x[0].times(12).plus(-4).sin()) },
	"goldstein_price": func(x []jet) jet {
		a, b := x[0], x[1]
		p := a.sq().times(3).add(a.mul(b).times(6)).add(b.sq().times(3)).sub(a.add(b).times(14)).plus(19)
		q := a.sq().times(12).sub(a.mul(b).times(36)).add(b.sq().times(27)).sub(a.times(32)).add(b.times(48)).plus(18)
		return a.add(b).plus(1).sq().mul(p).plus(1).mul(a.times(2).sub(b.times(3)).sq().mul(q).plus(30))
	},
	"gramacy_lee": func(x []jet) jet {
		return x[0].times(10 * math.Pi).sin().mul(x[0].times(2).inverse()).add(x[0].plus(-1).sq().sq())
	},
	"hartmann3": func(x []jet) jet { return hartmannJet(x, hartmann3A[:], hartmann3P[:]).times(-1) },
	"hartmann4_rescaled": func(x []jet) jet {
		return hartmannJet(x, hartmann6A[:], hartmann6P[:]).times(-1).plus(1.1).times(1 / 0.839)
	},
	"hartmann6": func(x []jet) jet { return hartmannJet(x, hartmann6A[:], hartmann6P[:]).times(-1) },
	"holder_table": func(x []jet) jet {
		r := x[0].sq().add(x[1].sq()).sqrt()
		e := r.times(-1 / math.Pi).plus(1).abs().exp()
		return x[0].sin().mul(x[1].cos()).mul(e).abs().times(-1)
	},
	"langermann": func(x []jet) jet {
		var s jet
		for _, w := range [][3]float64{{1, 3, 5}, {2, 5, 2}, {5, 2, 1}, {2, 1, 4}, {3, 7, 9}} {
			r2 := x[0].plus(-w[1]).sq().add(x[1].plus(-w[2]).sq())
			s = s.add(r2.times(-1 / math.Pi).exp().mul(r2.times(math.Pi).cos()).times(w[0]))
		}
		return s
	},
	"michalewicz2":    func(x []jet) jet { return michalewiczJet(x, 10) },
	"michalewicz2_m5": func(x []jet) jet { return michalewiczJet(x, 5) },
	"michalewicz5":    func(x []jet) jet { return michalewiczJet(x, 10) },
	"schaffer4": func(x []jet) jet {
		a, b := x[0].sq(), x[1].sq()
		return a.sub(b).sin().cos().sq().plus(-0.5).mul(a.add(b).times(0.001).plus(1).sq().inverse()).plus(0.5)
	},
	"schwefel3": func(x []jet) jet {
		var s jet
		for _, v := range x {
			s = s.add(v.mul(v.abs().sqrt().sin()).times(-1).plus(418.9829))
		}
		return s
	},
	"shekel5":              func(x []jet) jet { return shekelJet(x, 5) },
	"shekel10":             func(x []jet) jet { return shekelJet(x, 10) },
	"shubert":              shubertJet,
	"shubert_5.12":         shubertJet,
	"six_hump_camel":       sixHumpCamelJet,
	"six_hump_camel_qeubo": sixHumpCamelJet,
	"styblinski_tang2":     func(x []jet) jet { return styblinskiTangJet(x[0]).add(styblinskiTangJet(x[1])) },
	"vehicle_safety":       func(x []jet) jet { return utilityJet(vehicleSafety, x) },
}

func eggholderJet(x []jet) jet {
	y := x[1].plus(47)
	a := y.mul(y.add(x[0].times(0.5)).abs().sqrt().sin())
	b := x[0].mul(x[0].sub(y).abs().sqrt().sin())
	return a.add(b).times(-1)
}

// feedbackJet has a kernel of the distance in lengthscales.
func feedbackJet(family string, x jet, k func(r jet) jet) jet {
	_, knots, weights := feedbackWeights(family)
	var s jet
	for i, w := range weights {
		s = s.sub(k(x.plus(-knots[i]).times(10)).times(w))
	}
	return s
}

func michalewiczJet(x []jet, m float64) jet {
	var s jet
	for i, v := range x {
		p := v.sq().times(float64(i+1) / math.Pi).sin().abs().pow(2 * m)
		s = s.sub(v.sin().mul(p))
	}
	return s
}

func sixHumpCamelJet(x []jet) jet {
	a, b := x[0].sq(), x[1].sq()
	first := a.sq().times(1.0 / 3).add(a.times(-2.1)).plus(4).mul(a)
	return first.add(x[0].mul(x[1])).add(b.times(4).plus(-4).mul(b))
}

// styblinskiTangJet is one term of the sum.
func styblinskiTangJet(v jet) jet {
	a := v.sq()
	return a.sq().add(a.times(-16)).add(v.times(5)).times(0.5)
}

// utilityJet is minus the utility.
func utilityJet(outputs []output, x []jet) jet {
	var s jet
	for _, o := range outputs {
		var q jet
		for i, c := range o.linear {
			q = q.add(x[i].times(c))
		}
		for _, p := range o.products {
			if p.i == p.j {
				q = q.add(x[p.i-1].sq().times(p.coefficient))
			} else {
				q = q.add(x[p.i-1].mul(x[p.j-1]).times(p.coefficient))
			}
		}
		y := q.plus(o.constant - o.worst).times(1 / (o.best - o.worst))
		slope := interval{o.flat, o.steep}
		if y.v.lo > o.threshold {
			slope.hi = o.flat
		} else if y.v.hi < o.threshold {
			slope.lo = o.steep
		}
		s = s.sub(y.chain(y.v.image(o.utility), slope))
	}
	return s
}

func hartmannJet(x []jet, A, P [][]float64) jet {
	var s jet
	for i, alpha := range hartmannAlpha {
		var q jet
		for j, v := range x {
			q = q.add(v.plus(-P[i][j] / 1e4).sq().times(-A[i][j]))
		}
		s = s.add(q.exp().times(alpha))
	}
	return s
}

func shekelJet(x []jet, m int) jet {
	var s jet
	for i := range m {
		var q jet
		for j, v := range x {
			q = q.add(v.plus(-shekelCentre[i][j]).sq())
		}
		s = s.sub(q.plus(shekelWidth[i]).inverse())
	}
	return s
}

func shubertJet(x []jet) jet {
	factor := func(v jet) jet {
		var s jet
		for i := 1.0; i <= 5; i++ {
			s = s.add(v.times(i + 1).plus(i).cos().times(i))
		}
		return s
	}
	return factor(x[0]).mul(factor(x[1]))
}

// This test proves every optimum that is said to be proved by interval branch and bound: no point
// is better than the margin allows, and no minimiser lies farther than 1% of the box from a listed
// one.
func TestOptimaAreGlobal(t *testing.T) {
	check.Sequential(t)
	for _, name := range Names() {
		s := lookup(t, name)
		if s.Optimum == nil || s.Optimum.How != byIntervals {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := proofs[name]
			if f == nil {
				t.Fatal("the proof is missing: add the function's interval extension to proofs")
			}
			sameFunction(t, s, f)
			least := -instance(t, name, Raw).Optimum.Value
			slack := margin * max(1, math.Abs(least))
			err := proveBelow(f, s.Box, least-slack, nil)
			check.Ensure(t, err == nil, "no proof that the optimum is global: %v", err)
			err = proveBelow(f, s.Box, least+slack, s.Optimum.X)
			check.That(t, err == nil, "no proof that the list of optimal points is complete: %v", err)
			err = proveBelow(f, s.Box, least+slack, nil)
			check.That(t, errors.Is(err, errBelow), "a bound above the optimum should have been refuted; got %v", err)
		})
	}
}

// The second factor of Currin's function, alone, as the proof of its optimum uses it.
func TestCurrinRatioIsGlobal(t *testing.T) {
	ratio := func(x []jet) jet {
		v := x[0]
		above := v.times(2300).plus(1900).mul(v).plus(2092).mul(v).plus(60)
		below := v.times(100).plus(500).mul(v).plus(4).mul(v).plus(20)
		return above.mul(below.inverse()).times(-1)
	}
	s := lookup(t, "currin_exp")
	check.OK(t, proveBelow(ratio, space.Cube(1, 0, 1), -s.Optimum.Value*(1+margin), nil))
}

// One term of Styblinski and Tang's function, of which it has one for each coordinate, as the proof of its optimum in more
// than two dimensions uses it.
func TestStyblinskiTangTermIsGlobal(t *testing.T) {
	term := func(x []jet) jet { return styblinskiTangJet(x[0]) }
	check.OK(t, proveBelow(term, space.Cube(1, -5, 5), styblinskiMin*(1+margin), nil))
	check.OK(t, proveBelow(term, space.Cube(1, -5, 5), styblinskiMin*(1-margin), [][]float64{{styblinskiAt}}))
	p := instance(t, "styblinski_tang32", Raw)
	x, sum := p.Box.Sample(make([]float64, p.Box.Dim()), stream(1)), 0.0
	for _, v := range x {
		sum += term([]jet{variable(0, v, v)}).v.lo
	}
	got := p.Raw(x)
	check.That(t, near(got, sum, 1e-12), "the function is %.17g at %v, the sum of its terms %.17g", got, x, sum)
}

// sameFunction compares an interval extension with its function: at points it equals the value, and
// on small boxes it contains the values.
func sameFunction(t *testing.T, s *Spec, f func(x []jet) jet) {
	t.Helper()
	p := instance(t, s.Name, Raw)
	r := stream(1)
	point, jets := make([]float64, s.Box.Dim()), make([]jet, s.Box.Dim())
	for range 200 {
		s.Box.Sample(point, r)
		for i, v := range point {
			jets[i] = variable(i, v, v)
		}
		want := -p.Value(point)
		slack := 1e-12 * max(1, math.Abs(want))
		if got := f(jets).v; math.Abs(got.lo-want) > slack || math.Abs(got.hi-want) > slack {
			t.Fatalf("the interval extension is %v at %v, the function %v", got, point, want)
		}
		for i, v := range point {
			w := 0.01 * (s.Box.Hi[i] - s.Box.Lo[i])
			a, b := max(v-w*r.Float64(), s.Box.Lo[i]), min(v+w*r.Float64(), s.Box.Hi[i])
			jets[i] = variable(i, a, b)
			point[i] = a + r.Float64()*(b-a)
		}
		if got, want := f(jets).v, -p.Value(point); want < got.lo-slack || want > got.hi+slack {
			t.Fatalf("the interval extension is %v around %v, where the function is %v", got, point, want)
		}
	}
}

var errBelow = errors.New("a point is below the bound")

// proveBelow proves f >= floor by branch and bound over the box, except within
// 1% of the box's width of the points in but. A part of the box is done when
//   - it lies near one of those points;
//   - the natural or the mean value form bounds f from below by the floor;
//   - f is strictly monotone in a coordinate there, so that its least value is
//     elsewhere, or on the box's edge, to which the part is then reduced.
func proveBelow(f func(x []jet) jet, box space.Box, floor float64, but [][]float64) error {
	const limit = 1_000_000
	type part struct{ lo, hi [maxDim]float64 }
	d := box.Dim()
	var whole part
	copy(whole.lo[:], box.Lo)
	copy(whole.hi[:], box.Hi)

	isNear := func(c part) bool {
	points:
		for _, p := range but {
			for i, v := range p {
				if w := 0.01 * (box.Hi[i] - box.Lo[i]); c.lo[i] < v-w || c.hi[i] > v+w {
					continue points
				}
			}
			return true
		}
		return false
	}
	x, mid := make([]jet, d), make([]jet, d)
	stack := []part{whole}
	for count := 0; len(stack) > 0; count++ {
		if count == limit {
			return fmt.Errorf("gave up after %d parts", limit)
		}
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if isNear(c) {
			continue
		}
		for i := range x {
			x[i] = variable(i, c.lo[i], c.hi[i])
			m := c.lo[i] + (c.hi[i]-c.lo[i])/2
			mid[i] = variable(i, m, m)
		}
		over, at := f(x), f(mid).v.lo
		if over.v.lo >= floor {
			continue
		}
		if at < floor && len(but) == 0 {
			return fmt.Errorf("%w: %.17g at the middle of %v, %v", errBelow, at, c.lo[:d], c.hi[:d])
		}
		bound, widest, drop := at, 0, -1.0
		elsewhere, reduced := false, false
		for i := range x {
			if c.lo[i] == c.hi[i] {
				continue
			}
			g := over.g[i]
			switch {
			case g.lo > 0 && c.lo[i] > box.Lo[i], g.hi < 0 && c.hi[i] < box.Hi[i]:
				elsewhere = true
			case g.lo > 0:
				c.hi[i], reduced = c.lo[i], true
			case g.hi < 0:
				c.lo[i], reduced = c.hi[i], true
			default:
				fall := g.magnitude() * (c.hi[i] - c.lo[i]) / 2
				bound -= fall
				if math.IsInf(fall, 1) || math.IsNaN(fall) { // compare by width instead
					fall = 1e300 * (c.hi[i] - c.lo[i]) / (box.Hi[i] - box.Lo[i])
				}
				if fall > drop {
					widest, drop = i, fall
				}
			}
		}
		switch {
		case elsewhere:
		case reduced:
			stack = append(stack, c)
		case bound >= floor:
		default:
			m := mid[widest].v.lo
			a, b := c, c
			a.hi[widest], b.lo[widest] = m, m
			stack = append(stack, a, b)
		}
	}
	return nil
}
