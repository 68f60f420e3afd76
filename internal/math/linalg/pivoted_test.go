package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"popbench/internal/check"
)

// CᵀC equals A in the rows of the pivots and leaves Rest of the diagonal elsewhere. With the largest pivot first,
// Rest becomes small after as many pivots as the rank of A.
func TestPivoted(t *testing.T) {
	const n, rank = 30, 6
	r := rand.New(rand.NewPCG(3, 3))
	b := make([]float64, n*rank) // A = BBᵀ + 1e-6 I
	for i := range b {
		b[i] = r.NormFloat64()
	}
	a := make([]float64, n*n)
	diagonal := make([]float64, n)
	for i := range n {
		for j := range n {
			for k := range rank {
				a[i*n+j] += b[i*rank+k] * b[j*rank+k]
			}
		}
		a[i*n+i] += 1e-6
		diagonal[i] = a[i*n+i]
	}
	for _, rounded := range []bool{false, true} {
		p := NewPivoted(slices.Clone(diagonal))
		p.Rounded = rounded
		for range rank + 3 {
			i, rest := p.Largest()
			if rest != slices.Max(p.Rest) || p.Rest[i] != rest || slices.Contains(p.Pivot, i) {
				t.Fatalf("the largest of %v is not %g at %d", p.Rest, rest, i)
			}
			if small := rest < 1e-4; small != (len(p.Pivot) >= rank) {
				t.Errorf("%g is left after %d pivots", rest, len(p.Pivot))
			}
			p.Append(i, a[i*n:(i+1)*n])
			if c := p.C[(len(p.Pivot)-1)*n+i]; !rounded && c != math.Sqrt(rest) {
				t.Errorf("the pivot of %g has the root %g", rest, c)
			}
			for i := range n {
				for j := range n {
					var got float64
					for k := range p.Pivot {
						got += p.C[k*n+i] * p.C[k*n+j]
					}
					exact := slices.Contains(p.Pivot, i) || slices.Contains(p.Pivot, j)
					if i == j {
						got += p.Rest[i]
						exact = true
					}
					if exact && math.Abs(got-a[i*n+j]) > 1e-12 {
						t.Fatalf("after %d pivots element %d, %d is %.15g, want %.15g", len(p.Pivot), i, j, got, a[i*n+j])
					}
				}
			}
			for k, j := range p.Pivot {
				check.That(t, p.Rest[j] == 0, "%g is left at the pivot %d", p.Rest[j], j)
				for l := k + 1; l < len(p.Pivot) && !rounded; l++ {
					check.That(t, p.C[l*n+j] == 0, "row %d has %g at the earlier pivot %d", l, p.C[l*n+j], j)
				}
			}
		}
	}
}
