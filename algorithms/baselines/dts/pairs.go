package dts

import (
	"fmt"

	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Priors of f([x; x']), the latent value of "x beats x'".
const (
	// mirrored is a function of 2d inputs with a squared exponential kernel, v k(x,u) k(x',u'), that learns
	// every duel twice: [x; x'] was won, [x'; x] lost (the paper's reading).
	mirrored = "se-mirrored"
	// antisymmetric is mirrored under the condition f([x; x']) = -f([x'; x]): v (k(x,u) k(x',u') - k(x,u')
	// k(x',u)).
	antisymmetric = "se-antisymmetric"
	// preference is a difference of utilities, f([x; x']) = g(x) - g(x'), where g has the kernel v k: v (k(x,u)
	// + k(x',u') - k(x,u') - k(x',u)).
	preference = "preference"
)

// pairKernel is the prior covariance of f at pairs [x; x'] of points. v k is the kernel, with the same lengthscales for x
// and x'.
type pairKernel struct {
	Prior  string        // mirrored, antisymmetric or preference
	Kernel kernel.Config // stationary, with a lengthscale for each coordinate
	v      float64       // its variance
	k      kernel.Kernel // of one point, variance 1
}

// newPairKernel panics if the kernel is invalid.
func newPairKernel(prior string, c kernel.Config) pairKernel {
	c = c.WithLengthscale(c.Lengthscale) // a copy
	one := c
	one.Variance = 1
	k, err := one.New(len(one.Lengthscale))
	if err != nil {
		panic(fmt.Sprintf("dts: %v", err))
	}
	return pairKernel{prior, c, c.Variance, k}
}

// cov returns the covariance of f([a; b]) and f([c; d]), from the kernel of the points: ac = k(a, c) and so on.
func (p pairKernel) cov(ac, bd, ad, bc float64) float64 {
	switch p.Prior {
	case antisymmetric:
		return p.v * (float64(ac*bd) - float64(ad*bc))
	case preference:
		return p.v * (ac + bd - ad - bc)
	}
	return p.v * ac * bd
}

// slope returns the derivative of cov in a parameter of k, given the derivatives dac and so on of its values.
func (p pairKernel) slope(ac, bd, ad, bc, dac, dbd, dad, dbc float64) float64 {
	switch p.Prior {
	case antisymmetric:
		return p.v * (float64(dac*bd) + float64(ac*dbd) - float64(dad*bc) - float64(ad*dbc))
	case preference:
		return p.v * (dac + dbd - dad - dbc)
	}
	return p.v * (float64(dac*bd) + float64(ac*dbd))
}

// variances sets each k = k(x, x') to the prior variance of f([x; x']).
func (p pairKernel) variances(k []float64) {
	anti := p.Prior == antisymmetric // in a loop of many points cov looks at the prior for each
	for j, c := range k {
		if anti {
			k[j] = p.v * (1 - float64(c*c))
		} else {
			k[j] = p.cov(1, 1, c, c)
		}
	}
}

// cross takes the covariances of f([x; x']) with sign f([a; b]) for many x': xa is k(x, a), otherA[j] is k(x'_j, a), and so
// on. It sets dst to them times w, and adds them times alpha to mean.
func (p pairKernel) cross(dst, mean []float64, w, alpha, sign, xa, xb float64, otherA, otherB []float64) {
	scale := sign * p.v
	otherA, otherB = otherA[:len(dst)], otherB[:len(dst)]
	switch p.Prior {
	case antisymmetric:
		wide.CombineTo(dst, scale*xa, otherB, -scale*xb, otherA, mean, alpha, w)
		return
	case preference:
		for j := range dst {
			dst[j] = scale * (xa + otherB[j] - xb - otherA[j])
		}
	default:
		copy(dst, otherB)
		wide.Scale(dst, scale*xa)
	}
	wide.AddScaled(mean, alpha, dst)
	wide.Scale(dst, w)
}

// duels are pairs of points with their comparisons.
type duels struct {
	d      int
	points []float64 // x and x' of every duel in turn, 2n rows of length d
	sign   []float64 // +1 where x won, -1 where x' did; length n
}

func (s *duels) len() int { return len(s.sign) }

// gram sets k (2n×2n) to the kernel of the points, and g (n×n) to the prior covariances of the signed latent
// values s_i f([x_i; x'_i]).
func (s *duels) gram(p pairKernel, g, k []float64) {
	n := s.len()
	for i := range 2 * n {
		p.k.Row(k[i*2*n:(i+1)*2*n], s.points[i*s.d:(i+1)*s.d], s.points)
	}
	for i := range n {
		a, b := k[2*i*2*n:][:2*n], k[(2*i+1)*2*n:][:2*n]
		for j := range i + 1 {
			v := s.sign[i] * s.sign[j] * p.cov(a[2*j], b[2*j+1], a[2*j+1], b[2*j])
			g[i*n+j], g[j*n+i] = v, v
		}
	}
}

// gramSlope sets g to the derivative of gram in the logarithm of lengthscale j of the kernel exp(-r²/2).
func (s *duels) gramSlope(p pairKernel, g, k []float64, j int) {
	n, d := s.len(), s.d
	scale := 1 / p.Kernel.Lengthscale[j]
	// ∂k/∂log l_j = k r_j², where r_j is the scaled difference in coordinate j.
	slope := func(at, u, w int) float64 {
		r := scale * (s.points[u*d+j] - s.points[w*d+j])
		return float64(k[at] * r * r)
	}
	for i := range n {
		for m := range i + 1 {
			a, b, x, y := 2*i, 2*i+1, 2*m, 2*m+1
			ax, by, ay, bx := a*2*n+x, b*2*n+y, a*2*n+y, b*2*n+x
			v := s.sign[i] * s.sign[m] * p.slope(k[ax], k[by], k[ay], k[bx],
				slope(ax, a, x), slope(by, b, y), slope(ay, a, y), slope(bx, b, x))
			g[i*n+m], g[m*n+i] = v, v
		}
	}
}
