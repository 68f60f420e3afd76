// Package mrlpf is MR-LPF, multi-round learning from preference feedback: rounds of uncertain duels, after each of which it
// strikes out arms that lose for certain.
//
// Source:
//
//	A. Kayal, S. Vakili, L. Toni, D. Shiu, A. Bernacchia, "Bayesian Optimization from Human Feedback:
//	Near-Optimal Regret Bounds", ICML 2025, arXiv 2505.23673
//
// # Method
//
// The number of queries T is known in advance. M is the set of all arms at first. Round r has N_r queries,
//
//	N_1 = ⌈√T⌉,   N_r = ⌈√(T N_{r-1})⌉,   and the last round ends at T
//
// Each query is the pair of arms of M with the largest posterior variance of its difference, given the queries of this round
// only. The answers are not looked at until the round is over. Then f is estimated from the answers of this round, and the
// arms stay in M that no arm b of M beats for certain:
//
//	s(f(a) - f(b)) + β σ(a, b) >= ½
//
// with s the logistic function. So the queries of a round do not depend on its answers, and could be asked at once. Here they
// are asked one by one.
//
// # The published programs
//
// In the authors' program, and in PF-TS's, which has the same function, the spread is zero at the start of a round. The
// first query of a round then is the first arm of M against itself. The estimate has a ridge on the coefficients of the
// answers and the mean of the losses, β is 1 and ρ² is 0.05. The presets authors-code and pfts have these settings, and the
// kernels of the two programs' experiments on one coordinate.
//
// # Our choices
//
//   - The paper does not say what to recommend: here it is the arm of M with the largest f of all answers. The presets of
//     the programs, which forget the answers of earlier rounds, take the largest f of the last complete round, and before
//     its end of the answers so far. A cut last round counts only if it is not shorter than planned.
//   - A fitted kernel (the setting fit) is fitted to all answers. A round keeps the kernel of its start, so that its
//     queries do not depend on its answers.
//   - When one arm is left it duels itself; with self_duels: forbid, the arm whose difference from it is least certain.
//   - On a box, which the paper does not have, the arms are the points of a grid of 31 in each coordinate in one and two
//     dimensions, else 1000 quasi-random points, the same for the whole run.
//   - A tie is half a win of either point.
package mrlpf
