package confset

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// enclose sets the value and bound of res from the evaluation of s.cur. Its status says whether they
// agree. It returns the scale of the problem.
func (s *Solver) enclose(h []float64, rho float64, e evaluation, res *Result) (scale float64) {
	kappa := fmath.Exp(s.cur.lnKa)
	g := s.slope.alpha
	gg, gf := wide.Dot(g, s.slope.h), wide.Dot(g, s.f) // κ²‖∇ℓ‖², κ⟨∇ℓ, f⟩
	norm := math.Sqrt(gg)
	res.LogKappa = s.cur.lnKa
	if h == nil {
		shrink := min(1, s.b/math.Sqrt(e.norm2))
		scale = max(1, -e.ll)
		res.enclose(float64(shrink*e.ll)+float64((1-shrink)*s.ll0), min(0, e.ll+(float64(s.b*norm)-gf)/kappa), s.tol*scale, scale)
		return scale
	}
	scale = s.scale(rho)
	along := wide.Dot(g, h) / norm
	across := math.Sqrt(max(rho-float64(along*along), 0))
	least := (gf - float64(kappa*(e.ll-s.lbar+s.noise))) / norm
	s.norm, s.least = norm, least
	bound, _, lambda := s.tangentBound(along, across, least, norm/kappa)
	res.enclose(s.feasible(e.value, e.ll, e.norm2), s.tighten(rho, bound), float64(s.tol*scale)+s.noiseEffect(scale, lambda), scale)
	return scale
}

// tangentBound returns the maximum of ⟨f, h⟩ over the ball and the halfspace
// ℓ(f_0) + ⟨∇ℓ(f_0), f - f_0⟩ >= ℓ̄. ℓ is concave, so the halfspace contains the level set. No
// weak-duality bound from f_0 is lower.
//
// along and across are the components of h along and across ∇ℓ(f_0), whose norm is slope. The halfspace
// begins at least in the direction of ∇ℓ(f_0). mu is the multiplier of ‖f‖² <= B², and lambda of the
// halfspace.
func (s *Solver) tangentBound(along, across, least, slope float64) (bound, mu, lambda float64) {
	norm := fmath.Hypot(along, across)
	if s.b*along >= least*norm || !(slope > 0) {
		return s.b * norm, norm / (2 * s.b), 0
	}
	rest := math.Sqrt(max(0, (s.b-least)*(s.b+least)))
	mu = across / (2 * rest)
	return float64(least*along) + float64(rest*across), mu, (float64(2*mu*least) - along) / slope
}

// feasible makes a feasible function of s.cur, which has this value, ℓ(f) and ‖f‖²: it shrinks s.cur
// into the ball, then blends it with the MLE. ℓ is concave, so on both segments it is at least its linear
// interpolation. feasible returns the value and keeps the weights of the blend.
func (s *Solver) feasible(value, ll, norm2 float64) float64 {
	s.iterateShare, s.mleShare = 1, 0
	if norm2 > s.b*s.b {
		s.iterateShare = s.b / math.Sqrt(norm2)
		ll = float64(s.iterateShare*ll) + float64((1-s.iterateShare)*s.ll0)
	}
	if short := s.lbar - ll; short > 0 {
		s.mleShare = short / (short + s.beta)
		s.iterateShare *= 1 - s.mleShare
	}
	return float64(s.iterateShare*value) + float64(s.mleShare*s.mleValue)
}

// enclose sets the value and the bound. The status is Converged if their gap is no greater than allowed. A bound that is
// further below the value than the rounding of ℓ explains proves nothing, and may be as far below the maximum.
func (res *Result) enclose(value, bound, allowed, scale float64) {
	if short := value - bound; short > max(allowed, maxNoise*scale) {
		bound = value + short
	}
	res.Value, res.Bound = value, max(bound, value)
	res.Gap = res.Bound - value
	res.Status = Unsolved
	if res.Gap <= allowed {
		res.Status = Converged
	}
}

// orElse returns res, with the given status unless it is a solution.
func (res Result) orElse(why Status) Result {
	if !res.Status.OK() {
		res.Status = why
	}
	return res
}

// noiseEffect bounds what the rounding of ℓ does to a maximum: λ times twice the rounding. Unless β is
// tiny, it is below the tolerance.
func (s *Solver) noiseEffect(scale, lambda float64) float64 {
	return min(2*lambda*s.noise, maxNoise*scale)
}

// terms returns Σ |α_i| ‖g_i‖ of s.cur. It exceeds ‖f‖ if terms cancel.
func (s *Solver) terms() (sum float64) {
	for i, a := range s.frame.terms() {
		sum += float64(math.Abs(a) * s.size[i])
	}
	return sum
}

// cancels reports whether the terms of f cancel so far that their rounding affects f.
func (s *Solver) cancels(rho float64) bool {
	sum := s.terms()
	if rho > 0 {
		sum += float64(fmath.Exp(s.cur.lnNu) * math.Sqrt(rho))
	}
	return sum > maxCancel*s.b
}

// scale is the scale of a maximum, max(1, B‖h‖).
func (s *Solver) scale(rho float64) float64 { return max(1, s.b*math.Sqrt(rho)) }

// tighten returns the least of the bound and two that hold for every iterate: B‖h‖ (Cauchy-Schwarz), and
// the value of the MLE plus mleDistance ‖h‖, because every f of the set is that close to the MLE. The
// latter is the least when β is tiny.
func (s *Solver) tighten(rho, bound float64) float64 {
	root := math.Sqrt(rho)
	if math.IsNaN(bound) {
		bound = math.Inf(1)
	}
	return min(bound, s.b*root, s.mleValue+float64(s.mleDistance*root))
}
