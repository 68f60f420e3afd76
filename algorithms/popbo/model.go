package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/algorithms"
	"popbench/algorithms/internal/confset"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Model holds what comparisons say of an unknown f in the RKHS ball ‖f‖ <= B: the likelihood, its
// maximiser, and the confidence set around it. POPBO uses one. It also works alone, for any
// comparison graph. It is not safe for concurrent use.
//
// Build it with AddPoint and AddComparison, then call SolveMLE and SetBeta. The other methods use
// the data and the β of those calls. An argument out of range is a caller's bug: the method
// panics and names it. The zero Model has no kernel: it can hold no point, and does not solve.
type Model struct {
	k   kernel.Kernel
	d   int
	eps float64 // ε_K

	n   int       // points
	x   []float64 // n×d
	km  []float64 // K + ε_K I, rows of length n stored as a lower triangle
	dia []float64 // roots of its diagonal
	win []int     // per difference, the point that won …
	los []int     // … and one that lost to it

	s           *confset.Solver
	mleSolution Solution
	mle         Function

	row   []float64 // of K + ε_K I, the last that rowOf was asked for …
	rowAt int       // … and its index

	// Workspaces.
	kx, c  []float64
	slopes []float64 // what kernel.RowSlopes left with kx
	gz     []float64 // length d
	one    [1]float64
}

// Function is a function f = Σ_j w_j k(x_j, ·) + v k(z, ·) of the RKHS, over the model's points x_j
// and at most one more point z. The zero Function is 0 everywhere.
type Function struct {
	m *Model
	w []float64 // length n
	z []float64 // length d; unused when v is 0
	v float64
}

// Solution is the result of a solve with its certificate.
type Solution struct {
	Status Status  `json:"status"`
	Value  float64 `json:"value"`       // attained by a feasible f
	Bound  float64 `json:"bound"`       // no feasible f does better
	Gap    float64 `json:"duality_gap"` // |Bound - Value|
	Newton int     `json:"newton"`      // Newton systems factored
}

// Status says how a solve ended.
type Status int

// OK reports whether the solution may be used.
func (s Status) OK() bool { return confset.Status(s).OK() }

// String returns the status in words, such as "converged".
func (s Status) String() string { return confset.Status(s).String() }

// MarshalText returns the words of String.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func solution(r confset.Result) Solution {
	return Solution{Status: Status(r.Status), Value: r.Value, Bound: r.Bound, Gap: r.Gap, Newton: r.Newton}
}

// NewModel returns a model without data. epsilon is ε_K >= 0, added to the diagonal of the kernel
// matrix.
func NewModel(k kernel.Kernel, epsilon float64) *Model {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		panic(fmt.Sprintf("popbo: epsilon = %g must be finite and not negative", epsilon))
	}
	if k == nil {
		panic("popbo: a model needs a kernel")
	}
	d := k.Dim()
	return &Model{k: k, d: d, eps: epsilon, s: confset.NewSolver(), gz: make([]float64, d)}
}

// Len is the number of points.
func (m *Model) Len() int { return m.n }

// Point returns point i. The caller must not change it.
func (m *Model) Point(i int) []float64 { return m.x[i*m.d : (i+1)*m.d] }

// AddPoint adds x, of length d, as a new point and returns its index. It does not merge equal
// points: the kernel ties their values, up to ε_K.
func (m *Model) AddPoint(x []float64) int {
	if m.k == nil {
		panic("popbo: a Model without kernel holds no points; make it with NewModel")
	}
	if len(x) != m.d {
		panic(fmt.Sprintf("popbo: a point with %d coordinates; the kernel has dimension %d", len(x), m.d))
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("popbo: coordinate %d of a point is %g", i, v))
		}
	}
	m.kx, m.slopes = append(m.kx, 0), append(m.slopes, 0)
	m.k.Row(m.kx[:m.n], x, m.x)
	m.km = append(m.km, m.kx[:m.n]...)
	own := m.k.Eval(x, x) + m.eps
	m.km, m.dia = append(m.km, own), append(m.dia, math.Sqrt(own))
	m.x = append(m.x, x...)
	m.n++
	return m.n - 1
}

// find returns the index of the newest of the points, row-major, that equals x, or -1.
func find(points, x []float64) int {
	d := len(x)
	for i := len(points)/d - 1; i >= 0; i-- {
		if slices.Equal(points[i*d:(i+1)*d], x) {
			return i
		}
	}
	return -1
}

// kernelAt returns entry (i, j) of K + ε_K I.
func (m *Model) kernelAt(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	return m.km[i*(i+1)/2+j]
}

// rowOf returns row i of K + ε_K I, of length n. It is valid until the next AddPoint.
func (m *Model) rowOf(i int) []float64 {
	if len(m.row) != m.n || m.rowAt != i {
		m.row, m.rowAt = linalg.Resize(m.row, m.n), i
		for j := range m.row {
			m.row[j] = m.kernelAt(i, j)
		}
	}
	return m.row
}

// AddComparison adds the comparison in which point winner was preferred to each of the losers, one
// or more.
func (m *Model) AddComparison(winner int, losers ...int) {
	if len(losers) == 0 {
		panic("popbo: a comparison without losers")
	}
	for _, l := range losers {
		if min(winner, l) < 0 || max(winner, l) >= m.n {
			panic(fmt.Sprintf("popbo: a comparison of points %d and %d; the model has %d", winner, l, m.n))
		}
		m.win, m.los = append(m.win, winner), append(m.los, l)
	}
	rows := make([][]float64, len(losers))
	for i := range rows {
		a, b := winner, losers[i]
		row := make([]float64, len(m.win))
		for j := range row {
			row[j] = m.kernelAt(a, m.win[j]) - m.kernelAt(a, m.los[j]) - m.kernelAt(b, m.win[j]) + m.kernelAt(b, m.los[j])
		}
		rows[i] = row
	}
	m.c = linalg.Resize(m.c, len(m.win))
	m.s.Append(rows...)
}

// learn adds a comparison, with each point once. It returns the indices of its points.
func (m *Model) learn(c algorithms.Comparison) []int {
	index := make([]int, len(c.Points))
	var losers []int
	for i, x := range c.Points {
		if index[i] = find(m.x, x); index[i] < 0 {
			index[i] = m.AddPoint(x)
		}
		if i != c.Winner {
			losers = append(losers, index[i])
		}
	}
	m.AddComparison(index[c.Winner], losers...)
	return index
}

// SolveMLE computes the maximum likelihood estimate over ‖f‖ <= norm, norm > 0 (Eq. MLE_prob). The
// value of the solution is ℓ_t(MLE).
func (m *Model) SolveMLE(norm float64) Solution {
	if !(norm > 0) || math.IsInf(norm, 1) {
		panic(fmt.Sprintf("popbo: norm = %g must be positive and finite", norm))
	}
	if m.k == nil {
		return Solution{}
	}
	m.mleSolution = solution(m.s.MLE(norm))
	m.mle = Function{m: m, w: m.pointWeights(m.mle.w, m.s.MLECoef())}
	return m.mleSolution
}

// pointWeights turns the coefficients of differences into weights of points. It reuses dst if that
// is long enough.
func (m *Model) pointWeights(dst, coef []float64) []float64 {
	dst = linalg.Resize(dst, m.n)
	clear(dst)
	for i, a := range coef {
		dst[m.win[i]] += a
		dst[m.los[i]] -= a
	}
	return dst
}

// valueOf returns f(x_i) for f = Σ_j w_j k(x_j, ·) with the weights w of pointWeights. size is
// Σ_j |w_j| sqrt(k(x_j, x_j)), to which the rounding error is proportional.
func (m *Model) valueOf(w []float64, i int) (value, size float64) {
	row, dia := m.rowOf(i)[:len(w)], m.dia[:len(w)]
	for j, v := range w {
		if v != 0 { // of a surrogate's cuts few are
			value += float64(v * row[j])
			size += float64(math.Abs(v) * dia[j])
		}
	}
	return value, size
}

// SetBeta sets the confidence set {f : ‖f‖ <= B, ℓ_t(f) >= ℓ_t(MLE) - beta} of the last SolveMLE;
// beta >= 0.
func (m *Model) SetBeta(beta float64) {
	if !(beta >= 0) {
		panic(fmt.Sprintf("popbo: beta = %g must not be negative", beta))
	}
	if m.k != nil {
		m.s.SetLevel(beta)
	}
}

// MLE returns the minimum-norm maximum likelihood estimate of the last SolveMLE. It is valid until
// the next.
func (m *Model) MLE() Function { return m.mle }

// PointValues returns the values Z of the MLE at the model's points, with the kernel matrix K + ε_K I
// of the paper's problem.
func (m *Model) PointValues() []float64 {
	z := make([]float64, m.n)
	for j, w := range m.mle.w {
		if w != 0 { // of a surrogate's few are
			for i := range z {
				z[i] += float64(m.kernelAt(i, j) * w)
			}
		}
	}
	return z
}

// Norm returns the RKHS norm of the MLE, ε_K included.
func (m *Model) Norm() float64 {
	var s float64
	for i, z := range m.PointValues() {
		s += float64(z * m.mle.w[i])
	}
	return math.Sqrt(max(s, 0))
}

// LogLik returns ℓ_t(f) for values f_i at the model's points.
func (m *Model) LogLik(f []float64) float64 {
	if m.k == nil {
		return 0
	}
	return m.s.LogLik(f, m.win, m.los)
}

func (m *Model) spent() confset.Work { return m.s.TotalWork() }

// Advantage maximises f(x) - f(point ref) over the confidence set (Eq. generic_inner_prob). x, of
// length d, counts as a new point, with its own ε_K.
func (m *Model) Advantage(x []float64, ref int) Solution {
	if m.k == nil {
		return Solution{}
	}
	c, rho := m.direction(x, ref)
	return solution(m.s.Maximize(c, rho, nil))
}

// direction returns c_i = ⟨g_i, h⟩ and ρ = ⟨h, h⟩ of h = k(x,·) - k(ref,·). c is valid until the next
// solve or direction.
func (m *Model) direction(x []float64, ref int) (c []float64, rho float64) {
	m.k.Row(m.kx, x, m.x)
	return m.directionOfRow(x, ref)
}

// directionOfRow is direction once kx has the row of x.
func (m *Model) directionOfRow(x []float64, ref int) (c []float64, rho float64) {
	row, kx, los := m.rowOf(ref), m.kx, m.los
	rho = m.k.Eval(x, x) + m.eps + row[ref] - float64(2*kx[ref])
	for i, a := range m.win {
		b := los[i]
		m.c[i] = kx[a] - kx[b] - row[a] + row[b]
	}
	return m.c, rho
}

// differences sets dst to the differences of kx: for the row of x, dst_i = ⟨g_i, k(x,·)⟩.
func (m *Model) differences(dst []float64) {
	for i := range dst {
		dst[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
}

// Upper maximises f(x) over the confidence set.
func (m *Model) Upper(x []float64) Solution { return m.extreme(x, 1) }

// Lower minimises f(x) over the confidence set. Its Value is attained, and its Bound is a lower
// bound of the minimum.
func (m *Model) Lower(x []float64) Solution {
	res := m.extreme(x, -1)
	res.Value, res.Bound = -res.Value, -res.Bound
	return res
}

// extreme maximises sign f(x) over the confidence set.
func (m *Model) extreme(x []float64, sign float64) Solution {
	if m.k == nil {
		return Solution{}
	}
	m.k.Row(m.kx, x, m.x)
	m.differences(m.c)
	wide.Scale(m.c, sign)
	return solution(m.s.Maximize(m.c, m.k.Eval(x, x)+m.eps, nil))
}

// confidence returns the MLE at x and both ends of the range of f(x) over the confidence set.
func (m *Model) confidence(x []float64) (estimate float64, lower, upper Solution) {
	lower, upper = m.Lower(x), m.Upper(x)
	return m.MLE().Value(x), lower, upper
}

// Value returns f(x), x of length d.
func (f Function) Value(x []float64) float64 {
	m := f.m
	var s float64
	if len(f.w) > 0 {
		kx := m.kx[:len(f.w)]
		m.k.Row(kx, x, m.x[:len(f.w)*m.d])
		s = wide.Dot(kx, f.w)
	}
	if f.v != 0 {
		s += float64(f.v * m.k.Eval(x, f.z))
	}
	return s
}

// Gradient sets dst = ∇f(x), x and dst of length d.
func (f Function) Gradient(dst, x []float64) {
	m := f.m
	if m == nil {
		clear(dst)
		return
	}
	m.k.GradSum(dst, x, m.x[:len(f.w)*m.d], f.w)
	f.addOwn(dst, x)
}

// ValueGradient sets dst = ∇f(x) and returns f(x), at less than the cost of separate calls.
func (f Function) ValueGradient(dst, x []float64) float64 {
	m := f.m
	if m == nil {
		clear(dst)
		return 0
	}
	n := len(f.w)
	kx, pts := m.kx[:n], m.x[:n*m.d]
	m.k.RowSlopes(kx, m.slopes[:n], x, pts)
	f.gradientOfSlopes(dst, x)
	s := wide.Dot(kx, f.w)
	if f.v != 0 {
		s += float64(f.v * m.k.Eval(x, f.z))
	}
	return s
}

// gradientOfSlopes is Gradient once the model has the slopes of x.
func (f Function) gradientOfSlopes(dst, x []float64) {
	m, n := f.m, len(f.w)
	m.k.GradSlopes(dst, x, m.x[:n*m.d], m.slopes[:n], f.w)
	f.addOwn(dst, x)
}

// addOwn adds the gradient of v k(z, ·) at x to dst.
func (f Function) addOwn(dst, x []float64) {
	if m := f.m; f.v != 0 {
		m.one[0] = f.v
		m.k.GradSum(m.gz, x, f.z, m.one[:])
		for i, g := range m.gz {
			dst[i] += g
		}
	}
}

// inference is what comparisons say of f. Points have indices.
type inference interface {
	AddPoint(x []float64) int
	Point(i int) []float64
	kernelAt(i, j int) float64
	learn(c algorithms.Comparison) []int
	SolveMLE(norm float64) Solution
	SetBeta(beta float64)
	Advantage(x []float64, ref int) Solution
	confidence(x []float64) (estimate float64, lower, upper Solution)
	spent() confset.Work
}

// optimum is a maximiser of an acquisition function with its certified maximum. x is nil if
// no solve converged.
type optimum struct {
	x   []float64
	adv Solution
	gap float64 // no candidate is better by more than this; 0 where no bound is known
}
