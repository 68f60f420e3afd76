// Package armstest has arms, answers and reference results for tests of package arms and of the methods on arms.
package armstest

import (
	"embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/kernel"
)

// Dataset is arms and answers, as in testdata.
type Dataset struct {
	ID          int
	Kind        string
	K, D, T     int
	Kernel      string
	Lengthscale float64
	Variance    float64
	Arms        [][]float64
	A, B, Y     []int
}

// Tie in Y is an answer without a preference.
const Tie = 2

// NewKernel returns the kernel of the arms.
func (s Dataset) NewKernel(t testing.TB) kernel.Kernel {
	t.Helper()
	family := map[string]string{"se": "se-half", "matern52": "matern52"}[s.Kernel]
	return check.Must(kernel.Config{Family: family, Variance: s.Variance, Lengthscale: []float64{s.Lengthscale}}.New(s.D))(t)
}

// Features returns the features of all arms, one after the other.
func (s Dataset) Features() []float64 { return slices.Concat(s.Arms...) }

// Share returns y of answer i: 1, 0, or ½ of a tie.
func (s Dataset) Share(i int) float64 {
	if s.Y[i] == Tie {
		return 0.5
	}
	return float64(s.Y[i])
}

// Duels take answers, like the Duels of package arms.
type Duels interface {
	Add(first, second int, y float64)
}

// Tell adds all answers to duels.
func (s Dataset) Tell(d Duels) {
	for i := range s.A {
		d.Add(s.A[i], s.B[i], s.Share(i))
	}
}

// Matrix is a dense matrix for tests, which compute with plain loops.
type Matrix [][]float64

// Gram evaluates the kernel pair by pair.
func (s Dataset) Gram(t testing.TB) Matrix {
	k := s.NewKernel(t)
	g := make(Matrix, s.K)
	for i, x := range s.Arms {
		for _, y := range s.Arms {
			g[i] = append(g[i], k.Eval(x, y))
		}
	}
	return g
}

// Times returns the product with a vector.
func (m Matrix) Times(x []float64) []float64 {
	y := make([]float64, len(m))
	for i, r := range m {
		for j, v := range r {
			y[i] += v * x[j]
		}
	}
	return y
}

// Sigmoid returns σ(h).
func Sigmoid(h float64) float64 { return 1 / (1 + math.Exp(-h)) }

// Loss returns the loss of utilities from its definition.
func (s Dataset) Loss(f []float64) (loss float64) {
	for i := range s.A {
		h := f[s.A[i]] - f[s.B[i]]
		loss += math.Log1p(math.Exp(-math.Abs(h))) + max(h, 0) - s.Share(i)*h
	}
	return loss
}

// Choose draws one of the values.
func Choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// Random draws arms and answers of many kinds: with self-duels, few or many pairs, arms with the same features, answers
// by a utility, at random, or by one order only (separable).
func Random(r *rand.Rand, maxArms, maxAnswers int) *Dataset {
	s := &Dataset{K: 1 + r.IntN(maxArms), D: 1 + r.IntN(3), T: r.IntN(maxAnswers + 1), Kernel: Choose(r, "se", "matern52")}
	s.Lengthscale, s.Variance = math.Exp(math.Log(0.05)+r.Float64()*math.Log(40)), Choose(r, 1, 1, 0.1, 4.)
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
	self, pool := Choose(r, 0, 0.1, 0.9), Choose(r, s.K, 2, 3)
	how := Choose(r, "utility", "coin", "order")
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
		case how == "utility" && r.Float64() < Sigmoid(truth[a]-truth[b]), how == "order" && truth[a] > truth[b]:
			won = 1
		case how != "coin":
			won = 0
		}
		s.A, s.B, s.Y = append(s.A, a), append(s.B, b), append(s.Y, won)
	}
	return s
}

// Variance returns the variance of the difference of two values with this covariance.
func (m Matrix) Variance(i, j int) float64 { return m[i][i] + m[j][j] - 2*m[i][j] }

// Reference is a set of testdata/substrate.json with the parameters of its results, which tests read for themselves.
type Reference struct {
	Dataset
	Rho2   float64
	Lambda float64
}

// References returns the sets of testdata/substrate.json.
func References(t testing.TB) []Reference {
	t.Helper()
	var file struct{ Sets []Reference }
	Read(t, "substrate.json", &file)
	check.Equal(t, "sets", len(file.Sets), 17)
	return file.Sets
}

//go:embed testdata
var testdata embed.FS

// Read decodes a file of testdata.
func Read(t testing.TB, name string, into any) {
	t.Helper()
	check.OK(t, json.Unmarshal(check.Must(testdata.ReadFile("testdata/"+name))(t), into))
}
