package problems

import "math"

// jet is an interval extension of a function over a box: an interval that contains its values, and
// one for each partial derivative. Bounds are not rounded outwards; proofs keep a margin far above
// rounding error.
type jet struct {
	v interval
	g [maxDim]interval
}

const maxDim = 7

type interval struct{ lo, hi float64 }

func (a interval) add(b interval) interval { return interval{a.lo + b.lo, a.hi + b.hi} }

func (a interval) mul(b interval) interval {
	p, q, r, s := times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)
	return interval{min(p, q, r, s), max(p, q, r, s)}
}

// times takes 0·Inf as 0: the infinite end of an interval is not one of its points.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func (a interval) scale(c float64) interval { return a.mul(interval{c, c}) }
func (a interval) magnitude() float64       { return max(math.Abs(a.lo), math.Abs(a.hi)) }
func (a interval) contains(x float64) bool  { return a.lo <= x && x <= a.hi }

// image returns the interval of f over a when f is monotone on it.
func (a interval) image(f func(float64) float64) interval {
	p, q := f(a.lo), f(a.hi)
	return interval{min(p, q), max(p, q)}
}

func (a interval) abs() interval {
	b := a.image(math.Abs)
	if a.contains(0) {
		b.lo = 0
	}
	return b
}

func (a interval) sq() interval { return a.abs().image(sq) }

func (a interval) sin() interval { return a.add(interval{-math.Pi / 2, -math.Pi / 2}).cos() }

func (a interval) cos() interval {
	b := a.image(math.Cos)
	// Maxima at 2kπ, minima at (2k+1)π.
	if math.Floor(a.hi/(2*math.Pi)) != math.Floor(a.lo/(2*math.Pi)) {
		b.hi = 1
	}
	if math.Floor((a.hi-math.Pi)/(2*math.Pi)) != math.Floor((a.lo-math.Pi)/(2*math.Pi)) {
		b.lo = -1
	}
	return b
}

func variable(i int, lo, hi float64) jet {
	x := jet{v: interval{lo, hi}}
	x.g[i] = interval{1, 1}
	return x
}

func (a jet) add(b jet) jet {
	a.v = a.v.add(b.v)
	for i := range a.g {
		a.g[i] = a.g[i].add(b.g[i])
	}
	return a
}

func (a jet) mul(b jet) jet {
	c := jet{v: a.v.mul(b.v)}
	for i := range c.g {
		c.g[i] = a.g[i].mul(b.v).add(b.g[i].mul(a.v))
	}
	return c
}

// chain is the chain rule; v has the values of the outer function, d those of its derivative.
func (a jet) chain(v, d interval) jet {
	for i := range a.g {
		a.g[i] = a.g[i].mul(d)
	}
	a.v = v
	return a
}

func (a jet) plus(c float64) jet  { return a.chain(interval{a.v.lo + c, a.v.hi + c}, interval{1, 1}) }
func (a jet) times(c float64) jet { return a.chain(a.v.scale(c), interval{c, c}) }
func (a jet) sub(b jet) jet       { return a.add(b.times(-1)) }
func (a jet) sq() jet             { return a.chain(a.v.sq(), a.v.scale(2)) }
func (a jet) sin() jet            { return a.chain(a.v.sin(), a.v.cos()) }
func (a jet) cos() jet            { return a.chain(a.v.cos(), a.v.sin().scale(-1)) }

func (a jet) exp() jet {
	e := a.v.image(math.Exp)
	return a.chain(e, e)
}

// inverse needs a > 0.
func (a jet) inverse() jet {
	v := a.v.image(func(x float64) float64 { return 1 / x })
	return a.chain(v, v.sq().scale(-1))
}

// pow needs a >= 0; at a = 0 a power below 1 has an infinite derivative.
func (a jet) pow(p float64) jet {
	return a.chain(
		a.v.image(func(x float64) float64 { return math.Pow(x, p) }),
		a.v.image(func(x float64) float64 { return p * math.Pow(x, p-1) }))
}

func (a jet) sqrt() jet { return a.pow(0.5) }

func (a jet) abs() jet {
	d := interval{-1, 1}
	if a.v.lo > 0 {
		d.lo = 1
	} else if a.v.hi < 0 {
		d.hi = -1
	}
	return a.chain(a.v.abs(), d)
}
