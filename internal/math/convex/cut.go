package convex

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
)

// setCut sets the cut from the gradient g = Σ p_i g_i of the given norm, v_i = ⟨g_i, g⟩. The cut is the
// ball alone if there is no gradient, or if its terms cancel so far that rounding determines its norm.
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

// Cut returns the cut of the last Maximize, from the tangent where it ended, or the ball alone if the
// likelihood was not active. It is valid until the next call of the solver.
func (s *Solver) Cut() *Cut {
	k := &s.cut
	k.Coef = linalg.Resize(k.Coef, s.n)
	s.gram.expand(k.Coef, k.alpha)
	return k
}

// ColdCut returns the cut from the tangent at the multiple of the MLE that lies on the level, which is
// known before the first solve. It is valid until the next call of the solver, too.
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

// Tighten lowers upper[j] to the maximum of ⟨f, h_j⟩ over ball and halfspace, if that is less. h_j has
// ‖h_j‖ = norm[j] and ⟨n, h_j⟩ = along[j] to within slack. The maximum does not fall when ⟨n, h⟩ or the
// halfspace grows, so Tighten uses the largest of both that rounding allows.
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
