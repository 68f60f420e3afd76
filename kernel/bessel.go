package kernel

import (
	"math"

	"popbench/internal/math/fmath"
	"popbench/internal/math/wide"
)

// besselProfile is the Matérn profile of a smoothness ν without closed form,
//
//	φ(a) = 2^(1-ν)/Γ(ν) a^ν K_ν(a),
//
// (Rasmussen and Williams, Eq. 4.14), where K_ν is the modified Bessel function of the second kind. It is computed
// from F_ν(a) = a^ν K_ν(a), which is finite at 0, where K_ν is not, and obeys
//
//	F_{ν+1} = a² F_{ν-1} + 2ν F_ν,   dF_ν/da = -a F_{ν-1}
//
// (NIST DLMF 10.29.1 and 10.29.4). The recurrence starts from orders μ and μ+1, |μ| <= 1/2. All its terms are
// positive, so it loses no accuracy.
type besselProfile struct {
	value besselOrder // F_ν
	slope besselOrder // F_|ν-1|
	nu    float64
	norm  float64 // 2^(1-ν)/Γ(ν)
}

func newBesselProfile(nu float64) *besselProfile {
	p := &besselProfile{value: newBesselOrder(nu), slope: newBesselOrder(math.Abs(nu - 1)), nu: nu}
	p.norm = 1 / p.value.atZero()
	return p
}

// coincident is the distance below which two points count as equal, so that no slope overflows.
const coincident = 1e-150

// values sets dst = v φ(√s) for squared distances s.
func (p *besselProfile) values(dst, s []float64, v float64) {
	p.value.fill(dst, s, v, v*p.norm, 0)
}

// slopes sets dst = 2 v dφ/ds = v/a dφ/da for squared distances s = a².
func (p *besselProfile) slopes(dst, s []float64, v float64) {
	p.slope.fill(dst, s, p.slopeAtZero(v), -v*p.norm, min(2*p.nu-2, 0)) // K_{ν-1} = K_{1-ν}
}

// fill sets dst = factor a^power F_ν(a) for squared distances s = a², which it overwrites, and atZero where points coincide.
func (o *besselOrder) fill(dst, s []float64, atZero, factor, power float64) {
	for i, si := range s {
		a := math.Sqrt(si)
		if a < coincident {
			dst[i], s[i] = atZero, 0
			continue
		}
		dst[i], s[i] = o.scaled(a)
		dst[i] *= factor
		if power < 0 {
			dst[i] *= fmath.Pow(a, power)
		}
	}
	mulExpNeg(dst, nil, s)
}

// slopeAtZero returns the limit of a slope at distance 0. If that is infinite it returns 0, because the gradient,
// the slope times a distance, tends to zero (ν > 1/2) or does not exist and counts as zero.
func (p *besselProfile) slopeAtZero(v float64) float64 {
	if p.nu <= 1 {
		return 0
	}
	return -v * p.norm * p.slope.atZero()
}

// besselOrder evaluates F_ν(a) = a^ν K_ν(a) for one ν >= 0, with ν = μ + steps, -1/2 <= μ < 1/2. The relative error
// is about 1e-15 + 1e-16 a, the same as of exp(-a) for a rounded a.
type besselOrder struct {
	mu    float64
	steps int
	sinc  float64 // πμ/sin πμ
	even  float64 // (1/Γ(1-μ) + 1/Γ(1+μ))/2
	odd   float64 // (1/Γ(1-μ) - 1/Γ(1+μ))/(2μ)
	plus  float64 // 1/Γ(1+μ)
	minus float64 // 1/Γ(1-μ)
	pow2  float64 // 2^μ
}

func newBesselOrder(nu float64) besselOrder {
	o := besselOrder{steps: int(math.Floor(nu + 0.5)), sinc: 1}
	o.mu = nu - float64(o.steps)
	if o.mu != 0 {
		o.sinc = math.Pi * o.mu / fmath.Sin(math.Pi*o.mu)
	}
	o.even, o.odd = reciprocalGammas(o.mu)
	o.plus, o.minus = o.even-float64(o.mu*o.odd), o.even+float64(o.mu*o.odd)
	o.pow2 = fmath.Pow(2, o.mu)
	return o
}

// atZero is F_ν(0) = 2^(ν-1) Γ(ν), infinite for ν = 0.
func (o *besselOrder) atZero() float64 {
	if o.steps == 0 {
		return o.pow2 / (2 * o.mu * o.plus)
	}
	f := o.pow2 / o.plus
	for n := 1; n < o.steps; n++ {
		f *= 2 * (o.mu + float64(n))
	}
	return f
}

// scaled returns f and e such that F_ν(a) = f exp(-e), for a > 0.
func (o *besselOrder) scaled(a float64) (f, e float64) {
	var low, high float64 // F_μ and F_{μ+1}, times exp(e)
	switch {
	case a <= 2:
		low, high = o.temme(a)
	case a <= 4*wide.ExpMax:
		low, high, e = o.steed(a)
	default: // F_ν is 0 for any ν in range, or a is NaN
		return 0, a
	}
	if o.steps == 0 {
		return low, e
	}
	a2 := a * a
	for n := 1; n < o.steps; n++ {
		low, high = high, float64(a2*low)+float64(2*(o.mu+float64(n))*high)
	}
	return high, e
}

// temme sums the series for F_μ and F_{μ+1} at 0 < a <= 2. The poles of its terms at μ = 0 are cancelled
// analytically (Temme, "On the numerical evaluation of the modified Bessel function of the third kind", J. Comput.
// Phys. 19, 1975).
func (o *besselOrder) temme(a float64) (low, high float64) {
	mu := o.mu
	logarithm := fmath.Log(2 / a)
	sigma := mu * logarithm
	power := fmath.Exp(sigma) // (2/a)^μ
	sinhc := 1.0              // sinh(σ)/σ
	if sigma != 0 {
		sinhc = fmath.Sinh(sigma) / sigma
	}
	f := o.sinc * (float64(o.odd*fmath.Cosh(sigma)) + float64(o.even*sinhc*logarithm))
	p := 0.5 * power / o.plus
	q := 0.5 / (power * o.minus)
	c, quarter := 1.0, a*a/4
	low, high = f, p
	for n := 1.0; ; n++ {
		f = (float64(n*f) + p + q) / (float64(n*n) - float64(mu*mu))
		c *= quarter / n
		p /= n - mu
		q /= n + mu
		low += float64(c * f)
		term := float64(c * (p - float64(n*f)))
		high += term
		if math.Abs(c*f) <= math.Abs(low)*0x1p-54 && math.Abs(term) <= math.Abs(high)*0x1p-54 {
			break
		}
	}
	scale := o.pow2 / power // a^μ
	return low * scale, 2 * high * scale
}

// steed evaluates a continued fraction, and along with it the sum that normalises it, for F_μ and F_{μ+1} times
// exp(a) at a > 2 (Temme 1975, Sec. 4; Thompson and Barnett, "Coulomb and Bessel functions of complex arguments and
// order", J. Comput. Phys. 64, 1986).
func (o *besselOrder) steed(a float64) (low, high, e float64) {
	first := 0.25 - float64(o.mu*o.mu)
	b := 2 * (1 + a)
	d := 1 / b
	h, dh := d, d
	q0, q1 := 0.0, 1.0
	c, q := first, first
	an := -first
	sum := 1 + float64(q*dh)
	for n := 2.0; ; n++ {
		an -= 2 * (n - 1)
		c *= -an / n
		q0, q1 = q1, (q0-float64(b*q1))/an
		q += float64(c * q1)
		b += 2
		d = 1 / (b + float64(an*d))
		dh = float64(dh * (float64(b*d) - 1))
		h += dh
		term := float64(q * dh)
		sum += term
		if math.Abs(term) <= math.Abs(sum)*0x1p-54 {
			break
		}
	}
	low = fmath.Pow(a, o.mu) * math.Sqrt(math.Pi/(2*a)) / sum
	return low, low * (o.mu + a + 0.5 - float64(first*h)), a
}

// reciprocalGammas returns (1/Γ(1-μ) + 1/Γ(1+μ))/2 and (1/Γ(1-μ) - 1/Γ(1+μ))/(2μ), from the even and odd parts of a
// Taylor series, for |μ| <= 1/2.
func reciprocalGammas(mu float64) (even, odd float64) {
	// 1/Γ(1+z) = Σ c_n z^n (NIST DLMF 5.7.1 and its table).
	c := [...]float64{
		1, 0.57721566490153286061, -0.65587807152025388108, -0.042002635034095235529,
		0.1665386113822914895, -0.042197734555544336748, -0.0096219715278769735621, 0.0072189432466630995424,
		-0.0011651675918590651121, -0.00021524167411495097282, 0.00012805028238811618615, -2.0134854780788238656e-5,
		-1.2504934821426706573e-6, 1.1330272319816958824e-6, -2.0563384169776071035e-7, 6.1160951044814158179e-9,
		5.0020076444692229301e-9, -1.1812745704870201446e-9, 1.0434267116911005105e-10, 7.782263439905071254e-12,
	}
	mu2 := mu * mu
	for n := len(c) - 2; n >= 0; n -= 2 {
		even = float64(even*mu2) + c[n]
		odd = float64(odd*mu2) - c[n+1]
	}
	return even, odd
}
