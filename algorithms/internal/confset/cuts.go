package confset

import (
	"math"
	"slices"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// setCut sets the cut from the gradient κ∇ℓ, of the given norm. The cut is the ball alone if there is no gradient, or if its
// terms cancel so far that rounding determines its norm.
func (s *Solver) setCut(norm, least float64) {
	k := &s.cut
	k.Least, k.Ball, k.terms = -s.b, s.b, 0
	k.alpha, k.image = linalg.Resize(k.alpha, len(s.cur.alpha)), linalg.Resize(k.image, len(s.cur.alpha))
	if !(norm > 0) || math.IsInf(norm, 1) || math.IsNaN(least) {
		clear(k.alpha)
		clear(k.image)
		return
	}
	k.Least = least
	alpha, image, h, size := k.alpha, k.image, s.slope.h, s.size
	for i, p := range s.slope.alpha {
		alpha[i], image[i] = p/norm, h[i]/norm
	}
	for i, p := range s.kp {
		k.terms += float64(math.Abs(p/norm) * size[i])
	}
	if float64(ulp*float64(s.n+4)*k.terms*k.terms) > normNoise {
		s.setCut(0, 0)
	}
}

// Cut returns the cut of the last Maximize, from the tangent where it ended, or the ball alone if the
// likelihood was not active. It is valid until the next call of the solver.
func (s *Solver) Cut() *Cut {
	k := &s.cut
	k.Coef = linalg.Resize(k.Coef, s.n)
	s.frame.expand(k.Coef, k.alpha)
	return k
}

// ColdCut returns the cut from the tangent at the multiple of the MLE that lies on the level, which is
// known before the first solve. It is valid until the next call of the solver, too.
func (s *Solver) ColdCut() *Cut {
	var norm, least float64
	if s.n > 0 {
		ll, _ := s.weigh(s.cold.g, s.cold.lnKa)
		s.gradient()
		norm = math.Sqrt(wide.Dot(s.slope.alpha, s.slope.h))
		least = (wide.Dot(s.kp, s.cold.g) - float64(fmath.Exp(s.cold.lnKa)*(ll-s.lbar+s.noise))) / norm
	}
	s.setCut(norm, least)
	return s.Cut()
}

// Tighten lowers upper[j] to the maximum of ⟨f, h_j⟩ over ball and halfspace, if that is less. h_j has
// ‖h_j‖ = norm[j] and ⟨n, h_j⟩ = along[j] - shift to within slack. The maximum does not fall when ⟨n, h⟩ or the
// halfspace grows, so Tighten uses the largest of both that rounding allows.
func (k *Cut) Tighten(upper, along, norm []float64, shift, slack float64) {
	b := k.Ball
	NewCap(b, k.Least-float64(slack*b)).Lower(upper, along, norm, shift, slack, cutNoise*b)
}

// NewCap returns the cap of the ball with this radius.
func NewCap(ball, least float64) wide.Cap {
	return wide.Cap{Ball: ball, Least: least, Rest: math.Sqrt(max(0, (ball-least)*(ball+least)))}
}

// Cuts are cuts of one confidence set that bound a maximum together. The maximum over the ball and all
// halfspaces is usually well below the least of the maxima over the ball and a single halfspace.
type Cuts struct {
	ball   float64
	n      int
	width  int       // number of differences
	alpha  []float64 // one row per cut: n_k = Σ alpha_i g_i
	least  []float64 // lowered by what rounding of the normal may change
	terms  []float64 // as in Cut
	inner  []float64 // ⟨n_j, n_k⟩, symmetric, rows of stride elements
	stride int

	// The state of Bound.
	active []int
	lambda []float64      // per active cut
	length float64        // ‖h + Σ λ_j n_j‖
	slope  []float64      // per cut: ⟨n_k, h + Σ λ_j n_j⟩
	factor linalg.Growing // of ⟨n_j, n_k⟩ of the active cuts
	a, c   []float64      // L⁻¹⟨n_j, h⟩ and L⁻¹c_j of the active cuts, L the factor, as far as minimize has come
	with   []float64      // workspace
}

const (
	maxActive      = 12   // number of cuts that Bound combines, at most
	leastAngle     = 1e-6 // least angle between a cut's normal and the span of the active ones
	leastViolation = 1e-9 // least violation of a cut that becomes active, relative to ‖h‖
)

// Reset removes all cuts.
func (s *Cuts) Reset(ball float64) {
	s.ball, s.n, s.alpha, s.least, s.terms = ball, 0, s.alpha[:0], s.least[:0], s.terms[:0]
}

// Len is the number of cuts.
func (s *Cuts) Len() int { return s.n }

// Add copies a cut and returns true. It returns false for a cut without a normal, which it ignores. slack
// bounds the rounding error of ⟨n, h⟩.
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
	linalg.Mul(own, 1, s.alpha, s.width, k.image)
	for j, v := range own {
		s.inner[j*s.stride+at] = v
	}
	return true
}

// row returns ⟨n_j, n_k⟩ for all k.
func (s *Cuts) row(j int) []float64 { return s.inner[j*s.stride:][:s.n] }

// Bound returns an upper bound of ⟨f, h⟩ over the ball and all cuts, for the h with ‖h‖ = norm and
// ⟨n_k, h⟩ = along[k]. It stops once the bound is no greater than the cutoff.
//
// By duality B‖h + Σ λ_k n_k‖ - Σ λ_k c_k is a bound for any λ >= 0. An active set method finds the least:
// the cut that the present maximiser violates most becomes active; cuts whose λ would become negative
// leave (Lawson and Hanson, Solving Least Squares Problems, Alg. 23.10). For a given active set, λ is in
// closed form.
func (s *Cuts) Bound(along []float64, norm, cutoff float64) float64 {
	bound := s.ball * norm
	s.length = norm
	s.active, s.lambda = s.active[:0], s.lambda[:0]
	s.factor.Truncate(0)
	s.a, s.c = s.a[:0], s.c[:0]
	slope := along
	for len(s.active) < maxActive && bound > cutoff {
		joins, most, share := -1, leastViolation*norm, s.length/s.ball
		for k, c := range s.least {
			if d := float64(c*share) - slope[k]; d > most {
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
		slope = s.slope
	}
	return bound
}

// Multipliers returns the multipliers of the last Bound that are not zero, lambda[i] of the cut active[i] in increasing
// order, and slope = B/‖h + Σ λ_k n_k‖. When h changes by dh, the bound changes by slope ⟨h + Σ λ_k n_k, dh⟩ (envelope
// theorem). The slices are valid until the next Bound.
func (s *Cuts) Multipliers() (slope float64, active []int, lambda []float64) {
	for i := range s.active {
		for j := i; j > 0 && s.active[j] < s.active[j-1]; j-- {
			s.active[j], s.active[j-1] = s.active[j-1], s.active[j]
			s.lambda[j], s.lambda[j-1] = s.lambda[j-1], s.lambda[j]
		}
	}
	return s.ball / s.length, s.active, s.lambda
}

// join makes cut k active. It returns false, for the end of Bound, if the cut's normal is in the span of the active ones.
func (s *Cuts) join(k int) bool {
	s.with = s.with[:0]
	row := s.row(k)
	for _, j := range s.active {
		s.with = append(s.with, row[j])
	}
	if !s.factor.Append(s.with, row[k], 0) || s.factor.Diagonal(s.factor.Len()-1) < leastAngle {
		return false
	}
	s.active, s.lambda = append(s.active, k), append(s.lambda, 0)
	return true
}

// minimize moves λ to the minimum of the bound by the active cuts. Cuts whose λ would become negative
// leave. It returns false if the ball and the halfspaces have no common point, to within rounding.
func (s *Cuts) minimize(along []float64, norm float64) bool {
	for {
		for i := len(s.a); i < len(s.active); i++ {
			j, row := s.active[i], s.factor.Row(i)
			s.a = append(s.a, (along[j]-wide.Dot(row[:i], s.a))/row[i])
			s.c = append(s.c, (s.least[j]-wide.Dot(row[:i], s.c))/row[i])
		}
		rest, share := float64(norm*norm)-wide.Dot(s.a, s.a), 1-wide.Dot(s.c, s.c)/(s.ball*s.ball)
		if !(rest > 0 && share > 0) {
			return false
		}
		t := math.Sqrt(rest/share) / s.ball
		s.with = linalg.Resize(s.with, len(s.active))
		for i, c := range s.c {
			s.with[i] = float64(t*c) - s.a[i]
		}
		s.factor.SolveTransposed(s.with)
		step, out := 1.0, -1
		for i, v := range s.with {
			if v < 0 && s.lambda[i] <= float64(step*(s.lambda[i]-v)) {
				step, out = s.lambda[i]/(s.lambda[i]-v), i
			}
		}
		for i, v := range s.with {
			s.lambda[i] += float64(step * (v - s.lambda[i]))
		}
		if out < 0 {
			return true
		}
		s.factor.Remove(out)
		s.a, s.c = s.a[:out], s.c[:out]
		s.active, s.lambda = slices.Delete(s.active, out, out+1), slices.Delete(s.lambda, out, out+1)
	}
}

// dual returns the bound for λ and ‖h + Σ λ_j n_j‖. It sets slope, unless no cut is active.
func (s *Cuts) dual(along []float64, norm float64) (bound, length float64) {
	s.slope = linalg.Resize(s.slope, s.n)
	for i, j := range s.active {
		if i == 0 {
			wide.Combine(s.slope, 1, along, s.lambda[i], s.row(j))
		} else {
			wide.AddScaled(s.slope, s.lambda[i], s.row(j))
		}
	}
	square, least, terms := float64(norm*norm), 0.0, 0.0
	for i, j := range s.active {
		square += float64(s.lambda[i] * (along[j] + s.slope[j]))
		least += float64(s.lambda[i] * s.least[j])
		terms += float64(s.lambda[i] * s.terms[j])
	}
	// Rounding of the inner products, which are sums with one term per difference.
	square += float64(0x1p-50 * float64(s.width+4) * terms * terms)
	length = math.Sqrt(max(0, square))
	return float64(s.ball*length) - least + float64(2*cutNoise*s.ball*norm), length
}
