package wide

import (
	"math"

	"popbench/internal/math/fmath"
)

// LogisticError is the largest error of LogisticMeans.
const LogisticError = 6.5e-5

// LogisticMeans sets p_i to E σ(f), f ~ N(p_i, variance_i), to within LogisticError. It approximates the logistic function
// by a mixture of normal distribution functions (Monahan and Stefanski, "Normal scale mixture approximations to F*(z) and
// computation of the logistic-normal integral", 1992),
//
//	σ(x) ≈ Σ_k w_k Φ(s_k x),   E σ(f) ≈ Σ_k w_k Φ(s_k mean / √(1 + s_k² variance)),
//
// whose error is at most the largest error of the mixture, 4.4e-5, for any mean and variance. Φ(u) in turn is
// approximated by the logistic function of an odd polynomial, to within 1.9e-5.
func LogisticMeans(p, variance []float64) {
	variance = variance[:len(p)]
	if avx2 && len(p) > 0 {
		logisticMeansAVX2(&p[0], &variance[0], len(p))
		return
	}
	for i, mean := range p {
		var one [len(normals)]float64
		for k, c := range normals {
			one[k] = 1 + fmath.Exp(-logitOfPhi(mean/math.Sqrt(c.spread+variance[i])))
		}
		a, b, c := one[0], one[1], one[2]
		p[i] = (float64(normals[0].weight*(b*c)) + float64(normals[1].weight*(a*c)) + float64(normals[2].weight*(a*b))) / (a * b * c)
	}
}

// AddLogistic adds σ(-x_i) = 1/(1 + e^x_i) to y_i, with x_i limited to ±ExpMax.
func AddLogistic(y, x []float64) {
	x = x[:len(y)]
	if avx2 && len(y) > 0 {
		addLogisticAVX2(&y[0], &x[0], len(y))
		return
	}
	for i, v := range x {
		y[i] += 1 / (1 + fmath.Exp(max(-ExpMax, min(v, ExpMax))))
	}
}

// normals is the mixture of three normal distributions that is closest to the logistic one in the largest
// difference of distribution functions; spread is 1/s².
var normals = [...]struct{ weight, spread float64 }{
	{0.162636, 1 / (0.364059 * 0.364059)},
	{0.585237, 1 / (0.577827 * 0.577827)},
	{0.252127, 1 / (0.907980 * 0.907980)},
}

// logitOfPhi returns the logit of the normal distribution function at u: the logistic function of the result is
// Φ(u) to within 1.9e-5.
func logitOfPhi(u float64) float64 {
	u = max(-8, min(u, 8)) // beyond, the polynomial turns back
	u2 := u * u
	return u * (1.595436 + float64(u2*(0.0735965-float64(0.000631614*u2))))
}

// LogitSums adds the nodes to the sums: Value of log (1+low)(1+high), which is minus log σ at both, D1, W and Slope of the
// first derivative of log σ, minus the second and minus the third, and Total of the weights. No product of both e^{-g} may
// overflow.
func LogitSums(nodes []LogitNodes) {
	if avx2 && len(nodes) > 0 {
		logitSumsAVX2(&nodes[0], len(nodes))
		return
	}
	for k := range nodes {
		n := &nodes[k]
		for i := range n.Z {
			for ; n.Z[i] < n.End[i]; n.Z[i] += n.Step[i] {
				n.Weight[i] = float64(n.Weight[i] * n.Ratio[i])
				n.Ratio[i] *= n.Shrink[i]
				n.Low[i] = float64(n.Low[i] * n.Down[i])
				n.High[i] = float64(n.High[i] * n.Up[i])
				weight, low, high := n.Weight[i], n.Low[i], n.High[i]
				pl, ph := 1/(1+low), 1/(1+high)
				ql, qh := float64(low*pl), float64(high*ph)
				wl, wh := float64(ql*pl), float64(qh*ph)
				n.Value[i] += float64(weight * fmath.Log((1+low)*(1+high)))
				n.D1[i] += float64(weight * (ql + qh))
				n.W[i] += float64(weight * (wl + wh))
				n.Slope[i] += float64(weight * (float64(wl*(ql-pl)) + float64(wh*(qh-ph))))
				n.Total[i] += float64(2 * weight)
			}
		}
	}
}
