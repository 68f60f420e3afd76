package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// Cut is a halfspace ⟨f, n⟩ >= Least that holds the confidence set: with any f_0,
// concavity gives ℓ(f_0) + ⟨∇ℓ(f_0), f - f_0⟩ >= ℓ̄ for every f of the set, and
// n = ∇ℓ(f_0)/‖∇ℓ(f_0)‖. It does not depend on h, so that one solve bounds the maxima
// for all h.
type Cut struct {
	Coef  []float64 // n = Σ Coef_i g_i, of the norm 1 or, in a cut of the ball alone, 0
	Least float64
	Ball  float64 // B

	alpha []float64 // n = Σ alpha_i g_i in the g of the problem, which a surrogate projects
	image []float64 // ⟨g_i, n⟩
	terms float64   // Σ |alpha_i| ‖g_i‖
}

// setCut makes the cut of the gradient g = Σ p_i g_i of this norm, v_i = ⟨g_i, g⟩.
// Without a direction it leaves the ball, and where the terms of the gradient cancel so
// far that rounding decides its norm.
func (s *Solver) setCut(p, v []float64, norm, least float64) {
	k := &s.cut
	k.Least, k.Ball, k.terms = -s.b, s.b, 0
	k.alpha, k.image = linalg.Resize(k.alpha, s.n), linalg.Resize(k.image, s.n)
	if !(norm > 0) || math.IsInf(norm, 1) || math.IsNaN(least) {
		clear(k.alpha)
		clear(k.image)
		return
	}
	k.Least = least
	for i, p := range p {
		k.alpha[i], k.image[i] = p/norm, v[i]/norm
		k.terms += float64(math.Abs(k.alpha[i]) * s.size[i])
	}
	if float64(ulp*float64(s.n+4)*k.terms*k.terms) > normNoise {
		s.setCut(nil, nil, 0, 0)
	}
}

// Cut returns the cut of the last Maximize, by the tangent where it ended; that of
// the ball alone where the likelihood did not matter. It is valid until the next call
// of the solver.
func (s *Solver) Cut() *Cut {
	k := &s.cut
	k.Coef = linalg.Resize(k.Coef, s.n)
	s.gram.expand(k.Coef, k.alpha)
	return k
}

// ColdCut returns the cut by the tangent at the multiple of the estimate that lies on
// the level: what is known before the first solve. It is valid as that of Cut.
func (s *Solver) ColdCut() *Cut {
	var norm, least float64
	if s.n > 0 {
		v := s.x[ofV]
		ll, _ := s.weigh(s.cold.g, s.cold.lnKa)
		s.gram.mul(v, s.kp)
		norm = math.Sqrt(wide.Dot(s.kp, v))
		least = (wide.Dot(s.kp, s.cold.g) - float64(fmath.Exp(s.cold.lnKa)*(ll-s.lbar+s.noise))) / norm
	}
	s.setCut(s.kp, s.x[ofV], norm, least)
	return s.Cut()
}

// Tighten lowers upper[j] to the maximum of ⟨f, h_j⟩ over ball and halfspace, where
// that is less, for the h_j with ‖h_j‖ = norm[j] and ⟨n, h_j⟩ = along[j] to within
// slack. The maximum does not fall as ⟨n, h⟩ grows or as the halfspace does: both are
// taken at the far end of their rounding.
func (k *Cut) Tighten(upper, along, norm []float64, slack float64) {
	b, least := k.Ball, k.Least-float64(slack*k.Ball)
	rest := math.Sqrt(max(0, (b-least)*(b+least)))
	for j, h := range norm {
		a := along[j] + slack
		bound := b * h // Cauchy-Schwarz
		if b*a < least*h {
			bound = float64(least*a) + float64(rest*math.Sqrt(max(0, (h-a)*(h+a))))
		}
		upper[j] = min(upper[j], bound+float64(cutNoise*b*h))
	}
}

// Bound returns the maximum of Tighten for one h, without rounding, and its derivatives
// by ⟨n, h⟩ and ‖h‖.
func (k *Cut) Bound(along, norm float64) (bound, byAlong, byNorm float64) {
	b, least := k.Ball, k.Least
	if b*along >= least*norm {
		return b * norm, 0, b
	}
	rest := math.Sqrt(max(0, (b-least)*(b+least)))
	across := math.Sqrt(max((norm-along)*(norm+along), leastAcross*norm*norm))
	return float64(least*along) + float64(rest*across), least - rest*along/across, rest * norm / across
}
