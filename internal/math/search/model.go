package search

import (
	"math"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// model is the quadratic g·p + ½ p·B p, with B positive definite. It approximates the change of a function over
// a step p.
type model struct {
	b []float64 // B, d×d

	// Workspaces of minimise.
	p      []float64      // length d, the step
	r      []float64      // length d, g + B p
	lo, hi []float64      // length d, bounds of p
	free   []int          // coordinates that are not held at a bound
	factor linalg.Growing // of B on the free coordinates
	row    []float64      // length d, a new row of it
	q      []float64      // length d, a step of the free coordinates

	bs []float64 // length d, B s
}

func newModel(d int) model {
	v := func() []float64 { return make([]float64, d) }
	return model{
		b: make([]float64, d*d), p: v(), r: v(), lo: v(), hi: v(),
		free: make([]int, 0, d), row: v(), q: v(), bs: v(),
	}
}

func (m *model) setIdentity(scale float64) {
	if !(scale > 0) || math.IsInf(scale, 1) {
		return
	}
	clear(m.b)
	for i := range m.p {
		m.b[i*len(m.p)+i] = scale
	}
}

// update makes B agree with the change y of the gradient over the step s, as far as B stays definite: the
// curvature along s falls to no less than a fifth of its old value (Nocedal and Wright, Procedure 18.2). If rounding
// leaves B with a diagonal that is not positive, B becomes a multiple of the identity. update overwrites y.
func (m *model) update(s, y []float64) {
	const damping = 0.2
	d := len(s)
	for i := range m.bs {
		m.bs[i] = wide.Dot(m.b[i*d:(i+1)*d], s)
	}
	sBs, sy := wide.Dot(s, m.bs), wide.Dot(s, y)
	if sy < damping*sBs {
		mix := (1 - damping) * sBs / (sBs - sy)
		for i := range y {
			y[i] = float64(mix*y[i]) + float64((1-mix)*m.bs[i])
		}
		sy = wide.Dot(s, y)
	}
	if !(sy > 0) || !finite(wide.Dot(y, y)/sy) || !finite(wide.Dot(m.bs, m.bs)/sBs) {
		return
	}
	b := m.b
	for i, yi := range y { // B is symmetric to the last bit, so half of the quotients suffice
		bi := m.bs[i]
		row, yj, bj := b[i*d:i*d+i+1], y[:i+1], m.bs[:i+1]
		for j, v := range row {
			v += yi*yj[j]/sy - bi*bj[j]/sBs
			row[j] = v
			b[j*d+i] = v
		}
	}
	for i := range s {
		if !(m.b[i*d+i] > 0) {
			m.setIdentity(wide.Dot(y, y) / sy)
			return
		}
	}
}

// minimise sets p to a step for the gradient g that keeps u+p in [0,1]^d and |p_i| <= radius, and returns by
// how much the model falls. Coordinates at a bound stay there if -g points out. The others go to their minimum,
// or stay at the bound that they meet on the way. An exact method would release some of them again, but that
// saves no evaluations.
func (m *model) minimise(u, g []float64, radius float64) float64 {
	free, d := m.free[:0], len(u)
	lo, hi := m.lo[:d], m.hi[:d]
	clear(m.p)
	copy(m.r, g)
	for i, v := range u {
		lo[i], hi[i] = max(-radius, -v), min(radius, 1-v)
		if outwards := (g[i] > 0 && lo[i] == 0) || (g[i] < 0 && hi[i] == 0); !outwards {
			free = append(free, i)
		}
	}
	m.free = free
	m.factorise(0)
	for m.grow() {
	}
	var fall float64
	for i, p := range m.p {
		fall -= float64(p * (g[i] + m.r[i]) / 2)
	}
	return fall
}

// grow moves p to the minimum over the free coordinates, or to the first bound on the way. The coordinate of
// that bound is then no longer free. grow reports whether it met a bound.
func (m *model) grow() bool {
	m.solveFree()
	t, hit := 1.0, -1
	for a, i := range m.free {
		if room := m.bound(a) - m.p[i]; math.Abs(t*m.q[a]) > math.Abs(room) {
			t, hit = room/m.q[a], a
		}
	}
	d := len(m.p)
	r := m.r[:d]
	for a, i := range m.free {
		delta := float64(t * m.q[a])
		m.p[i] = min(max(m.p[i]+delta, m.lo[i]), m.hi[i])
		b := m.b[i*d : i*d+d]
		for j, v := range r {
			r[j] = v + float64(delta*b[j])
		}
	}
	if hit < 0 {
		return false
	}
	m.p[m.free[hit]] = m.bound(hit)
	m.free = append(m.free[:hit], m.free[hit+1:]...)
	if d < rotateFrom {
		m.factorise(hit)
	} else {
		m.factor.Remove(hit)
	}
	return true
}

// rotateFrom is the dimension from which the factor is updated, instead of recomputed, when a coordinate stops
// at a bound. An update takes n² instead of n³ operations, for each of up to d coordinates; 300 dimensions then
// take a tenth of the time. In lower dimensions other parts dominate, and the two methods round differently.
const rotateFrom = 32

// bound returns the bound in the direction of q in free coordinate a.
func (m *model) bound(a int) float64 {
	if m.q[a] < 0 {
		return m.lo[m.free[a]]
	}
	return m.hi[m.free[a]]
}

// factorise computes the factor of B on the free coordinates, from the given row on. It keeps the rows before.
func (m *model) factorise(from int) {
	d := len(m.p)
	m.factor.Truncate(from)
	for a := from; a < len(m.free); a++ {
		b := m.b[m.free[a]*d:][:d]
		for c, j := range m.free[:a] {
			m.row[c] = b[j]
		}
		// The floor keeps a factor even if rounding has made B indefinite.
		diagonal := b[m.free[a]]
		m.factor.Append(m.row[:a], diagonal, max(1e-14*diagonal, math.SmallestNonzeroFloat64))
	}
}

// solveFree sets q to the solution of B q = -r on the free coordinates.
func (m *model) solveFree() {
	q := m.q[:len(m.free)]
	for a, i := range m.free {
		q[a] = -m.r[i]
	}
	m.factor.Solve(q)
	m.factor.SolveTransposed(q)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
