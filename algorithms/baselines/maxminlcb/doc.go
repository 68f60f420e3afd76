// Package maxminlcb is MaxMinLCB: duels as a game of a leader and a follower on lower confidence bounds of preferences.
//
// Source:
//
//	B. Pásztor, P. Kassraie, A. Krause, "Bandits with Preference Feedback: A Stackelberg Game
//	Perspective", NeurIPS 2024, arXiv 2406.16745
//
// # Method
//
// With f the regularised estimate of the utility, s the logistic function and w(a, b) the width of the difference of two
// utilities,
//
//	LCB(a, b) = s(f(a) - f(b)) - β w(a, b),   UCB(a, b) = s(f(a) - f(b)) + β w(a, b),   LCB(a, a) = ½
//	M = { a : UCB(a, b) >= ½ for all b },   or all arms
//	x = argmax_{a in M} min_{b in M} LCB(a, b),   x' = argmin_{b in M} LCB(x, b)
//
// The duel compares the leader x with the follower x'. w is the posterior standard deviation under the duelling kernel with
// noise ρ². Package algorithms/internal/arms computes f and w exactly in R^K, with a duality gap for f; the published programs
// work with all K² pairs. The package finds x and x' by enumeration.
//
// # The published programs
//
// What the paper defines and what the programs compute are different things: the authors' program takes the variance for the
// width, all arms for M, and a ridge on the coefficients of the answers in place of the norm of f. The program of PF-TS, which
// compares with MaxMinLCB, takes the mean of the losses. The presets have the settings of each. Where they say first-index,
// ties go to the arm that the domain has first; with random no result depends on the order of the arms.
//
// The theory-driven β is the paper's, with the information gain of the answers at hand.
//
// # Our choices
//
//   - Neither source says what to recommend: here the arm with the largest f.
//   - On a box the paper has no rule. Ours: the arms are the points of a grid of 31 in each coordinate in one and two
//     dimensions, else 1000 quasi-random points drawn again in every step; beside them the last leader and follower. The
//     follower is then improved by a local search on LCB(x, ·). All points that were compared stay in the model.
//   - A tie is half a win of either point.
package maxminlcb
