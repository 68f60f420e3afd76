package search

import "math"

// model is the quadratic g·p + ½ p·B p that stands for the change of a function
// over a step p, with B positive definite.
type model struct {
	b []float64 // B, d×d

	// The work of minimise.
	p      []float64 // length d, the step
	r      []float64 // length d, g + B p
	lo, hi []float64 // length d, bounds of p
	held   []int8    // length d: -1 at lo, 1 at hi, 0 free
	free   []int     // the coordinates that are free
	factor []float64 // Cholesky factor of B on these, row by row
	q      []float64 // length d, a step of these

	bs []float64 // length d, B s
}

func newModel(d int) model {
	v := func() []float64 { return make([]float64, d) }
	return model{
		b: make([]float64, d*d), p: v(), r: v(), lo: v(), hi: v(), held: make([]int8, d),
		free: make([]int, 0, d), factor: make([]float64, d*d), q: v(), bs: v(),
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

// update makes B agree with the change y of the gradient over the step s, as
// far as it can without losing definiteness: curvature along s falls to no less
// than a fifth of what it was (Nocedal and Wright, Procedure 18.2). It changes y.
func (m *model) update(s, y []float64) {
	const damping = 0.2
	d := len(s)
	for i := range m.bs {
		m.bs[i] = dot(m.b[i*d:(i+1)*d], s)
	}
	sBs, sy := dot(s, m.bs), dot(s, y)
	if !(sBs > 0) {
		return
	}
	if sy < damping*sBs {
		mix := (1 - damping) * sBs / (sBs - sy)
		for i := range y {
			y[i] = mix*y[i] + (1-mix)*m.bs[i]
		}
		sy = dot(s, y)
	}
	if !(sy > 0) || !finite(dot(y, y)/sy) || !finite(dot(m.bs, m.bs)/sBs) {
		return
	}
	for i := range s {
		for j := range s {
			m.b[i*d+j] += y[i]*y[j]/sy - m.bs[i]*m.bs[j]/sBs
		}
	}
}

// minimise sets p to the best step for the gradient g that keeps u+p in [0,1]^d
// and |p_i| <= radius, and returns by how much the model falls. It is the primal
// active-set method: the step grows, at each bound it meets that coordinate is
// held, and one is let go when the model falls away from its bound.
func (m *model) minimise(u, g []float64, radius float64) float64 {
	for i := range u {
		m.lo[i], m.hi[i] = max(-radius, -u[i]), min(radius, 1-u[i])
		m.p[i], m.r[i], m.held[i] = 0, g[i], 0
		if g[i] > 0 && m.lo[i] == 0 {
			m.held[i] = -1
		} else if g[i] < 0 && m.hi[i] == 0 {
			m.held[i] = 1
		}
	}
	negligible := 1e-12 * maxAbs(g)
	for range 4 * (len(u) + 1) { // rounding could make it cycle
		if m.grow() {
			continue
		}
		let, pull := -1, negligible
		for i, side := range m.held {
			if force := float64(side) * m.r[i]; force > pull {
				let, pull = i, force
			}
		}
		if let < 0 {
			break
		}
		m.held[let] = 0
	}
	var fall float64
	for i, p := range m.p {
		fall -= p * (g[i] + m.r[i]) / 2
	}
	return fall
}

// grow moves p to the minimum over the free coordinates, or to the first bound
// on the way, which it holds from then on, and reports whether it met one.
func (m *model) grow() bool {
	m.solveFree()
	t, hit := 1.0, -1
	for a, i := range m.free {
		room := m.hi[i] - m.p[i]
		if m.q[a] < 0 {
			room = m.lo[i] - m.p[i]
		}
		if math.Abs(t*m.q[a]) > math.Abs(room) {
			t, hit = room/m.q[a], a
		}
	}
	d := len(m.p)
	for a, i := range m.free {
		delta := t * m.q[a]
		m.p[i] = min(max(m.p[i]+delta, m.lo[i]), m.hi[i])
		for j := range m.r {
			m.r[j] += delta * m.b[i*d+j]
		}
	}
	if hit < 0 {
		return false
	}
	i := m.free[hit]
	m.p[i], m.held[i] = m.hi[i], 1
	if m.q[hit] < 0 {
		m.p[i], m.held[i] = m.lo[i], -1
	}
	return true
}

// solveFree lists the free coordinates and sets q to the solution of B q = -r
// on them.
func (m *model) solveFree() {
	m.free = m.free[:0]
	for i, side := range m.held {
		if side == 0 {
			m.free = append(m.free, i)
		}
	}
	d, n := len(m.p), len(m.free)
	for a, i := range m.free {
		row := m.factor[a*n : (a+1)*n]
		for b, j := range m.free[:a] {
			row[b] = (m.b[i*d+j] - dot(row[:b], m.factor[b*n:])) / m.factor[b*n+b]
		}
		// The floor keeps the factor of a B that rounding has made indefinite.
		diagonal := m.b[i*d+i]
		row[a] = math.Sqrt(max(diagonal-dot(row[:a], row), 1e-14*diagonal))
		m.q[a] = (-m.r[i] - dot(row[:a], m.q)) / row[a]
	}
	for a := n - 1; a >= 0; a-- {
		m.q[a] /= m.factor[a*n+a]
		for b := range a {
			m.q[b] -= m.factor[a*n+b] * m.q[a]
		}
	}
}
