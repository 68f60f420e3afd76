package confset

import "math"

// frame is how a solver writes functions y of the span of the g_i, and functionals. Differences write y = Σ α_i g_i as α,
// and h as the ⟨g_i, h⟩. Coordinates write both in an orthonormal basis of the span, where a projection stands for h.
type frame interface {
	// functional writes h, given as in Maximize. It returns ρ too, unless rounding left that below the norm of h.
	functional(c []float64, rho float64) (h []float64, rho2 float64)
	// combine writes Σ b_i g_i as a function and as a functional. The results are valid as long as b and room, both of
	// length n.
	combine(b, room []float64) (alpha, h []float64)
	// image returns the y written as alpha as a functional, in dst or alpha.
	image(dst, alpha []float64) []float64
	// expand sets coef, of length n, so that y is Σ coef_i g_i.
	expand(coef, alpha []float64)
	// differences sets dst_i = ν⟨g_i, h⟩.
	differences(dst []float64, nu float64, h []float64)
	// norm2 returns ‖g_i‖².
	norm2(i int) float64
	// shrunk sets dst to y = h - (I + κ Σ W_ij g_i g_jᵀ)⁻¹h, with the κW of a factor.
	shrunk(f factor, dst, h []float64)

	// start sets the iterate to νh + y, with its ν; h may be nil. gy has the ⟨g_i, y⟩ if they are known, or is nil.
	start(h, alpha, gy []float64)
	// own sets dst to the y of the iterate, after evaluate.
	own(dst []float64)
	// terms returns the coefficients of the g_i whose sizes show whether the terms of the iterate cancel.
	terms() []float64
	// evaluate evaluates the iterate. It leaves the weights, the gradient κ∇ℓ in s.slope, and the iterate as a functional in
	// s.f. h is nil for the MLE.
	evaluate(h []float64, rho float64) evaluation
	// products returns the inner products of the Newton step for the last factor and evaluation.
	products(h []float64, rho float64, e evaluation) products
	// trial sets s.next to the iterate after the whole step. It returns the size of the change of u, relative where |u| is
	// large.
	trial(da, db float64) (size float64)
	// chord says with which right-hand sides factors solve, and from which fall of the gap on they are used again: the gap
	// of the same solve, and of another.
	chord() (x *vectors, fall, otherFall float64)

	// span returns coordinates of the span of the g_i and, unless h is nil, of h.
	span(h []float64, rho float64) *span
	// toSpan sets w to the coordinates of y in a span, and fromSpan sets alpha and nu so that w is νh + y. It overwrites w.
	toSpan(w []float64, s *span, alpha []float64)
	fromSpan(alpha []float64, s *span, w []float64) (nu float64)
}

// largerChange returns the larger of size and the size of the change d of u, see maxMove.
func largerChange(size, d, u float64) float64 {
	scale := 1 + float64(relativeU*math.Abs(u))
	if math.Abs(d) < size*scale*(1-0x1p-50) { // as nearly always, and at less than a quotient's cost
		return size
	}
	return max(size, math.Abs(d)/scale)
}

// written is a function of the span, and the same as a functional.
type written struct{ alpha, h []float64 }

// evaluation has the values of the constraints and the dual at an iterate.
type evaluation struct {
	nu     float64
	ll     float64 // ℓ(u)
	logNeg float64 // log(-ℓ)
	value  float64 // ⟨f, h⟩
	norm2  float64 // ‖f‖²
	rest2  float64 // ‖Σ (κp_i - α_i) g_i‖², zero where the Lagrangian is stationary
}

// products are inner products of the Newton step d0 + da d1 + db d2, see direction.
type products struct {
	excess        float64 // ‖f + d0‖² - B²
	f1, f2        float64 // ⟨f + d0, d1⟩ and ⟨f + d0, d2⟩
	d11, d12, d22 float64
	p0, p1, p2    float64 // κ⟨∇ℓ, d0⟩ and so on; p1 is ν⟨h, d2⟩, too
	h1            float64 // ν⟨h, d1⟩
}
