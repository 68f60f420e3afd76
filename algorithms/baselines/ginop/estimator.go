package ginop

import (
	"math"

	"popbench/algorithms"
	"popbench/algorithms/internal/arms"
	"popbench/algorithms/internal/confset"
)

// estimator has the estimate from duels, and the confidence set of width: certified.
type estimator struct {
	cfg   Config
	ridge *arms.Ridge // of width: laplace
	ball  *arms.Ball  // of width: certified
	beta  float64
	now   arms.Estimate
	spent confset.Work // without that of ball

	top, bottom arms.Function // that attain the ends of the last width
}

// learnFrom begins with duels, which may have answers.
func (e *estimator) learnFrom(d *arms.Duels) {
	if e.cfg.Width == "laplace" {
		e.ridge = arms.NewRidge(d, e.cfg.Lambda)
		return
	}
	e.spent = e.total()
	e.ball = arms.NewBall(d, e.cfg.NormBound)
}

// estimate computes the estimate and the confidence set for the given β.
func (e *estimator) estimate(beta float64) {
	e.beta = beta
	if e.ridge != nil {
		e.now = e.ridge.Fit()
		e.spent.Newton += e.now.Iterations
		return
	}
	e.now = e.ball.Fit()
	e.ball.SetLevel(beta)
}

func (e *estimator) fitted() arms.Estimate { return e.now }

func (e *estimator) total() confset.Work {
	if e.ball == nil {
		return e.spent
	}
	return e.spent.Plus(e.ball.Work)
}

// certified is the belief f in a value with the given covariances with the compared points.
func (e *estimator) certified(f float64, cov []float64, variance float64) algorithms.Belief {
	w := e.ball.WidthAt(cov, variance, &e.top, &e.bottom)
	return algorithms.Belief{Estimate: f, Lower: w.MinBound, Upper: w.MaxBound}
}

// approximate returns √(2β/λ · variance), half the width of {quadratic model <= its minimum + β}.
func (e *estimator) approximate(variance float64) float64 {
	return math.Sqrt(2 * e.beta / e.cfg.Lambda * variance)
}

// around is the belief in a value that is within half of f.
func around(f, half float64) algorithms.Belief {
	return algorithms.Belief{Estimate: f, Lower: f - float64(half), Upper: f + float64(half)}
}
