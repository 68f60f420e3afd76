// Package qeubo is qEUBO for duels: preferential Bayesian optimisation by the
// expected utility of the better of two options.
//
//	alg, err := qeubo.New(algorithms.Setup{Domain: box, Start: x0, Rand: r}, qeubo.Default())
//	for range budget {
//		query, err := alg.Ask()
//		err = alg.Tell(query, winner) // index in query.Points
//	}
//	best, err := alg.Recommend()
//
// Source:
//
//	R. Astudillo, Z. J. Lin, E. Bakshy, P. I. Frazier, "qEUBO: A
//	Decision-Theoretic Acquisition Function for Preferential Bayesian
//	Optimization", AISTATS 2023
//
// # Method
//
// The utility f has a Gaussian process prior with the squared exponential kernel,
// one lengthscale for each coordinate; the oracle prefers x to y with probability
// σ(f(x) - f(y)). After each comparison the lengthscales and the variance are set to
// the maximum of evidence times prior, and the posterior of f is approximated by a
// Gaussian. The next query is the pair of new points that maximises
// E max(f(x), f(y)); the recommendation maximises the posterior mean.
//
// # What the authors' program does otherwise
//
// It fits a variational Gaussian over 2d + 2n inducing points with 512
// quasi-random samples of the likelihood, by L-BFGS over all of it together with
// the hyper-parameters. The optimum of the same bound needs two numbers for each
// duel (package internal/math/gp): this package computes it exactly, and climbs the
// hyper-parameters by its analytic gradient. Their program starts every fit afresh;
// here a climb starts where the last one ended, and for the first duels and then
// every ten another starts at the prior's mode. Their program evaluates 60d pairs
// and climbs from 2d; this package evaluates all pairs of some hundred points.
//
// The first 4d duels of their program are of random points. Here they count as
// steps, since every comparison does. The paper on POP-BO does not say what its runs
// of qEUBO began with.
//
// The Laplace approximation with logit or probit, which BoTorch's PairwiseGP is,
// is a setting. With PairwiseGP's flat prior of the variance a flat utility may be
// the most probable one, as in one of the reference data sets, and then all
// pairs are equal; the Gamma prior of the default has no such maximum.
//
// # Cost
//
// A step takes fifty to a hundred Cholesky factorisations, each of the cube of the
// number of duels t. Tell, Ask and Recommend took together, in ms of
// processor time on a busy 2.5 GHz Xeon, beside the authors' program
// (BenchmarkStep repeats it, but for that program):
//
//	t                   5      10      20      30      50     100
//	2-D               0.8     1.5     2.3     4.0     7.6      27
//	authors' 2-D     1200    1500    1400    2000    2700
//	6-D               1.9     3.2     5.5     7.9      19      45
//	authors' 6-D         4600 to 5400
package qeubo
