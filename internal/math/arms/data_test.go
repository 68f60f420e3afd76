package arms

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/kernel"
)

// dataset is arms and answers, as in testdata.
type dataset struct {
	ID          int
	Kind        string
	K, D, T     int
	Kernel      string
	Lengthscale float64
	Variance    float64
	Arms        [][]float64
	A, B, Y     []int
}

// tie in Y is an answer without a preference.
const tie = 2

// y returns y_s.
func (s *dataset) y(i int) float64 {
	if s.Y[i] == tie {
		return 0.5
	}
	return float64(s.Y[i])
}

func (s *dataset) kernel(t testing.TB) kernel.Kernel {
	t.Helper()
	family := map[string]string{"se": "se-half", "matern52": "matern52"}[s.Kernel]
	return check.Must(kernel.Config{Family: family, Variance: s.Variance, Lengthscale: []float64{s.Lengthscale}}.New(s.D))(t)
}

func (s *dataset) arms(t testing.TB) *Arms {
	t.Helper()
	return s.armsPlus(t, 0)
}

// armsPlus returns the arms with epsilon on the diagonal of their Gram matrix.
func (s *dataset) armsPlus(t testing.TB, epsilon float64) *Arms {
	t.Helper()
	var features []float64
	for _, x := range s.Arms {
		features = append(features, x...)
	}
	return check.Must(NewPlus(s.kernel(t), features, epsilon))(t)
}

// duels returns all answers.
func (s *dataset) duels(t testing.TB) *Duels {
	t.Helper()
	d := NewDuels(s.arms(t))
	for i := range s.A {
		if s.Y[i] == tie {
			d.Tie(s.A[i], s.B[i])
			continue
		}
		d.Add(s.A[i], s.B[i], s.Y[i] == 1)
	}
	return d
}

// matrix is a dense matrix for the tests, which compute with plain loops.
type matrix [][]float64

func newDense(m, n int) matrix {
	a := make(matrix, m)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}

// gramOf evaluates the kernel pair by pair.
func (s *dataset) gramOf(t testing.TB) matrix {
	k := s.kernel(t)
	g := newDense(s.K, s.K)
	for i := range g {
		for j := range g {
			g[i][j] = k.Eval(s.Arms[i], s.Arms[j])
		}
	}
	return g
}

// duelling returns the duelling kernel of pairs (a,b) and (c,d).
func (g matrix) dueling(a, b, c, d int) float64 { return g[a][c] - g[a][d] - g[b][c] + g[b][d] }

// gramOfData returns the t×t duelling Gram matrix of the answers.
func (s *dataset) gramOfData(t testing.TB, g matrix) matrix {
	m := newDense(len(s.A), len(s.A))
	for i := range m {
		for j := range m {
			m[i][j] = g.dueling(s.A[i], s.B[i], s.A[j], s.B[j])
		}
	}
	return m
}

// solve returns A⁻¹b by elimination with pivoting. It overwrites both.
func (m matrix) solve(b []float64) []float64 {
	n := len(b)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(m[i][k]) > math.Abs(m[p][k]) {
				p = i
			}
		}
		m[k], m[p], b[k], b[p] = m[p], m[k], b[p], b[k]
		for i := k + 1; i < n; i++ {
			c := m[i][k] / m[k][k]
			for j := k; j < n; j++ {
				m[i][j] -= c * m[k][j]
			}
			b[i] -= c * b[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k] -= m[k][j] * b[j]
		}
		b[k] /= m[k][k]
	}
	return b
}

func (m matrix) times(x []float64) []float64 {
	y := make([]float64, len(m))
	for i, r := range m {
		for j, v := range r {
			y[i] += v * x[j]
		}
	}
	return y
}

// denseVariance returns σ²(a, b) by regression with the duelling kernel over the answers.
func (s *dataset) denseVariance(t testing.TB, g matrix, noise float64, a, b int) float64 {
	kd := s.gramOfData(t, g)
	k, k2 := make([]float64, len(s.A)), make([]float64, len(s.A))
	for i := range kd {
		kd[i][i] += noise
		k[i] = g.dueling(a, b, s.A[i], s.B[i])
	}
	copy(k2, k)
	v := g.dueling(a, b, a, b)
	for i, x := range kd.solve(k2) {
		v -= k[i] * x
	}
	return v
}

func sigmoid(h float64) float64 { return 1 / (1 + math.Exp(-h)) }

// lossOf returns the loss of utilities, and the dual's entropy, from their definitions.
func (s *dataset) lossOf(f []float64) (loss, entropy float64) {
	for i := range s.A {
		h := f[s.A[i]] - f[s.B[i]]
		y := s.y(i)
		if s.A[i] == s.B[i] {
			y = 0
		}
		loss += math.Log1p(math.Exp(-math.Abs(h))) + max(h, 0) - y*h
		for _, q := range []float64{sigmoid(h), sigmoid(-h)} {
			if q > 0 {
				entropy -= q * math.Log(q)
			}
		}
	}
	return loss, entropy
}

// residuals returns Dᵀ(σ(h) - y) from its definition.
func (s *dataset) residuals(f []float64) []float64 {
	r := make([]float64, s.K)
	for i := range s.A {
		if s.A[i] == s.B[i] {
			continue
		}
		h := f[s.A[i]] - f[s.B[i]]
		v := sigmoid(h)
		switch s.Y[i] {
		case 1:
			v = -sigmoid(-h)
		case tie:
			v -= 0.5
		}
		r[s.A[i]] += v
		r[s.B[i]] -= v
	}
	return r
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomSet draws arms and answers of many kinds: with self-duels, few or many pairs, arms with the same features, answers
// by a utility, at random, or by one order only (separable).
func randomSet(r *rand.Rand, maxArms, maxAnswers int) *dataset {
	s := &dataset{K: 1 + r.IntN(maxArms), D: 1 + r.IntN(3), T: r.IntN(maxAnswers + 1), Kernel: choose(r, "se", "matern52")}
	s.Lengthscale, s.Variance = math.Exp(math.Log(0.05)+r.Float64()*math.Log(40)), choose(r, 1, 1, 0.1, 4.)
	twins := r.IntN(3) == 0
	for i := range s.K {
		x := make([]float64, s.D)
		for j := range x {
			x[j] = r.Float64()
		}
		if twins && i > 0 && r.IntN(3) == 0 {
			copy(x, s.Arms[r.IntN(i)])
		}
		s.Arms = append(s.Arms, x)
	}
	self, pool := choose(r, 0, 0.1, 0.9), choose(r, s.K, 2, 3)
	how := choose(r, "utility", "coin", "order")
	truth := make([]float64, s.K)
	for i := range truth {
		truth[i] = 2 * rng.Normal(r)
	}
	for range s.T {
		a, b := r.IntN(min(pool, s.K)), r.IntN(s.K)
		if r.Float64() < self {
			b = a
		}
		won := r.IntN(2)
		switch {
		case how == "utility" && r.Float64() < sigmoid(truth[a]-truth[b]), how == "order" && truth[a] > truth[b]:
			won = 1
		case how != "coin":
			won = 0
		}
		s.A, s.B, s.Y = append(s.A, a), append(s.B, b), append(s.Y, won)
	}
	return s
}

// width returns the range of f_i - f_j over the set of SetLevel.
func (b *Ball) width(i, j int) Width {
	return widthOf(b.Largest(i, j, math.Inf(-1)), b.Largest(j, i, math.Inf(-1)))
}
