// Package pfts is PF-TS, Thompson sampling from preference feedback: a duel of the maximisers of two draws.
//
// Source:
//
//	J. Lazzaro, D. Buffelli, D. Shiu, S. Vakili, "A Finite Time Analysis of Thompson Sampling for
//	Bayesian Optimization with Preferential Feedback", AISTATS 2026, arXiv 2604.25025
//
// # Method
//
// The first duel has two arms drawn uniformly. After t answers the duel compares x = argmax f¹ with x' = argmax f², for two
// independent draws
//
//	f¹, f² ~ N(f, v Σ)
//
// with f the regularised estimate of the utility and Σ its posterior covariance under the duelling kernel with noise ρ². The
// paper draws differences from an anchor, f(·) - f(x_0). That is the same: such a draw is the difference of a draw of f.
//
// The authors' program has v = √(2 (t + 1 + log 2/δ)), δ = 0.05, as a factor of the covariance, scale: program. scale: theory
// takes for √v the β_t(δ) of MaxMinLCB, which is our reading and not checked with the paper; scale: one is v = 1.
//
// # The "POP-BO" of its program
//
// The program compares with an algorithm that it calls POP-BO:
//
//	x' = the last point,   x = argmax_x f(x) - f(x') + β σ(x, x')
//
// It has neither a likelihood confidence set nor a norm ball, and is not the POP-BO of package popbo. Here it is rule: ucb,
// with preset: pfts-popbo for its settings. Its first duel, which our source leaves open, has the start and a uniform arm.
//
// # Our choices
//
//   - Neither source says what to recommend: here the arm with the largest f.
//   - On a box, which the paper does not have, f¹ and f² are two pathwise draws, exact at a grid of 31 points in each
//     coordinate in one and two dimensions, else at 1000 quasi-random points drawn again in every step, and at all points that
//     were compared; both are maximised over the box. That is kernel self-sparring with another posterior.
//   - A tie is half a win of either point.
package pfts
