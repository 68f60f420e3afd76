// Package popbo is POP-BO, the principled optimistic algorithm for preferential Bayesian
// optimisation. It maximises a function f that cannot be measured, from comparisons of two or more
// points.
//
//	p, err := popbo.New(algorithms.Setup{Domain: box, Start: x0, Rand: r}, popbo.Default())
//	for range budget {
//		query, err := p.Ask()
//		...                        // show query.Points to the decision maker
//		err = p.Tell(query, winner)
//	}
//	recommendations, err := p.Recommend()
//
// Set at least Kernel.Lengthscale: the distance over which f changes, in the units of the box. Tell
// accepts any query, also one that Ask did not propose. [POPBO.Belief] estimates f at a point and
// gives a confidence range. The State of a POPBO is plain data that encodes to JSON;
// algorithms.Restore continues from it with the same proposals, bit for bit. A [Model] is the part
// without the algorithm: the MLE, confidence bounds and advantages for any set of comparisons.
// [Solve] computes these from plain data.
//
// # Method
//
//	W. Xu, W. Wang, Y. Jiang, B. Svetozarevic, C. N. Jones, "Principled
//	Preferential Bayesian Optimization", ICML 2024
//
// Equations and lemmas are cited by their labels in the paper's source.
//
// An oracle prefers x to x' with probability σ(f(x) - f(x')) (Assumption pref_model). f lies in the
// ball of radius B of the RKHS of a known kernel. The functions of the ball that are at most β_t less
// likely than the maximum likelihood estimate (MLE) form a confidence set (Thm. conf_set_f). Each
// step compares the last point with the point of the greatest optimistic advantage: the most by
// which any function of the set is greater there than at the last point (Alg. 1, in popbo.go).
//
//	paper             here                 meaning
//	t                 method.t             number of comparisons
//	x_t, x'_t         Query.Points[1], [0] the new point and its reference x_{t-1}
//	1_t               winner               1 if x_t was preferred
//	B                 norm_bound           ‖f‖ <= B
//	k, K, ε_K         kernel, epsilon      kernel; its matrix has ε_K on the diagonal
//	ℓ_t               Model.LogLik         log-likelihood
//	f̂^MLE, Z          Model.MLE, PointValues   the MLE, its values at the points
//	β_t               beta                 size of the confidence set
//	β_1, β_2, β       Theory               sizes according to the theory
//	σ_t^{ff'}, λ      duelUncertainties, lambda   uncertainty of a duel (Eq. ff_sigma_def)
//	x_{t*}            min-uncertainty      recommendation (Eq. best_sample_report)
//	q                 batch                new points of a multiple-choice query
//
// # Solves
//
// The problems over f are concave. Package algorithms/internal/confset solves them in the differences
// f(winner) - f(loser), on which alone the likelihood depends. It uses neither values at points nor an
// inverse of K, so repeated points and nearly singular kernel matrices do no harm. Every [Solution]
// has a feasible value, an upper bound from duality, and the gap between them. A solve that does not
// converge is repeated with another method. If that fails too, it counts as a failure in the metrics
// and is not used.
//
// The confidence set does not depend on x. So the advantage is a smooth function of x, with the
// gradient of the maximising f. Each solve also gives a halfspace that contains the set, and
// with it, in closed form, an upper bound of the advantage at every x.
//
// In one and two dimensions the nodes of the search are a grid. A step solves at the node whose bound
// promises most until no bound is above the best advantage found. Then no node is better, and the
// metric search_gap says by how much one still might be. Above two dimensions search_gap is 0: there
// the nodes are corners of the box and interior points, and climbs start where the least of the
// bounds still allows a better point.
//
// # Finite sets
//
// On a finite set of K arms the model has a variable for each arm, with an ε_K, and duels only. Package algorithms/internal/arms
// solves in these variables: the cost of a solve depends on K, and hardly on t. Alg. 1 is then exact by enumeration. The
// halfspace of each solve bounds the advantages of all arms, and an arm whose bound is below the best advantage is not
// solved for; search_gap says by how much one might still be better. The last point x_{t-1} is an arm like others, with the
// advantage 0, so that a point may be compared with itself. Advantages within 1e-9 of the largest tie, and a random draw
// takes one of them. Of arms of equal MLE, rule max-mle prefers the newest visited one. Rules, schedules and the fit of the
// lengthscale are the same as on a box; the unit of the lengthscale is the width of the smallest box around the arms.
//
// # Cost
//
// With n beaten points so far (n = t for duels), d dimensions and N nodes (129, some 25² or, above two
// dimensions, 2^d corners and interior points), a solve factors one to five matrices of size n, at n³/3
// operations each. A step has a dozen to a hundred solves, with nN operations each for bounds. Memory
// is n² + nN numbers. A query of q new points adds 2q - 1 differences a step, and takes ten to a
// hundred times the solves.
//
// With a kernel that is smooth at the scale of the box, r of the n differences, some dozens to
// hundreds, span almost all that the others say. From n = 100 on, Newton systems have size r, at n r²
// operations a factor and n² a Newton step. From n = 300 on, a step searches in that span alone, at n r
// a Newton step. It returns to all n differences for the MLE and the last solves, so the certificates
// of what it uses hold for the full problem. See docs/performance.md.
//
// # Departures from the paper
//
//   - Recommendation. The rule x_{t*} needs β(ε, δ/2, t) of Lemma obj_ell_po. Under a schedule other
//     than the theory's, β_t replaces it. If B was doubled on the way, the radius of an earlier duel
//     uses the present B.
//   - Constants. Lemma obj_ell_po states β with the factor σ̲′²/H_σ, but its proof divides by both:
//     1/(σ̲′² H_σ). It states β_2 with log(π²t²N/3δ); the proof has 6δ at δ, and so 3δ at δ/2, where the
//     lemma uses it. [Theory] follows the proof. The paper has k(x, x) <= 1, so that |f| <= B. For other
//     kernels the constants are those for |f| <= B sup sqrt(k(x, x)).
//   - Variables. Equal points are one variable, where the paper has one per step. A new point has its
//     own variable, with an ε_K, wherever it lies, as in the paper. On a finite set it has its arm's variable.
//   - MLE. If the ball does not limit the likelihood, the maximiser is not unique: a constant may be
//     added to Z. The maximiser of minimum norm is used.
//   - Values are not bounded. The authors' program keeps |f(x_τ)| <= 3, which is not in the paper and
//     excludes some of its test functions.
//   - Choice of B. It is doubled as App. "Elaboration on Remark (choice of B)" says, but only if the
//     certificates of both MLEs leave no doubt.
//   - Lengthscale. The paper maximises a likelihood that it does not name. Here it is the marginal
//     likelihood; fitLengthscale says why.
//   - Multiple choice. The paper does not say where the first q points come from, nor which duels
//     x_{t*} considers. Here the first points are the start and uniform draws, and each new point's
//     duel is with the point that it replaces.
package popbo
