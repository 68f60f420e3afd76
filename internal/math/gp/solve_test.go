package gp

// Approximations in memory of their own.

func Laplace(g []float64, n int, link Link, start []float64) *Approximation {
	return new(Solver).Laplace(g, n, link, start)
}

func Variational(g []float64, n int, from *Posterior) *Approximation {
	return new(Solver).Variational(g, n, from, 0)
}

func EP(g []float64, n int, link Probit) *Approximation { return new(Solver).EP(g, n, link) }
