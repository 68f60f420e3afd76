package convex

import "math"

const (
	rounding    = 0x1p-46 // relative error of ℓ to be reckoned with
	maxRounding = 1e-6    // most that it may excuse in a gap, of the scale
	maxCancel   = 1e6     // most that the terms of f may be larger than f
)

// enclose sets the value and bound of res from the evaluation of s.cur, and its
// status by whether they agree. It returns the scale of the problem.
func (s *Solver) enclose(c []float64, rho float64, e evaluation, res *Result) (scale float64) {
	kappa := math.Exp(s.cur.lnKa)
	gg, gf := dot(s.kp, s.v), dot(s.kp, s.u) // κ²‖∇ℓ‖², κ⟨∇ℓ, f⟩
	norm := math.Sqrt(gg)
	res.LogNu, res.LogKappa = s.cur.lnNu, s.cur.lnKa
	if c == nil {
		shrink := min(1, s.b/math.Sqrt(e.norm2))
		scale = max(1, -e.ll)
		res.enclose(shrink*e.ll+(1-shrink)*s.ll0, min(0, e.ll+(s.b*norm-gf)/kappa), s.tol*scale)
		return scale
	}
	scale = s.scale(rho)
	along := dot(s.kp, c) / norm
	across := math.Sqrt(max(rho-along*along, 0))
	bound, _, lambda := s.tangentBound(along, across, (gf-kappa*(e.ll-s.lbar))/norm, norm/kappa)
	res.enclose(s.feasible(e.value, e.ll, e.norm2), s.tighten(rho, bound), s.tol*scale+s.roundingEffect(scale, lambda))
	return scale
}

// tangentBound returns the maximum of ⟨f, h⟩ over the ball and the halfspace
// ℓ(f_0) + ⟨∇ℓ(f_0), f - f_0⟩ >= ℓ̄, which holds the concave ℓ's level set: the
// least weak-duality bound that f_0 can give. h has the components along and
// across ∇ℓ(f_0), whose norm is slope; in its direction the halfspace begins at
// least. The multipliers are those of ‖f‖² <= B² and of the halfspace.
func (s *Solver) tangentBound(along, across, least, slope float64) (bound, mu, lambda float64) {
	norm := math.Hypot(along, across)
	if s.b*along >= least*norm || !(slope > 0) {
		return s.b * norm, norm / (2 * s.b), 0
	}
	rest := math.Sqrt(max(0, (s.b-least)*(s.b+least)))
	mu = across / (2 * rest)
	return least*along + rest*across, mu, (2*mu*least - along) / slope
}

// feasible returns the value of a feasible function near to the f with this
// value, ℓ(f) and ‖f‖²: shrunk into the ball, then blended with the MLE. ℓ is
// concave, so at least the interpolation on both ways.
func (s *Solver) feasible(value, ll, norm2 float64) float64 {
	if norm2 > s.b*s.b {
		shrink := s.b / math.Sqrt(norm2)
		value *= shrink
		ll = shrink*ll + (1-shrink)*s.ll0
	}
	if short := s.lbar - ll; short > 0 {
		theta := short / (short + s.beta)
		value = (1-theta)*value + theta*s.mleValue
	}
	return value
}

// enclose sets the value and the bound, and the status by whether they agree to
// what is allowed.
func (res *Result) enclose(value, bound, allowed float64) {
	res.Value, res.Bound = value, max(bound, value)
	res.Gap = res.Bound - value
	res.Status = Failed
	if res.Gap <= allowed {
		res.Status = Converged
	}
}

// roundingEffect is what an error of rounding in ℓ̄ does to a maximum, λ times
// as much. It is below the tolerance unless β is tiny.
func (s *Solver) roundingEffect(scale, lambda float64) float64 {
	return min(lambda*rounding*-s.lbar, maxRounding*scale)
}

// cancels reports whether the terms of f = νh + Σ α_i g_i cancel to a degree
// that their rounding is felt in f.
func (s *Solver) cancels(rho float64) bool {
	var sum float64
	if rho > 0 {
		sum = math.Exp(s.cur.lnNu) * math.Sqrt(rho)
	}
	for i, a := range s.cur.alpha {
		sum += math.Abs(a) * s.size[i]
	}
	return sum > maxCancel*s.b
}

// scale is that of a maximum, max(1, B‖h‖).
func (s *Solver) scale(rho float64) float64 { return max(1, s.b*math.Sqrt(rho)) }

// tighten returns the least of the bound and two that hold whatever the
// iterate: Cauchy-Schwarz, B‖h‖; and, since every f of the set lies within
// reach of the MLE, which decides when β is tiny.
func (s *Solver) tighten(rho, bound float64) float64 {
	root := math.Sqrt(rho)
	if math.IsNaN(bound) {
		bound = math.Inf(1)
	}
	return min(bound, s.b*root, s.mleValue+s.reach*root)
}
