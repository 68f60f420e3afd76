// Package arms computes with a utility f on a finite set of K arms that is seen only through duels. Everything is
// done in R^K: the utility of arm i is f_i = f(x_i), and G is the Gram matrix of the arms, G_ij = k(x_i, x_j). The
// methods' public programs work with all K² pairs instead, or with all t answers.
//
// # Notation
//
// Answer s names arms a_s and b_s, and y_s = 1 if a_s won, ½ if it is a tie. Row s of D is e_{a_s} - e_{b_s}, zero for a
// self-duel, which compares an arm with itself. h = D f are the differences, σ is the logistic function. L = DᵀD is the
// Laplacian of the multigraph whose edges are the answers; L_W = DᵀWD is the same with weights. The duelling kernel
// k^D((a,b),(c,d)) = G_ac - G_ad - G_bc + G_bd has the Gram matrix DGDᵀ on the data.
//
// # Posterior
//
// Gaussian regression with the duelling kernel and noise ρ² is Gaussian regression of f with observations
// f_a - f_b + N(0, ρ²), so the variance of a difference follows from a K×K matrix; see [Posterior].
//
// # Estimators
//
// All have the logistic loss Σ_s log(1 + e^{h_s}) - y_s h_s. They differ in the term that they add; see [Ridge],
// [Published], [Ball] and [Descent]. A self-duel adds log 2 to the loss, and no information.
//
// G may be singular, as it is if two arms have the same features. It is never inverted.
package arms

import (
	"fmt"
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Arms are K arms and their Gram matrix. They are read-only, and safe for concurrent use.
type Arms struct {
	k    int
	gram wide.Matrix // G, K×K
	root root        // of G
	top  float64     // the largest G_ii
}

// root is a matrix B, K×rank, with BBᵀ = A for a positive semi-definite A, except for rounding.
type root struct {
	rank    int
	b       wide.Matrix
	pivoted linalg.Pivoted // workspace
}

// New returns the arms with the given features, K×d row-major, with d = k.Dim(). The error names the first pair of arms
// whose covariance is not finite.
func New(k kernel.Kernel, features []float64) (*Arms, error) { return NewPlus(k, features, 0) }

// NewPlus is New with epsilon >= 0 added to the diagonal of G.
func NewPlus(k kernel.Kernel, features []float64, epsilon float64) (*Arms, error) {
	d := k.Dim()
	if len(features) == 0 || len(features)%d != 0 {
		return nil, fmt.Errorf("arms: %d features are not those of one arm or more with %d each", len(features), d)
	}
	n := len(features) / d
	a := &Arms{k: n, gram: newMatrix(n, n)}
	for i := range n {
		row := a.Gram(i)[:i+1]
		k.Row(row, features[i*d:(i+1)*d], features[:(i+1)*d])
		row[i] += epsilon
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("arms: the kernel of arms %d and %d is %g; check their features", j, i, v)
			}
			a.gram.Data[j*a.gram.Stride+i] = v
		}
	}
	a.root.factor(a.gram, n)
	for i := range n {
		a.top = max(a.top, a.Gram(i)[i])
	}
	return a, nil
}

// Len returns K.
func (a *Arms) Len() int { return a.k }

// Gram returns row i of G, of length K. The caller must not change it.
func (a *Arms) Gram(i int) []float64 { return row(a.gram, i, a.k) }

// factor makes r the root of the positive semi-definite n×n matrix m. It stops when only rounding is left.
func (r *root) factor(m wide.Matrix, n int) {
	p := &r.pivoted
	p.N, p.C, p.Pivot, p.Rest = n, p.C[:0], p.Pivot[:0], linalg.Resize(p.Rest, n)
	for i := range n {
		p.Rest[i] = m.Data[i*m.Stride+i]
	}
	_, top := p.Largest()
	p.Fill(float64(n)*ulp*top, func(i int) []float64 { return row(m, i, n) })
	r.rank = len(p.Pivot)
	r.b.Stride = linalg.RowLength(max(n, 1))
	r.b.Data = linalg.Resize(r.b.Data, n*r.b.Stride)
	wide.Transpose(r.b, wide.Matrix{Data: p.C, Stride: n}, r.rank, n)
}

// ulp is the distance from 1 to the next number in double precision.
const ulp = 0x1p-52

func newMatrix(m, n int) wide.Matrix {
	stride := linalg.RowLength(max(n, 1))
	return wide.Matrix{Data: make([]float64, m*stride), Stride: stride}
}

func row(m wide.Matrix, i, n int) []float64 { return m.Data[i*m.Stride : i*m.Stride+n] }
