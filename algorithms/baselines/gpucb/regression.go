package gpucb

import (
	"errors"
	"math"

	"popbench/kernel"
)

// regression is the posterior of f given noisy values, f = m + a Gaussian process
// of mean 0: K + σ²I = L Lᵀ grows by a row a value, and with it L⁻¹y and L⁻¹1.
//
//	mean(x) = m + kᵀ(K + σ²I)⁻¹(y - m1)
//	var(x)  = k(x,x) - |L⁻¹k|² + (1 - 1ᵀ(K + σ²I)⁻¹k)² / 1ᵀ(K + σ²I)⁻¹1
//
// (Rasmussen and Williams 2006, Eqs. 2.25, 2.26 and 2.42 with a flat prior of the
// constant m, whose posterior mean is written m too). With a mean known to be
// zero, m = 0 and the last term is not there.
type regression struct {
	k     kernel.Kernel
	noise float64 // σ²
	flat  bool    // m is unknown
	n, d  int
	x     []float64 // n×d
	y     []float64
	chol  []float64 // L, its lower triangle by rows

	whiteY, whiteOne []float64 // L⁻¹y, L⁻¹1
	oneOne           float64   // 1ᵀ(K + σ²I)⁻¹1
	mean             float64   // m
	alpha            []float64 // (K + σ²I)⁻¹(y - m1)
	ones             []float64 // (K + σ²I)⁻¹1

	row, solved, weight []float64 // scratch, length n
	diag                []float64 // scratch, length d
}

func newRegression(k kernel.Kernel, noise float64, flat bool) *regression {
	return &regression{k: k, noise: noise, flat: flat, d: k.Dim(), diag: make([]float64, k.Dim())}
}

var errSingular = errors.New("the covariance matrix of the values is singular to rounding; raise noise_variance")

// push takes in a value y at x, but for what settle computes. After an error
// nothing has changed.
func (g *regression) push(x []float64, y float64) error {
	g.row = sized(g.row, g.n)
	g.k.Row(g.row, x, g.x)
	forward(g.row, g.chol)
	pivot := g.k.Eval(x, x) + g.noise - dot(g.row, g.row)
	if !(pivot > 0) {
		return errSingular
	}
	l := math.Sqrt(pivot)
	g.whiteY = append(g.whiteY, (y-dot(g.row, g.whiteY))/l)
	g.whiteOne = append(g.whiteOne, (1-dot(g.row, g.whiteOne))/l)
	g.chol = append(append(g.chol, g.row...), l)
	g.x, g.y = append(g.x, x...), append(g.y, y)
	g.n++
	return nil
}

// settle computes the posterior of the values pushed so far.
func (g *regression) settle() {
	g.resize(g.n)
	g.oneOne, g.mean = dot(g.whiteOne, g.whiteOne), 0
	if g.flat && g.n > 0 {
		g.mean = dot(g.whiteOne, g.whiteY) / g.oneOne
	}
	copy(g.ones, g.whiteOne)
	backward(g.ones, g.chol)
	for i, v := range g.whiteY {
		g.alpha[i] = v - float64(g.mean*g.whiteOne[i])
	}
	backward(g.alpha, g.chol)
}

// learn forgets all values, and takes in y at x (n×d) with the given kernel.
func (g *regression) learn(k kernel.Kernel, x, y []float64) error {
	g.k, g.n = k, 0
	for _, v := range []*[]float64{&g.x, &g.y, &g.chol, &g.whiteY, &g.whiteOne} {
		*v = (*v)[:0]
	}
	for i, v := range y {
		if err := g.push(x[i*g.d:(i+1)*g.d], v); err != nil {
			return err
		}
	}
	g.settle()
	return nil
}

// fittedValue is the posterior mean at the i-th value's point: what the noise
// takes away from the value.
func (g *regression) fittedValue(i int) float64 { return g.y[i] - float64(g.noise*g.alpha[i]) }

func (g *regression) resize(n int) {
	for _, v := range []*[]float64{&g.alpha, &g.ones, &g.row, &g.solved, &g.weight} {
		*v = sized(*v, n)
	}
}

// variance is that at a point of prior variance prior, given |L⁻¹k|² and
// 1ᵀ(K + σ²I)⁻¹k there. Of an unknown mean nothing is known before the first
// value; it is left out then.
func (g *regression) variance(prior, explained, share float64) float64 {
	v := prior - explained
	if g.flat && g.n > 0 {
		v += (1 - share) * (1 - share) / g.oneOne
	}
	return max(v, 0)
}

// at returns mean and variance of f at x.
func (g *regression) at(x []float64) (mean, variance float64) {
	g.k.Row(g.row, x, g.x)
	mean = g.mean + dot(g.row, g.alpha)
	share := dot(g.row, g.ones)
	forward(g.row, g.chol)
	return mean, g.variance(g.k.Eval(x, x), dot(g.row, g.row), share)
}

// bound is mean + c times the standard deviation at x, and its gradient where
// grad is not nil. At a deviation of 0, which has a kink there, the gradient is
// that of the mean.
func (g *regression) bound(x, grad []float64, c float64) float64 {
	g.k.Row(g.row, x, g.x)
	mean := g.mean + dot(g.row, g.alpha)
	if c == 0 { // the mean alone needs no solve
		if grad != nil {
			g.k.GradSum(grad, x, g.x, g.alpha)
		}
		return mean
	}
	share := dot(g.row, g.ones)
	copy(g.solved, g.row)
	forward(g.solved, g.chol)
	deviation := math.Sqrt(g.variance(g.k.Eval(x, x), dot(g.solved, g.solved), share))
	value := mean + float64(c*deviation)
	if grad == nil {
		return value
	}
	if deviation == 0 {
		g.k.GradSum(grad, x, g.x, g.alpha)
		return value
	}
	copy(g.weight, g.alpha)
	// d var = 2 dk(x,·)/dx - 2 dkᵀ(K + σ²I)⁻¹k - 2 (1 - share) dkᵀ ones / oneOne
	backward(g.solved, g.chol)
	s, flat := c/deviation, 0.0
	if g.flat && g.n > 0 {
		flat = (1 - share) / g.oneOne
	}
	for i, v := range g.solved {
		g.weight[i] -= s * (v + float64(flat*g.ones[i]))
	}
	g.k.GradSum(grad, x, g.x, g.weight)
	g.k.GradDiag(g.diag, x)
	addScaled(grad, s, g.diag)
	return value
}

// forward solves L v = v in place; l holds the lower triangle by rows.
func forward(v, l []float64) {
	for i := range v {
		row := l[i*(i+1)/2:]
		v[i] = (v[i] - dot(row[:i], v)) / row[i]
	}
}

// backward solves Lᵀ v = v in place.
func backward(v, l []float64) {
	for i := len(v) - 1; i >= 0; i-- {
		row := l[i*(i+1)/2:]
		v[i] /= row[i]
		addScaled(v[:i], -v[i], row)
	}
}

// dot is Σ a_i b_i over the length of a.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}

// addScaled adds c b to a, over the length of a.
func addScaled(a []float64, c float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] += float64(c * b[i])
	}
}

// sized returns v with length n; what is in it is not defined.
func sized(v []float64, n int) []float64 {
	if cap(v) < n {
		return append(v[:cap(v)], make([]float64, n+n/2-cap(v))...)[:n]
	}
	return v[:n]
}
