// Package popbo is POP-BO, the principled optimistic algorithm for preferential
// Bayesian optimisation. It maximises a function f that cannot be measured, from
// comparisons of two or more points.
//
//	p, err := popbo.New(algorithms.Setup{Domain: box, Start: x0, Rand: r}, popbo.Default())
//	for range budget {
//		query, err := p.Ask()
//		...                        // show query.Points to the decision maker
//		err = p.Tell(query, winner)
//	}
//	recommendations, err := p.Recommend()
//
// Set at least Kernel.Lengthscale: the distance over which f changes, in the units
// of the box. Tell accepts any query, also one that Ask did not propose.
// [POPBO.Belief] estimates f at a point with a confidence range. The State of a
// POPBO is plain data that encodes to JSON, and algorithms.Restore continues from it
// with the same proposals, bit for bit. A [Model] is the part without the
// algorithm: estimate, confidence bounds and advantages for any set of comparisons.
// [Solve] computes these from plain data.
//
// # Method
//
//	W. Xu, W. Wang, Y. Jiang, B. Svetozarevic, C. N. Jones, "Principled
//	Preferential Bayesian Optimization", ICML 2024
//
// Equations and lemmas are cited by their labels in the paper's source.
//
// An oracle prefers x to x' with probability σ(f(x) - f(x')) (Assumption
// pref_model), and f lies in the ball of radius B of the RKHS of a known kernel.
// All functions of the ball that are at most β_t less likely than the maximum
// likelihood estimate form a confidence set (Thm. conf_set_f). Each step compares
// the last point with the one that has the greatest advantage over it for any
// function of the set (Alg. 1, in popbo.go).
//
//	paper             here                 meaning
//	t                 method.t             comparisons so far
//	x_t, x'_t         Query.Points[1], [0] the new point and its reference x_{t-1}
//	1_t               winner               1 if x_t was preferred
//	B                 norm_bound           ‖f‖ <= B
//	k, K, ε_K         kernel, epsilon      kernel; its matrix has ε_K on the diagonal
//	ℓ_t               Model.LogLik         log-likelihood
//	f̂^MLE, Z          Model.MLE, PointValues   estimate, its values at the points
//	β_t               beta                 size of the confidence set
//	β_1, β_2, β       Theory               the theory's sizes
//	σ_t^{ff'}, λ      widths, lambda       uncertainty of a duel (Eq. ff_sigma_def)
//	x_{t*}            min-uncertainty      point to recommend (Eq. best_sample_report)
//	q                 batch                new points of a multiple choice
//
// # Solves
//
// The problems over f are concave. Package internal/math/convex solves them in the
// differences f(winner) - f(loser), the only thing that the likelihood sees;
// neither values at points nor an inverse of K appear, so repeated points and
// kernel matrices near to singular do no harm. Every [Solution] has a feasible
// value, an upper bound from duality, and the gap between them. One that has not
// converged is solved again by another method. If that fails too it is counted as a
// failure, in the metrics, and not used.
//
// The confidence set does not depend on x, so the advantage is a smooth function
// of x whose gradient is that of the maximising f. Each solve also gives a halfspace
// that holds the set, and so, in closed form, an upper bound of the advantage at every
// x. In one and two dimensions a step solves at the grid point whose bound promises
// most until no bound is above the best advantage found: no grid point is better, and
// the metric search_gap says by how much one still might be. It is 0 where there is no
// grid. Above two dimensions the points to solve at are corners of the box and points
// between, and climbs start where the least of the bounds leaves hope.
//
// # Cost
//
// With n beaten points so far (n = t for duels), d dimensions and N nodes (129, some
// 25² or, above two dimensions, 2^d corners and points between): a solve factors one
// to five matrices of size n, n³/3 operations each; a step has a dozen to a hundred
// solves, with nN operations each for bounds. Memory is n² + nN numbers. A multiple
// choice of q points takes 2q - 1 differences a step, and ten to a hundred times the
// solves.
//
// A kernel that is smooth at the scale of the box has most of what n differences say
// in the span of r of them, r some dozens to hundreds. From n = 100 on Newton systems
// have that size, at n r² operations a factor and n² a Newton step. From n = 300 on a
// step searches in that span alone, at n r a Newton step, and returns to all n for
// the estimate and the last solves: what it uses has its certificate from them. See
// docs/performance.md.
//
// # Departures from the paper
//
//   - Recommendation. The rule x_{t*} needs β(ε, δ/2, t) of Lemma obj_ell_po. Under a
//     schedule that is not the theory's, β_t stands in for it. If B was doubled
//     on the way, the radius of an earlier duel is that of the present B.
//   - Constants. Lemma obj_ell_po states β with the factor σ̲′²/H_σ, but its proof
//     divides by both: 1/(σ̲′² H_σ). It states β_2 with log(π²t²N/3δ), the proof
//     has 6δ at δ, and 3δ at δ/2 where the lemma uses it. [Theory] follows the
//     proof. The paper has k(x, x) <= 1, so that |f| <= B; for other kernels
//     the constants are those of the bound B sup sqrt(k(x, x)) on |f|.
//   - Variables. Points that are equal are one variable, where the paper has one
//     a step. A new point has its own, with an ε_K, wherever it lies, as the
//     paper has it.
//   - Estimate. Where the ball does not limit the likelihood, its maximiser is
//     not unique: a constant may be added to Z. The one of least norm is taken.
//   - No values are bounded. The authors' program keeps |f(x_τ)| <= 3, which is
//     not in the paper and cuts off some of its test functions.
//   - Choice of B. It is doubled as App. "Elaboration on Remark (choice of B)"
//     says, but only if the certificates of both estimates leave no doubt.
//   - Lengthscale. The paper maximises a likelihood that it does not name. Here it is
//     the marginal one; fitLengthscale says why.
//   - Multiple choice. The paper does not say where the first q points come from
//     nor which duels x_{t*} has to consider. Here the start is joined by uniform
//     points, and each new point's duel is with the point it takes the place of.
package popbo
