package gp

import (
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// anderson accelerates a fixed-point iteration x → x + p(x) by mixing its steps: where p is linear, the last
// few points and steps determine where it is zero (Walker and Ni, "Anderson acceleration for fixed-point
// iterations", SIAM J. Numer. Anal. 2011, type II).
type anderson struct {
	used    int               // pairs stored
	dx, dp  [memory][]float64 // changes of point and step between iterations, a ring buffer
	at      int               // index of the next pair
	x, p    []float64         // the last point and step
	started bool
	gamma   [memory]float64
	normal  linalg.Growing // of the normal equations
	scaled  []float64
}

const memory = 5 // pairs

func (m *anderson) reset(n int) {
	m.used, m.at, m.started = 0, 0, false
	for i := range memory {
		m.dx[i], m.dp[i] = linalg.Resize(m.dx[i], n), linalg.Resize(m.dp[i], n)
	}
	m.x, m.p, m.scaled = linalg.Resize(m.x, n), linalg.Resize(m.p, n), linalg.Resize(m.scaled, n)
}

// next sets dst to the next point after x, whose plain step is p. An error in coordinate i is weighted by
// scale[i].
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
			dst[i] -= float64(m.gamma[a] * (m.dx[a][i] + m.dp[a][i]))
		}
	}
}

// solve sets gamma to the least-squares solution of p = Σ gamma_a dp_a, by the normal equations. They have a
// ridge, since steps can be nearly dependent. It returns false if they are singular.
func (m *anderson) solve(p, scale []float64) bool {
	m.normal.Truncate(0)
	var row [memory]float64
	for a := range m.used {
		for i, s := range scale {
			m.scaled[i] = s * s * m.dp[a][i]
		}
		m.gamma[a] = wide.Dot(m.scaled, p)
		for b := range a + 1 {
			row[b] = wide.Dot(m.scaled, m.dp[b])
		}
		if !m.normal.Append(row[:a], row[a]*(1+1e-10), 0) {
			return false
		}
	}
	m.normal.Solve(m.gamma[:m.used])
	m.normal.SolveTransposed(m.gamma[:m.used])
	return true
}
