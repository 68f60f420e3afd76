package gpucb

import (
	"fmt"
	"math"

	"popbench/internal/math/fmath"
)

// BetaConfig is the schedule of β_t, which chooses the t-th point from t-1 values (Srinivas et al. 2010, whose
// experiments divide the theorems' β_t by 5). Theorem 3, for functions of bounded RKHS norm, is left out: its
// β_t contains the largest information gain of any t points, of which only the order is known.
type BetaConfig struct {
	Schedule string  `json:"schedule" doc:"constant: 1; theorem1: 2 log(points t² π²/6δ), for finitely many points; theorem2: 2 log(2t²π²/3δ) + 2d log(t² d b sqrt(log(4da/δ))), for a box, in units in which it is [0,1]^d." enum:"constant,theorem1,theorem2"`
	Factor   float64 `json:"factor" min:"0" max:"1e9" doc:"Factor of the schedule; 0.2 in the experiments of the theorems' authors."`
	Delta    float64 `json:"delta" min:"0" max:"1" doc:"δ, the failure probability of the theorems, at least 1e-12 and below 1."`
	Points   int     `json:"points" min:"1" max:"1000000000" doc:"|D| of theorem1."`
	A        float64 `json:"a" min:"1e-9" max:"1e9" doc:"a of theorem2: a partial derivative of f exceeds L with probability at most a exp(-L²/b²)."`
	B        float64 `json:"b" min:"1e-9" max:"1e9" doc:"b of theorem2."`
}

const minDelta = 1e-12

func (c BetaConfig) validate() error {
	if !(c.Delta >= minDelta && c.Delta < 1) {
		return fmt.Errorf("beta.delta = %g is not a failure probability; give %g or more, below 1", c.Delta, minDelta)
	}
	return nil
}

// at returns β_t in d dimensions, t >= 1.
func (c BetaConfig) at(t, d int) float64 {
	tt, dd := float64(t*t), float64(d)
	switch c.Schedule {
	case "theorem1":
		return c.Factor * 2 * fmath.Log(float64(c.Points)*tt*math.Pi*math.Pi/(6*c.Delta))
	case "theorem2":
		// If a is so small that f is nearly constant, the theorem's logarithm is undefined; its second term is
		// then 0.
		lipschitz := c.B * math.Sqrt(max(0, fmath.Log(4*dd*c.A/c.Delta)))
		return c.Factor * (float64(2*fmath.Log(2*tt*math.Pi*math.Pi/(3*c.Delta))) + float64(2*dd*fmath.Log(max(1, tt*dd*lipschitz))))
	}
	return c.Factor
}
