package gpucb

import (
	"math"

	"popbench/internal/math/fmath"
)

// BetaConfig is the schedule of β_t, which chooses the t-th point from t-1 values (Srinivas et al. 2010, whose
// experiments divide the theorems' β_t by 5). Theorem 1 is for finitely many points. Theorem 3, for functions of bounded
// RKHS norm, is left out: its β_t contains the largest information gain of any t points, of which only the order is known.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant: 1; theorem2: 2 log(2t²π²/3δ) + 2d log(t² d sqrt(log(4d/δ))) with δ = 0.1, for a box, in units in which it is [0,1]^d." enum:"constant,theorem2"`
	Factor   float64 `json:"factor" min:"0" max:"1e9" doc:"Factor of the schedule: raise it to explore more; 0.2 with theorem2 in the experiments of the theorem's authors."`
}

// delta is the failure probability of theorem 2, as in its authors' experiments. The theorem's a and b, by which a
// partial derivative of f exceeds L with probability at most a exp(-L²/b²), are 1: nobody knows them.
const delta float64 = 0.1

// at returns β_t in d dimensions, t >= 1.
func (c BetaConfig) at(t, d int) float64 {
	if c.Schedule == "constant" {
		return c.Factor
	}
	tt, dd := float64(t*t), float64(d)
	lipschitz := math.Sqrt(fmath.Log(4 * dd / delta))
	return c.Factor * (float64(2*fmath.Log(2*tt*math.Pi*math.Pi/(3*delta))) + float64(2*dd*fmath.Log(tt*dd*lipschitz)))
}
