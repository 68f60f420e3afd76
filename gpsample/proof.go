package gpsample

import (
	"container/heap"
	"math"
)

// proof bounds f from above over the box by branch and bound: the box is cut
// until no part can hold a value that is better by more than the aim.
//
// Two bounds hold in a part with middle c, half widths h and far corner c + h,
// and the lower counts:
//
//	f(x) <= f(c) + ‖f‖ sqrt(k(c,c) - 2k(c,c+h) + k(c+h,c+h))
//	f(x) <= f(c) + Σ_j |∂_j f(c)| h_j + M/2 Σ_j (h_j/l_j)²
//
// The first is the reproducing property, with the kernel's distance largest at
// the corner. It needs no derivatives. In the second M bounds the second
// derivatives of f along any line, in units of the lengthscales; see curvature.
type proof struct {
	f     *Function
	c     *climber
	m     float64
	cells cells
	count int
	grad  []float64
	far   []float64
}

// cell is a part of the box.
type cell struct {
	mid, half [provedDim]float64
	bound     float64 // of f, from above
}

func newProof(f *Function, c *climber) *proof {
	d := f.box.Dim()
	return &proof{f: f, c: c, m: f.curvature(), grad: make([]float64, d), far: make([]float64, d)}
}

// run returns by how much f may exceed the climber's value, and how many parts
// it looked at. The climber goes on from any better point that is met.
func (p *proof) run() (excessOf float64, count int) {
	f := p.f
	whole := cell{}
	for j, lo := range f.box.Lo {
		whole.half[j] = float64((f.box.Hi[j] - lo) / 2)
		whole.mid[j] = lo + whole.half[j]
	}
	p.push(whole)
	aim := max(excess*f.norm*f.supremum(), f.rounding())
	for p.cells[0].bound > p.c.value+aim && p.count < maxCells {
		parent := heap.Pop(&p.cells).(cell)
		j := p.widest(&parent)
		parent.half[j] /= 2
		left, right := parent, parent
		left.mid[j] -= parent.half[j]
		right.mid[j] += parent.half[j]
		p.push(left)
		p.push(right)
	}
	return max(p.cells[0].bound-p.c.value, 0) + f.rounding(), p.count
}

// push bounds f over a part and puts it on the heap.
func (p *proof) push(c cell) {
	p.count++
	f, d := p.f, len(p.grad)
	mid, half := c.mid[:d], c.half[:d]
	value := f.Value(mid)
	if value > p.c.value {
		p.c.climb(mid)
	}

	for j := range p.far {
		p.far[j] = mid[j] + half[j]
	}
	k := f.kernel
	k00, k11, k01 := k.Eval(mid, mid), k.Eval(p.far, p.far), k.Eval(mid, p.far)
	ulps := float64(4 * epsilon * (k00 + k11))
	c.bound = value + float64(f.norm*math.Sqrt(max(k00-float64(2*k01)+k11, 0)+ulps))
	if !math.IsInf(p.m, 1) {
		f.Gradient(p.grad, mid)
		smooth := value
		for j, g := range p.grad {
			s := half[j] / f.lengthscale(j)
			smooth += float64(math.Abs(g)*half[j]) + float64(p.m/2*s*s)
		}
		c.bound = min(c.bound, smooth)
	}
	heap.Push(&p.cells, c)
}

// widest is the side along which a part is cut.
func (p *proof) widest(c *cell) int {
	widest := 0
	for j := range p.grad {
		if c.half[j]/p.f.lengthscale(j) > c.half[widest]/p.f.lengthscale(widest) {
			widest = j
		}
	}
	return widest
}

const epsilon = 0x1p-52

// rounding bounds the error of two computed values of f: the kernel's is below 2
// units in the last place, the sum's below n.
func (f *Function) rounding() float64 {
	var s float64
	for _, a := range f.alpha {
		s += math.Abs(a)
	}
	top := f.supremum()
	return 2 * epsilon * float64(len(f.alpha)+4) * s * top * top
}

// lengthscale returns l_j, which for the linear kernel is the side of the box.
func (f *Function) lengthscale(j int) float64 {
	l := f.config.Lengthscale
	if f.config.Family == "linear" {
		return f.box.Hi[j] - f.box.Lo[j]
	}
	return l[min(j, len(l)-1)]
}

// curvature returns a number M that |d²/dt² f(x + tu)| does not exceed for any x
// and any direction u with Σ_j (u_j/l_j)² = 1; +Inf if there is none.
//
// With m2 and m4 of the kernel's Moments, if κ has four derivatives at 0, the
// reproducing property gives
//
//	|f''| = |⟨f, ∂²k(x,·)⟩| <= ‖f‖ sqrt(κ⁗(0)) = ‖f‖ sqrt(κ(0) m4),
//
// and with two, because -κ” is positive semidefinite as κ is, hence largest at 0,
//
//	|f''| <= Σ_i |α_i| |κ''(0)| = Σ_i |α_i| κ(0) m2,
//
// where f” exists, which is enough: f' is Lipschitz. The second needs Matérn with
// ν > 1, the first ν > 2.
func (f *Function) curvature() float64 {
	if f.config.Family == "linear" {
		return 0
	}
	m2, m4 := f.config.Moments()
	var s float64
	for _, a := range f.alpha {
		s += math.Abs(a)
	}
	v := f.config.Variance
	return min(f.norm*math.Sqrt(v*m4), s*v*m2)
}

// cells is a heap, the largest bound first.
type cells []cell

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cells) Push(x any)        { *c = append(*c, x.(cell)) }
func (c *cells) Pop() any {
	old := *c
	last := old[len(old)-1]
	*c = old[:len(old)-1]
	return last
}
