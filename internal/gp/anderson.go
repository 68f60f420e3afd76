package gp

import "math"

// anderson mixes the steps of a fixed-point iteration x → x + p(x) so that it
// converges faster: where p is linear, the last few points and steps tell where
// it is zero (Walker and Ni, "Anderson acceleration for fixed-point iterations",
// SIAM J. Numer. Anal. 2011, type II).
type anderson struct {
	used         int         // pairs remembered
	dx, dp       [][]float64 // changes of point and step from one to the next, a ring
	at           int         // where the next pair goes
	x, p         []float64   // the last point and step
	started      bool
	gamma        []float64
	normal       []float64
	scaled, part []float64
}

const memory = 5 // pairs

func (m *anderson) reset(n int) {
	m.used, m.at, m.started = 0, 0, false
	if m.dx == nil {
		m.dx, m.dp = make([][]float64, memory), make([][]float64, memory)
		m.gamma, m.normal = make([]float64, memory), make([]float64, memory*memory)
	}
	for i := range memory {
		m.dx[i], m.dp[i] = sized(m.dx[i], n), sized(m.dp[i], n)
	}
	m.x, m.p, m.scaled, m.part = sized(m.x, n), sized(m.p, n), sized(m.scaled, n), sized(m.part, n)
}

// next sets dst to where to go from x, whose plain step is p; how far off a
// step is in coordinate i counts scale[i].
func (m *anderson) next(dst, x, p, scale []float64) {
	if m.started {
		dx, dp := m.dx[m.at], m.dp[m.at]
		for i := range x {
			dx[i], dp[i] = x[i]-m.x[i], p[i]-m.p[i]
		}
		m.at = (m.at + 1) % memory
		m.used = min(m.used+1, memory)
	}
	copy(m.x, x)
	copy(m.p, p)
	m.started = true
	for i := range dst {
		dst[i] = x[i] + p[i]
	}
	if m.used == 0 || !m.solve(p, scale) {
		return
	}
	for a := range m.used {
		for i := range dst {
			dst[i] -= m.gamma[a] * (m.dx[a][i] + m.dp[a][i])
		}
	}
}

// solve sets gamma to the least squares solution of p = Σ gamma_a dp_a.
func (m *anderson) solve(p, scale []float64) bool {
	k := m.used
	for a := range k {
		for i, s := range scale {
			m.scaled[i] = s * s * m.dp[a][i]
		}
		m.gamma[a] = dot(m.scaled, p)
		for b := range a + 1 {
			m.normal[a*k+b] = dot(m.scaled, m.dp[b])
		}
	}
	// Factor with a ridge, for steps that are nearly dependent.
	l := m.normal
	for a := range k {
		l[a*k+a] *= 1 + 1e-10
		for b := range a + 1 {
			v := l[a*k+b] - dot(l[a*k:a*k+b], l[b*k:b*k+b])
			if b < a {
				l[a*k+b] = v / l[b*k+b]
			} else if !(v > 0) {
				return false
			} else {
				l[a*k+a] = math.Sqrt(v)
			}
		}
	}
	for a := range k {
		m.gamma[a] = (m.gamma[a] - dot(l[a*k:a*k+a], m.gamma)) / l[a*k+a]
	}
	for a := k - 1; a >= 0; a-- {
		m.gamma[a] /= l[a*k+a]
		for b := range a {
			m.gamma[b] -= l[a*k+b] * m.gamma[a]
		}
	}
	return true
}
