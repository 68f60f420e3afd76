package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas/gonum"
)

// Pivoted is a partial Cholesky factorisation CᵀC of a positive semi-definite
// matrix A of size N with complete pivoting, one row of C a pivot (Harbrecht,
// Peters and Schneider, "On the low-rank approximation by the pivoted Cholesky
// decomposition", 2012). CᵀC has the rows and columns of A at the pivots; what it
// leaves elsewhere, A - CᵀC, is positive semi-definite with the diagonal Rest.
//
// The caller chooses when to stop. R pivots cost N R² operations, and need no
// other rows of A than theirs.
type Pivoted struct {
	N     int
	C     []float64 // R×N, row-major; zero in the columns of earlier pivots
	Pivot []int     // length R
	Rest  []float64 // length N; zero at the pivots
}

// NewPivoted returns the factorisation of a matrix with this diagonal, without
// pivots yet. It keeps diagonal as Rest.
func NewPivoted(diagonal []float64) *Pivoted { return &Pivoted{N: len(diagonal), Rest: diagonal} }

// Largest returns the largest element of Rest, the first of equals, and its index.
func (p *Pivoted) Largest() (i int, rest float64) {
	for j, d := range p.Rest {
		if d > p.Rest[i] {
			i = j
		}
	}
	return i, p.Rest[i]
}

// Append adds the pivot i, whose Rest must be positive; row is row i of A.
func (p *Pivoted) Append(i int, row []float64) {
	var bl gonum.Implementation
	from := len(p.C)
	p.C = append(p.C, row[:p.N]...)
	c := p.C[from:]
	for k := range p.Pivot {
		earlier := p.C[k*p.N : (k+1)*p.N]
		bl.Daxpy(p.N, -earlier[i], earlier, 1, c, 1)
	}
	root := math.Sqrt(p.Rest[i])
	for j := range c {
		c[j] /= root
		p.Rest[j] -= float64(c[j] * c[j])
	}
	// Exactly, where rounding would leave something else.
	for _, j := range p.Pivot {
		c[j], p.Rest[j] = 0, 0
	}
	c[i], p.Rest[i] = root, 0
	p.Pivot = append(p.Pivot, i)
}
