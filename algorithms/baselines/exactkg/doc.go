// Package exactkg is the knowledge gradient for duels: preferential Bayesian optimisation that asks the pair
// whose answer is expected to raise the largest posterior mean most.
//
// Source:
//
//	J. Wu, J. R. Gardner, "Exact preferential knowledge gradient", arXiv 2601.22335, 2026
//
// We read its abstract only. The formulas below are our derivation, and no program of the authors is public.
//
// # Method
//
// The model of the utility f, its fit and the first duels are as in package qeubo. Let μ and k be mean and covariance
// of the Gaussian posterior, and x₁ and x₂ the points asked. Then
//
//	δ = f(x₁) - f(x₂) ~ N(m, v),  c(x) = cov(f(x), δ) = k(x, x₁) - k(x, x₂)
//
// The oracle prefers x₁ with probability F(δ), so that f(x) given the answer has the mean of f(x) weighted by F(δ)
// or 1 - F(δ). Given δ, f(x) has the mean μ(x) + c(x) (δ - m)/v, and E (δ - m) F(δ) = v E F'(δ) by Stein's
// identity. Thus with p = E F(δ) and g = E F'(δ)
//
//	E[f(x) | x₁ wins] = μ(x) + c(x) g/p,   E[f(x) | x₂ wins] = μ(x) - c(x) g/(1-p)
//
// and the expected gain of the largest posterior mean is
//
//	KG(x₁, x₂) = max_x [p μ(x) + g c(x)] + max_x [(1-p) μ(x) - g c(x)] - max_x μ(x) >= 0
//
// This is exact for the Gaussian posterior and any link F. p and g are in closed form for probit, and a
// trapezoidal sum for the logistic link (gp.Link). With x₁ and x₂ in place of the two maximisers, and c(x₁) -
// c(x₂) = v,
//
//	KG(x₁, x₂) + max μ >= p μ(x₁) + (1-p) μ(x₂) + g v = W
//
// W is the expected utility of the winner of the duel: E [F(δ) f(x₁) + (1-F(δ)) f(x₂)]. It is at most qEUBO's
// E max(f(x₁), f(x₂)), whose oracle makes no error. So KG may be below EUBO less max μ.
//
// # Search
//
// On a box the sum in KG is maximised over x₁, x₂ and both maximisers together, in 4d dimensions, by local
// searches. They start from the pairs with the largest KG over the candidates, out of three lists: pairs with the
// largest EUBO, the point of largest mean with points beside it, and quasi-random pairs. Then both maximisers are
// searched for alone, and if that finds better ones, all four points together again.
//
// On arms KG is computed for every pair of different arms, except those that a bound excludes. Often no answer
// would move the maximum of the mean, and KG is 0 for all pairs. If the largest is below 1e-12 max(1, |max μ|),
// the pair of largest W is asked, and of equal pairs the one of largest v.
//
// The recommendation maximises the posterior mean.
//
// # Limits
//
// A Gaussian posterior is an approximation, and after another duel the model approximates anew. Then the mean rises
// less than KG says.
package exactkg
