// Package qeubo is qEUBO for duels: preferential Bayesian optimisation by the
// expected utility of the better of two options.
//
//	R. Astudillo, Z. J. Lin, E. Bakshy, P. I. Frazier, "qEUBO: A
//	Decision-Theoretic Acquisition Function for Preferential Bayesian
//	Optimization", AISTATS 2023
//
// # Method
//
// The utility f has a Gaussian process prior with the squared exponential kernel,
// one lengthscale for each coordinate; an answer prefers x to y with probability
// σ(f(x) - f(y)). After each answer the lengthscales and the variance are set to
// where evidence times prior is largest, and the posterior of f is approximated
// by a Gaussian. The next duel is the pair that maximises E max(f(x), f(y)), its
// two points being both new; the point to report is where the posterior mean is
// largest.
//
// # What the authors' program does otherwise
//
// It fits a variational Gaussian over 2d + 2n inducing points with 512
// quasi-random samples of the likelihood, by L-BFGS over all of it together with
// the hyper-parameters. The optimum of the same bound needs two numbers a duel
// (package internal/gp): that is what is computed here, exactly, and the
// hyper-parameters have its analytic gradient. It starts every fit afresh; here
// a climb goes from where the last one ended, and for the first answers and then
// every ten another from the prior's mode.
// It looks at 60d pairs and climbs from 2d; here all pairs of some hundred points
// are looked at.
//
// Its first 4d duels are of random points. They are steps like any others here,
// though random, since every answer is one. The paper on POP-BO does not say what
// its runs of qEUBO began with.
//
// The Laplace approximation with logit or probit, which BoTorch's PairwiseGP is,
// is a setting. With PairwiseGP's flat prior of the variance a flat utility may be
// the most probable one, as in one of the reference data sets, and then all
// pairs are equal; the Gamma prior of the default has no such maximum.
//
// # Cost
//
// The Cholesky factorisations go with the cube of the number of duels t, some
// fifty to a hundred of them a step. Tell, Ask and Recommend took together, in ms of
// processor time on a busy 2.5 GHz Xeon, beside the authors' program
// (BenchmarkStep repeats it, but for that program):
//
//	t                   5      10      20      30      50     100
//	2-D               0.8     1.5     2.3     4.0     7.6      27
//	authors' 2-D     1200    1500    1400    2000    2700
//	6-D               1.9     3.2     5.5     7.9      19      45
//	authors' 6-D         4600 to 5400
package qeubo
