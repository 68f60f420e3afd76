package gp

import (
	"errors"
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Regress makes p the exact posterior of n latent values observed as y_i = g_i + ε_i, with Gaussian noise of
// the given positive variance. g are the prior covariances, n×n, row-major; y has length n.
//
// With W = I/variance, [Posterior.Unwhiten] after [Posterior.Whiten] of any y is (G + variance I)⁻¹ y, and
// log|G + variance I| is log|B| plus n log(variance).
func (p *Posterior) Regress(g, y []float64, variance float64) {
	p.resize(len(y))
	w := 1 / math.Sqrt(variance)
	for i := range p.SqrtW {
		p.SqrtW[i] = w
	}
	p.factor(g)
	p.Whiten(p.Alpha, y)
	p.Unwhiten(p.Alpha, p.Alpha)
}

// Regression is the posterior of f given noisy values y_i = f(x_i) + ε, where f is a constant m plus a Gaussian
// process of mean 0. The factor L of K + σ²I = L Lᵀ grows by a row for each value, and so do L⁻¹y and L⁻¹1.
//
//	mean(x) = m + kᵀ(K + σ²I)⁻¹(y - m1)
//	var(x)  = k(x,x) - |L⁻¹k|² + (1 - 1ᵀ(K + σ²I)⁻¹k)² / 1ᵀ(K + σ²I)⁻¹1
//
// (Rasmussen and Williams 2006, Eqs. 2.25, 2.26 and 2.42, with a flat prior of m, whose posterior mean is
// called m too). Without Constant, m = 0 and the last term is missing. The caller must not change the fields. A
// Regression is not safe for concurrent use.
type Regression struct {
	Kernel   kernel.Kernel
	Noise    float64   // σ²
	Constant bool      // if m is unknown
	X, Y     []float64 // the points, n×d row-major, and the values

	factor           linalg.Growing // L
	whiteY, whiteOne []float64      // L⁻¹y, L⁻¹1
	oneOne           float64        // 1ᵀ(K + σ²I)⁻¹1
	mean             float64        // m
	alpha            []float64      // (K + σ²I)⁻¹(y - m1)
	ones             []float64      // (K + σ²I)⁻¹1

	row, weight []float64 // workspaces, length n
	white       []float64 // workspace of Bound, length n
	slopes      []float64 // workspace of Bound, length n
	diag        []float64 // workspace, length d
	dense       []float64 // workspace: K + σ²I or L
	inverse     []float64 // L⁻¹, if inverted
	inverted    bool
	sens        []float64 // workspace: S of AddEvidenceGrad

	kernelValues, kernelSlopes []float64 // of Condition, between the points: lower triangle by rows
	differences, differencesOf []float64 // of the points in this order, and the points
}

// NewRegression returns the prior: a kernel, the positive variance of the noise, and whether the mean is an
// unknown constant (else it is zero).
func NewRegression(k kernel.Kernel, noise float64, constant bool) *Regression {
	return &Regression{Kernel: k, Noise: noise, Constant: constant, diag: make([]float64, k.Dim())}
}

// ErrSingular means that K + σ²I has no Cholesky factor because of rounding.
var ErrSingular = errors.New("the covariance matrix of the values is singular to rounding; raise noise_variance")

// Len returns n, the number of values.
func (g *Regression) Len() int { return len(g.Y) }

// Point returns x_i, of length d.
func (g *Regression) Point(i int) []float64 {
	d := g.Kernel.Dim()
	return g.X[i*d : (i+1)*d]
}

// Restart replaces all values by y at x, and the kernel by k, as [NewRegression] and Add do. x and y must not be those of g.
// After ErrSingular there are no values.
func (g *Regression) Restart(k kernel.Kernel, x, y []float64) error {
	g.truncate(0)
	g.Kernel = k
	return g.Add(x, y)
}

// Condition replaces all values by y at x, and the kernel by k. Unlike Restart it factors K + σ²I at once, which rounds
// differently, and prepares the gradient of the evidence.
func (g *Regression) Condition(k kernel.Kernel, x, y []float64) error {
	n := len(y)
	m := g.square(&g.dense, n)
	values := g.triangle(k, x, n)
	for i := range n {
		row := m.Data[i*m.Stride : i*m.Stride+i+1]
		values = values[copy(row, values):]
		row[i] += g.Noise
	}
	g.truncate(0)
	g.Kernel = k
	if !g.factor.Factor(m.Data, m.Stride, n) {
		g.update()
		return ErrSingular
	}
	g.X, g.Y = append(g.X, x...), append(g.Y, y...)
	g.whiteY = append(g.whiteY, y...)
	for range y {
		g.whiteOne = append(g.whiteOne, 1)
	}
	g.factor.Solve(g.whiteY)
	g.factor.Solve(g.whiteOne)
	g.update()
	return nil
}

// mostDifferences is the largest number of coordinates of the differences that a Regression keeps: half a megabyte.
const mostDifferences = 1 << 16

// triangle returns the lower triangle by rows of the kernel of the n points x, and sets kernelSlopes to its slopes. A
// stationary kernel gets all differences of the points at once, since most rows are short.
func (g *Regression) triangle(k kernel.Kernel, x []float64, n int) []float64 {
	d, size := k.Dim(), n*(n+1)/2
	g.kernelValues, g.kernelSlopes = linalg.Resize(g.kernelValues, size), linalg.Resize(g.kernelSlopes, size)
	if _, ok := k.(kernel.Stationary); !ok || size*d > mostDifferences {
		for i, values := 0, g.kernelValues; i < n; i++ {
			k.RowSlopes(values[:i+1], g.rowSlopes(i), x[i*d:(i+1)*d], x[:(i+1)*d])
			values = values[i+1:]
		}
		return g.kernelValues
	}
	if known := len(g.differencesOf); known > len(x) || !slices.Equal(x[:known], g.differencesOf) {
		g.differences, g.differencesOf = g.differences[:0], g.differencesOf[:0]
	}
	for i := len(g.differencesOf) / d; i < n; i++ {
		point := x[i*d : (i+1)*d]
		for j := range i + 1 {
			for c, v := range point {
				g.differences = append(g.differences, v-x[j*d+c])
			}
		}
		g.differencesOf = append(g.differencesOf, point...)
	}
	k.RowSlopes(g.kernelValues, g.kernelSlopes, make([]float64, d), g.differences)
	return g.kernelValues
}

// rowSlopes returns the slopes of the kernel between x_i and x_0 to x_i, from the last Condition.
func (g *Regression) rowSlopes(i int) []float64 {
	from := i * (i + 1) / 2
	return g.kernelSlopes[from : from+i+1]
}

func (g *Regression) square(memory *[]float64, n int) wide.Matrix {
	stride := linalg.RowLength(n)
	*memory = linalg.Resize(*memory, n*stride)
	return wide.Matrix{Data: *memory, Stride: stride}
}

// Add adds the values y at the points x (row-major). After ErrSingular nothing has changed.
func (g *Regression) Add(x, y []float64) error {
	n, d := g.Len(), g.Kernel.Dim()
	var err error
	for i, v := range y {
		if !g.push(x[i*d:(i+1)*d], v) {
			g.truncate(n)
			err = ErrSingular
			break
		}
	}
	g.update()
	return err
}

func (g *Regression) truncate(n int) {
	g.X, g.Y = g.X[:n*g.Kernel.Dim()], g.Y[:n]
	g.whiteY, g.whiteOne = g.whiteY[:n], g.whiteOne[:n]
	g.factor.Truncate(n)
}

// push appends a value; the caller calls update afterwards. It returns false if K + σ²I is then singular.
func (g *Regression) push(x []float64, y float64) bool {
	n := g.Len()
	row := linalg.Resize(g.row, n)
	g.row = row
	g.Kernel.Row(row, x, g.X)
	if !g.factor.Append(row, g.Kernel.Eval(x, x)+g.Noise, 0) {
		return false
	}
	l := g.factor.Diagonal(n)
	g.whiteY = append(g.whiteY, (y-wide.Dot(row, g.whiteY))/l)
	g.whiteOne = append(g.whiteOne, (1-wide.Dot(row, g.whiteOne))/l)
	g.X, g.Y = append(g.X, x...), append(g.Y, y)
	return true
}

func (g *Regression) update() {
	n := g.Len()
	for _, v := range []*[]float64{&g.alpha, &g.ones, &g.row, &g.white, &g.slopes, &g.weight} {
		*v = linalg.Resize(*v, n)
	}
	g.inverted = false
	g.oneOne, g.mean = wide.Dot(g.whiteOne, g.whiteOne), 0
	if g.flat() {
		g.mean = wide.Dot(g.whiteOne, g.whiteY) / g.oneOne
	}
	copy(g.ones, g.whiteOne)
	g.factor.SolveTransposed(g.ones)
	for i, v := range g.whiteY {
		g.alpha[i] = v - float64(g.mean*g.whiteOne[i])
	}
	g.factor.SolveTransposed(g.alpha)
}

// flat reports whether the mean is unknown and the values determine it. Before the first value the mean is left
// out.
func (g *Regression) flat() bool { return g.Constant && g.Len() > 0 }

// PointMean returns the posterior mean at x_i.
func (g *Regression) PointMean(i int) float64 { return g.Y[i] - float64(g.Noise*g.alpha[i]) }

// variance returns the variance at a point of prior variance prior, given |L⁻¹k|² and 1ᵀ(K + σ²I)⁻¹k there.
func (g *Regression) variance(prior, explained, share float64) float64 {
	v := prior - explained
	if g.flat() {
		v += (1 - share) * (1 - share) / g.oneOne
	}
	return max(v, 0)
}

// Moments returns mean and variance of f(x).
func (g *Regression) Moments(x []float64) (mean, variance float64) {
	g.Kernel.Row(g.row, x, g.X)
	mean = g.mean + wide.Dot(g.row, g.alpha)
	share := wide.Dot(g.row, g.ones)
	g.factor.Solve(g.row)
	return mean, g.variance(g.Kernel.Eval(x, x), wide.Dot(g.row, g.row), share)
}

// inverseFactor returns L⁻¹, with zeros above the diagonal. It pays where many products need it: one takes a third to a half
// of the time of a solve. It is as accurate, since the inverse of a triangle is (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed. 2002, Sec. 14.2).
func (g *Regression) inverseFactor() wide.Matrix {
	n := g.Len()
	inverse := g.square(&g.inverse, n)
	if !g.inverted {
		l := g.square(&g.dense, n)
		g.factor.Unpack(l.Data, l.Stride)
		linalg.InvertLower(inverse, l, n)
		g.inverted = true
	}
	return inverse
}

// Bound returns mean + c times the standard deviation of f(x). If grad is not nil, it is set to the gradient.
// At a deviation of 0, where the bound has a kink, it is set to the gradient of the mean.
func (g *Regression) Bound(x, grad []float64, c float64) float64 {
	if grad == nil {
		g.Kernel.Row(g.row, x, g.X)
	} else {
		g.Kernel.RowSlopes(g.row, g.slopes, x, g.X)
	}
	value := g.mean + wide.Dot(g.row, g.alpha)
	var deviation, share float64
	if c != 0 { // the mean alone needs no variance
		share = wide.Dot(g.row, g.ones)
		linalg.MulLower(g.white, g.inverseFactor(), g.row)
		deviation = math.Sqrt(g.variance(g.Kernel.Eval(x, x), wide.Dot(g.white, g.white), share))
		value += float64(c * deviation)
	}
	switch {
	case grad == nil:
		return value
	case deviation == 0:
		g.Kernel.GradSlopes(grad, x, g.X, g.slopes, g.alpha)
		return value
	}
	copy(g.weight, g.alpha)
	// d var = 2 dk(x,·)/dx - 2 dkᵀ(K + σ²I)⁻¹k - 2 (1 - share) dkᵀ ones / oneOne
	linalg.MulLowerT(g.row, g.inverseFactor(), g.white)
	s, flat := c/deviation, 0.0
	if g.flat() {
		flat = (1 - share) / g.oneOne
	}
	for i, v := range g.row {
		g.weight[i] -= float64(s * (v + float64(flat*g.ones[i])))
	}
	g.Kernel.GradSlopes(grad, x, g.X, g.slopes, g.weight)
	g.Kernel.GradDiag(g.diag, x)
	wide.AddScaled(grad, s, g.diag)
	return value
}

// Evidence returns the log marginal likelihood of the values or, with an unknown mean, of their differences
// (restricted likelihood, Rasmussen and Williams 2006, Eq. 2.45).
func (g *Regression) Evidence() float64 {
	var v float64
	for i, w := range g.whiteY {
		r := w - float64(g.mean*g.whiteOne[i])
		v -= float64(0.5*float64(r*r)) + fmath.Log(g.factor.Diagonal(i))
	}
	free := g.Len()
	if g.flat() {
		v -= float64(0.5 * fmath.Log(g.oneOne))
		free--
	}
	return v - float64(0.5*float64(free)*fmath.Log(2*math.Pi))
}

// AddEvidenceGrad adds to grad the gradient of the evidence in the logarithms of the lengthscales, d or a
// common one, and of the variance, after Condition. The kernel must be stationary. The gradient is ½ Σ_ab S_ab
// ∂K_ab/∂θ with
//
//	S = α αᵀ - (K + σ²I)⁻¹ + ones onesᵀ / 1ᵀ(K + σ²I)⁻¹1
//
// (Rasmussen and Williams 2006, Eq. 5.9; the last term with an unknown mean only). For the variance, ∂K/∂log v
// = K, and Σ S∘(K + σ²I) is known.
func (g *Regression) AddEvidenceGrad(grad []float64) {
	if n := g.Len(); len(g.kernelSlopes) != n*(n+1)/2 {
		panic("gp: the gradient of the evidence needs all values from one call of Condition")
	}
	sens := g.sensitivities()
	k, last := g.Kernel.(kernel.Stationary), len(grad)-1
	scale := -float64(g.Len())
	if g.flat() {
		scale++
	}
	for a := range g.Len() {
		s := sens.Data[a*sens.Stride:][:a+1]
		// Twice for the other triangle; the diagonal does not depend on the lengthscales.
		k.GradLogSlopes(g.diag, g.Point(a), g.X[:a*len(g.diag)], g.rowSlopes(a)[:a], s[:a])
		for j, v := range g.diag {
			grad[min(j, last-1)] += v
		}
		scale += float64(g.alpha[a]*(g.Y[a]-g.mean)) - float64(g.Noise*s[a])
	}
	grad[last] += float64(0.5 * scale)
}

// sensitivities returns S. Only its lower triangle is valid.
func (g *Regression) sensitivities() wide.Matrix {
	n := g.Len()
	inverse, sens := g.inverseFactor(), g.square(&g.sens, n)
	for a, v := range g.alpha {
		share := 0.0
		if g.Constant {
			share = g.ones[a] / g.oneOne
		}
		row := sens.Data[a*sens.Stride:][:n] // also above the diagonal, where the numbers have to be finite
		wide.Combine(row, v, g.alpha, share, g.ones)
	}
	linalg.AddSquare(sens, true, inverse, n)
	return sens
}
