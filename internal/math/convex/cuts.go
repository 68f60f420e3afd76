package convex

import (
	"math"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Cuts are cuts of one confidence set, which bound a maximum together: the maximum over
// the ball and all their halfspaces is mostly well below the least of the maxima over
// the ball and one of them.
type Cuts struct {
	ball   float64
	n      int
	width  int       // of a cut: one number a difference
	alpha  []float64 // by cut a row: n_k = Σ alpha_i g_i
	least  []float64 // with what rounding of the normal may change
	terms  []float64 // as in Cut
	inner  []float64 // ⟨n_j, n_k⟩, symmetric, rows of stride elements
	stride int

	// Of Bound.
	active     []int
	lambda     []float64      // by active cut
	length     float64        // ‖h + Σ λ_j n_j‖
	slope      []float64      // by cut: ⟨n_k, h + Σ λ_j n_j⟩
	factor     linalg.Growing // of ⟨n_j, n_k⟩ of the active cuts
	a, c, with []float64
}

const (
	maxActive      = 12   // cuts that Bound takes together at most
	leastAngle     = 1e-6 // of the normal of a cut with the span of others
	leastViolation = 1e-9 // of a cut that joins them, in ‖h‖
)

// Reset leaves no cuts.
func (s *Cuts) Reset(ball float64) {
	s.ball, s.n, s.alpha, s.least, s.terms = ball, 0, s.alpha[:0], s.least[:0], s.terms[:0]
}

// Len is the number of cuts.
func (s *Cuts) Len() int { return s.n }

// Add copies a cut with a normal; others it leaves out, and returns false. slack bounds
// the error of ⟨n, h⟩ by rounding.
func (s *Cuts) Add(k *Cut, slack float64) bool {
	if !(wide.Dot(k.alpha, k.image) > 0.5) {
		return false
	}
	at := s.n
	s.n++
	s.width, s.alpha = len(k.alpha), append(s.alpha, k.alpha...)
	s.least, s.terms = append(s.least, k.Least-float64(slack*s.ball)), append(s.terms, k.terms)
	if s.n > s.stride {
		stride := max(64, 2*s.stride)
		inner := make([]float64, stride*stride)
		for j := range at {
			copy(inner[j*stride:], s.inner[j*s.stride:][:at])
		}
		s.inner, s.stride = inner, stride
	}
	own := s.inner[at*s.stride:][:s.n]
	clear(own)
	wide.Gemv(own, 1, s.alpha, s.width, k.image)
	for j, v := range own {
		s.inner[j*s.stride+at] = v
	}
	return true
}

// row returns ⟨n_j, n_k⟩ for all k.
func (s *Cuts) row(j int) []float64 { return s.inner[j*s.stride:][:s.n] }

// Bound returns an upper bound of ⟨f, h⟩ over the ball and all cuts, for the h with
// ‖h‖ = norm and ⟨n_k, h⟩ = along[k]. It ends where the bound is no greater than enough.
//
// By duality B‖h + Σ λ_k n_k‖ - Σ λ_k c_k is one for any λ >= 0. The least is found by
// an active set method: the cut that the present maximiser violates most joins, those
// whose λ would be negative leave (Lawson and Hanson, Solving Least Squares Problems,
// Alg. 23.10). For a given set λ is in closed form.
func (s *Cuts) Bound(along []float64, norm, cutoff float64) float64 {
	bound := s.ball * norm
	s.length = norm
	s.active, s.lambda = s.active[:0], s.lambda[:0]
	s.factor.Truncate(0)
	s.slope = append(s.slope[:0], along...)
	for len(s.active) < maxActive && bound > cutoff {
		joins, most := -1, leastViolation*norm
		for k, c := range s.least {
			if d := float64(c*s.length/s.ball) - s.slope[k]; d > most {
				joins, most = k, d
			}
		}
		if joins < 0 || slices.Contains(s.active, joins) || !s.join(joins) || !s.minimize(along, norm) {
			break
		}
		before := bound
		if bound, s.length = s.dual(along, norm); !(bound < before) {
			return before
		}
	}
	return bound
}

// Multipliers sets lambda[k] to the λ_k of the last Bound, and returns B/‖h + Σ λ_k n_k‖.
// By this times ⟨h + Σ λ_k n_k, dh⟩ the bound changes with h (envelope theorem).
func (s *Cuts) Multipliers(lambda []float64) (slope float64) {
	clear(lambda)
	for i, j := range s.active {
		lambda[j] = s.lambda[i]
	}
	return s.ball / s.length
}

// join adds cut k to the active ones; false if its normal is in their span.
func (s *Cuts) join(k int) bool {
	s.with = s.with[:0]
	row := s.row(k)
	for _, j := range s.active {
		s.with = append(s.with, row[j])
	}
	m := s.factor.Len()
	if !s.factor.Append(s.with, row[k], 0) {
		return false
	}
	if s.factor.Diagonal(m) < leastAngle {
		s.factor.Truncate(m)
		return false
	}
	s.active, s.lambda = append(s.active, k), append(s.lambda, 0)
	return true
}

// minimise moves λ to where the bound by the active cuts is least. Cuts whose λ would
// be negative leave; false if nothing is in the ball and the halfspaces, to within
// rounding.
func (s *Cuts) minimize(along []float64, norm float64) bool {
	for {
		m := len(s.active)
		a, c := linalg.Resize(s.a, m), linalg.Resize(s.c, m)
		s.a, s.c = a, c
		for i, j := range s.active {
			a[i], c[i] = along[j], s.least[j]
		}
		s.factor.Solve(a)
		s.factor.Solve(c)
		rest, share := float64(norm*norm)-wide.Dot(a, a), 1-wide.Dot(c, c)/(s.ball*s.ball)
		if !(rest > 0 && share > 0) {
			return false
		}
		t := math.Sqrt(rest/share) / s.ball
		for i := range c {
			c[i] = float64(t*c[i]) - a[i]
		}
		s.factor.SolveTransposed(c)
		step, out := 1.0, -1
		for i, v := range c {
			if v < 0 && s.lambda[i] <= float64(step*(s.lambda[i]-v)) {
				step, out = s.lambda[i]/(s.lambda[i]-v), i
			}
		}
		for i, v := range c {
			s.lambda[i] += float64(step * (v - s.lambda[i]))
		}
		if out < 0 {
			return true
		}
		s.factor.Remove(out)
		s.active, s.lambda = slices.Delete(s.active, out, out+1), slices.Delete(s.lambda, out, out+1)
	}
}

// dual returns the bound of λ and ‖h + Σ λ_j n_j‖, and sets slope.
func (s *Cuts) dual(along []float64, norm float64) (bound, length float64) {
	copy(s.slope, along)
	for i, j := range s.active {
		wide.AddScaled(s.slope, s.lambda[i], s.row(j))
	}
	square, least, terms := float64(norm*norm), 0.0, 0.0
	for i, j := range s.active {
		square += float64(s.lambda[i] * (along[j] + s.slope[j]))
		least += float64(s.lambda[i] * s.least[j])
		terms += float64(s.lambda[i] * s.terms[j])
	}
	// The inner products are sums of as many terms as there are differences.
	square += float64(0x1p-50 * float64(s.width+4) * terms * terms)
	length = math.Sqrt(max(0, square))
	return float64(s.ball*length) - least + float64(2*cutNoise*s.ball*norm), length
}
