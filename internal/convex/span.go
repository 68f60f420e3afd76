package convex

import (
	"math"
	"slices"
)

// span has coordinates of span{g_1..g_n, h} in an orthonormal basis: f is w,
// u = Cw, ⟨f, h⟩ = a·w and ‖f‖ = |w|.
type span struct {
	n, r  int
	c     []float64 // n×r
	a     []float64 // length r
	pivot []int     // the basis spans these elements, n for h
	coord []float64 // r×r, lower triangle: coordinates of the pivots
}

// newSpan returns coordinates for the Gram matrix of the g and, unless c is
// nil, of h, by Cholesky's method with complete pivoting.
func (s *Solver) newSpan(c []float64, rho float64) *span {
	if s.projected {
		return s.basis.span(c, rho)
	}
	n := s.n
	all := n
	if c != nil {
		all++
	}
	rest := make([]float64, all*all) // Gram matrix of what the basis does not span yet
	for i := range n {
		copy(rest[i*all:i*all+n], s.gram[i*s.stride:i*s.stride+n])
		if c != nil {
			rest[i*all+n], rest[n*all+i] = c[i], c[i]
		}
	}
	if c != nil {
		rest[all*all-1] = rho
	}
	var top float64
	for i := range all {
		top = max(top, rest[i*all+i])
	}
	l := make([]float64, all*all) // coordinates, a row an element
	done := make([]bool, all)
	p := &span{n: n}
	for ; p.r < all; p.r++ {
		// What is left is rounding once it is as small as this.
		best, d := -1, float64(all)*0x1p-52*top
		for i := range all {
			if !done[i] && rest[i*all+i] > d {
				best, d = i, rest[i*all+i]
			}
		}
		if best < 0 {
			break
		}
		done[best] = true
		p.pivot = append(p.pivot, best)
		root := math.Sqrt(d)
		l[best*all+p.r] = root
		for i := range all {
			if !done[i] {
				l[i*all+p.r] = rest[i*all+best] / root
			}
		}
		for i := range all {
			if done[i] {
				continue
			}
			for j := range all {
				if !done[j] {
					rest[i*all+j] -= l[i*all+p.r] * l[j*all+p.r]
				}
			}
		}
	}
	row := func(i int) []float64 { return l[i*all : i*all+p.r] }
	for i := range n {
		p.c = append(p.c, row(i)...)
	}
	p.a = make([]float64, p.r)
	if c != nil {
		copy(p.a, row(n))
	}
	for _, i := range p.pivot {
		p.coord = append(p.coord, row(i)...)
	}
	return p
}

// span returns the coordinates that the basis has, with one more for what of h
// is across it.
func (b *basis) span(c []float64, rho float64) *span {
	p := &span{n: b.n, r: b.r, pivot: slices.Clone(b.pivot)}
	if c != nil {
		p.a = slices.Clone(b.coordinates(c))
		if across := rho - dot(p.a, p.a); across > 0x1p-40*rho {
			p.a = append(p.a, math.Sqrt(across))
			p.pivot = append(p.pivot, b.n)
			p.r++
		}
	}
	p.a = append(p.a, make([]float64, p.r-len(p.a))...)
	p.c, p.coord = make([]float64, p.n*p.r), make([]float64, p.r*p.r)
	for k := range b.r {
		for i, v := range b.c[k*b.n : (k+1)*b.n] {
			p.c[i*p.r+k] = v
		}
		copy(p.coord[k*p.r:], b.coord[k*b.r:(k+1)*b.r])
	}
	if p.r > b.r {
		copy(p.coord[b.r*p.r:], p.a)
	}
	return p
}

// expand sets coef and nu so that w is Σ coef_i g_i + nu h; it overwrites w.
func (p *span) expand(coef, w []float64) (nu float64) {
	clear(coef)
	for j := p.r - 1; j >= 0; j-- {
		row := p.coord[j*p.r : (j+1)*p.r]
		v := w[j] / row[j]
		for k := range j {
			w[k] -= v * row[k]
		}
		if p.pivot[j] == p.n {
			nu = v
		} else {
			coef[p.pivot[j]] = v
		}
	}
	return nu
}
