package popbo

import (
	"math"

	"popbench/internal/math/fmath"
)

// Theory has the constants of the paper's confidence sets (App. "Properties of the function σ")
// for functions with |f(x)| <= B. The paper assumes k(x, x) <= 1, so that B is the norm bound.
// For a larger kernel B is the norm bound times sup sqrt(k(x, x)).
type Theory struct {
	B           float64 // bound on |f(x)|
	LogCovering float64 // natural log of N(B_f, Epsilon, ‖·‖_∞)
	Epsilon     float64 // covering radius; 1/T in the paper's regret bound
	Delta       float64 // failure probability
}

// Sigma returns the range of σ(u) for |u| <= 2B.
func (c Theory) Sigma() (lo, hi float64) { return sigmoid(-2 * c.B), sigmoid(2 * c.B) }

// SigmaPrime returns the range of σ′(u) for |u| <= 2B.
func (c Theory) SigmaPrime() (lo, hi float64) {
	s, t := c.Sigma()
	return s * t, 0.25
}

// Bp is B_p = σ̄/σ̲ - σ̲/σ̄.
func (c Theory) Bp() float64 {
	lo, hi := c.Sigma()
	return hi/lo - lo/hi
}

// H is H_σ = 1/(2σ̄²).
func (c Theory) H() float64 {
	_, hi := c.Sigma()
	return 0.5 / (hi * hi)
}

// CL is C_L = 1 + 2/(1 + e^{-2B}).
func (c Theory) CL() float64 {
	_, hi := c.Sigma()
	return 1 + float64(2*hi)
}

// logUnion is log(π²t²N/(6δ)), of the union bound over the cover and all t.
func (c Theory) logUnion(delta float64, t int) float64 {
	return fmath.Log(math.Pi*math.Pi/6) + float64(2*fmath.Log(float64(t))) + c.LogCovering - fmath.Log(delta)
}

// Beta1 is β_1(ε, δ, t) of Thm. conf_set_f, t >= 1.
func (c Theory) Beta1(t int) float64 { return c.beta1(c.Delta, t) }

func (c Theory) beta1(delta float64, t int) float64 {
	n := float64(t)
	return math.Sqrt(32*n*c.B*c.B*c.logUnion(delta, t)) + float64(c.CL()*c.Epsilon*n)
}

// Beta2 is β_2(ε, δ, t) of Lemma obj_ell_po. The logarithm has 6δ, as in the lemma's proof. The
// statement prints 3δ, which is the proof's value at δ/2, where the lemma uses it.
func (c Theory) Beta2(t int) float64 { return c.beta2(c.Delta, t) }

func (c Theory) beta2(delta float64, t int) float64 {
	n := float64(t)
	_, dhi := c.SigmaPrime()
	bp := c.Bp()
	return float64(8*c.H()*dhi*dhi*c.Epsilon*c.Epsilon*n) + float64(2*c.CL()*c.Epsilon*n) + math.Sqrt(8*n*bp*bp*c.logUnion(delta, t))
}

// Beta is β(ε, δ/2, t), the squared radius of Lemma obj_ell_po ("Elliptical Bound"):
// (β_2 + 2β_1)/(σ̲′² H_σ), both at δ/2. The statement prints the factor σ̲′²/H_σ, but its proof
// divides by σ̲′²: the mean value theorem gives Σ(Δp)² >= σ̲′² Σ(Δu)². Beta grows like e^{6B} and
// is +Inf from B = 118 on.
func (c Theory) Beta(t int) float64 {
	dlo, _ := c.SigmaPrime()
	return (c.beta2(c.Delta/2, t) + float64(2*c.beta1(c.Delta/2, t))) / (dlo * dlo * c.H())
}

func sigmoid(u float64) float64 {
	if u < 0 {
		e := fmath.Exp(u)
		return e / (1 + e)
	}
	return 1 / (1 + fmath.Exp(-u))
}

// at returns β_t for t comparisons under the bound |f| <= b.
func (c BetaConfig) at(t int, b float64) float64 {
	switch c.Schedule {
	case "sqrt(t)":
		return c.Beta0 * math.Sqrt(float64(t))
	case "sqrt(t+1)":
		return c.Beta0 * math.Sqrt(float64(t+1))
	case "constant":
		return c.Beta0
	case "theory":
		return c.theory(b).Beta1(max(t, 1))
	}
	panic("popbo: unknown beta.schedule " + c.Schedule)
}

// elliptical returns the β of the recommendation rule, Eq. best_sample_report: the elliptical
// radius under the theory schedule, and β_t, its practical substitute, under the others.
func (c BetaConfig) elliptical(t int, b float64) float64 {
	if c.Schedule == "theory" {
		return c.theory(b).Beta(max(t, 1))
	}
	return c.at(t, b)
}

// coverRadius is ε of the theory schedule. The paper takes 1/T; this is its value for 100 steps.
const coverRadius = 0.01

func (c BetaConfig) theory(b float64) Theory {
	return Theory{B: b, LogCovering: c.Covering, Epsilon: coverRadius, Delta: c.Delta}
}
