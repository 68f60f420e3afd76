// Package qeubo is qEUBO for duels: preferential Bayesian optimisation with the expected utility of the best
// option as the acquisition function.
//
// Source:
//
//	R. Astudillo, Z. J. Lin, E. Bakshy, P. I. Frazier, "qEUBO: A
//	Decision-Theoretic Acquisition Function for Preferential Bayesian
//	Optimization", AISTATS 2023
//
// # Method
//
// The utility f has a Gaussian process prior with the squared exponential kernel and one lengthscale for each
// coordinate. The oracle prefers x to y with probability σ(f(x) - f(y)). After each comparison, lengthscales
// and variance maximise evidence times prior, and the posterior of f is approximated by a Gaussian. The next
// query is the pair of new points that maximises E max(f(x), f(y)). The recommendation maximises the posterior
// mean. On arms the maxima are over all pairs of different arms, and over all arms.
//
// # Differences from the authors' program
//
// Their program fits a variational Gaussian over 2d + 2n inducing points, with 512 quasi-random samples of the
// likelihood, by L-BFGS over all its parameters and the hyper-parameters together. The optimum of the same
// bound needs only two numbers for each duel (package internal/math/gp). This package computes it exactly, and
// fits the hyper-parameters with the analytic gradient. Their program starts every fit afresh. Here a fit
// starts where the last one ended, and for the first duels and then every ten duels also at the prior's mode.
// Their program evaluates 60d pairs and starts local searches from 2d of them. This package evaluates all pairs
// of some hundred points.
//
// The first 4d duels of their program have random points. Here they count as steps, as every comparison does.
// The paper on POP-BO does not say how its runs of qEUBO began.
//
// The Laplace approximation with logit or probit is a setting; BoTorch's PairwiseGP uses probit. With
// PairwiseGP's flat prior of the variance, a flat utility may be the most probable one, as in one of the
// reference data sets. Then all pairs are equal. The Gamma prior of the default has no such maximum.
//
// # Cost
//
// A step takes fifty to a hundred Cholesky factorisations, each cubic in the number of duels.
// docs/performance.md has times, beside those of the authors' program.
package qeubo
