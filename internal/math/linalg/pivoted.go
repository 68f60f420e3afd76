package linalg

import (
	"math"

	"popbench/internal/math/wide"
)

// Pivoted is a partial Cholesky factorisation CᵀC of a positive semi-definite matrix A of size N with complete
// pivoting, one row of C per pivot (Harbrecht, Peters and Schneider, "On the low-rank approximation by the pivoted
// Cholesky decomposition", 2012). CᵀC equals A in the rows and columns of the pivots. The remainder A - CᵀC is
// positive semi-definite with diagonal Rest.
//
// The caller chooses when to stop. R pivots cost N R² operations and need only the pivots' rows of A.
type Pivoted struct {
	N     int
	C     []float64 // R×N, row-major; zero in the columns of earlier pivots, unless Rounded
	Pivot []int     // length R
	Rest  []float64 // length N; zero at the pivots
	// Rounded scales rows by a reciprocal and does not reset the zeros that rounding disturbs. That is faster, for
	// callers that do not read them.
	Rounded bool

	column []float64 // scratch
}

// NewPivoted returns the factorisation of a matrix with this diagonal, without pivots. It keeps diagonal as Rest.
func NewPivoted(diagonal []float64) *Pivoted { return &Pivoted{N: len(diagonal), Rest: diagonal} }

// Largest returns the largest element of Rest, the first of equals, and its index.
func (p *Pivoted) Largest() (i int, rest float64) {
	i = ArgMax(p.Rest)
	return i, p.Rest[i]
}

// Fill appends pivots, the one with the largest Rest first, while that is above least. row returns row i of A.
func (p *Pivoted) Fill(least float64, row func(i int) []float64) {
	for len(p.Pivot) < p.N {
		i, rest := p.Largest()
		if !(rest > least) {
			return
		}
		p.Append(i, row(i))
	}
}

// Append adds pivot i, whose Rest must be positive. row is row i of A.
func (p *Pivoted) Append(i int, row []float64) {
	from := len(p.C)
	p.C = append(p.C, row[:p.N]...)
	c := p.C[from:]
	if r := len(p.Pivot); r > 0 {
		p.column = Resize(p.column, r)
		for k := range p.column {
			p.column[k] = p.C[k*p.N+i]
		}
		wide.GemvT(c, -1, p.C, p.N, p.column)
	}
	root := math.Sqrt(p.Rest[i])
	if p.Rounded {
		wide.Scale(c, 1/root)
	} else {
		for j := range c {
			c[j] /= root
		}
		for _, j := range p.Pivot {
			c[j] = 0
		}
		c[i] = root
	}
	p.Pivot = append(p.Pivot, i)
	for j, v := range c {
		p.Rest[j] -= float64(v * v)
	}
	for _, j := range p.Pivot {
		p.Rest[j] = 0
	}
}
