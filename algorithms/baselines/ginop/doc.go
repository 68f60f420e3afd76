// Package ginop is GINOP (Ben Yahmed, Abeille and Calauzènes, arXiv 2609.39351, 2026), as far as we know the first public
// implementation. It has POP-BO's estimate and confidence set, and another rule:
//
//	f̂_t = maximum likelihood estimate in F = {f : ‖f‖ <= S}, of least norm where it is not unique
//	F_t = {f ∈ F : loss(f) <= loss(f̂_t) + β_t}
//	ω_t(x, x') = sup over f, f' ∈ F_t of (f - f')(x) - (f - f')(x')
//	(x_t, x'_t) ∈ argmax f̂_t(x) + f̂_t(x') + ω_t(x, x')
//
// Pairs are unordered; a pair (x, x) has ω = 0. Since F_t is one set for f and f', ω_t is the largest difference
// f(x) - f(x') over F_t minus the smallest. Each is a convex problem, solved with a bound from its dual. So ω_t is enclosed
// from both sides.
//
// # Arms
//
// On a finite set the choice is exact: each step shows that no pair has a value larger than the chosen one by more than
// choice_gap. It needs no solve for most pairs; see rule.go. Equal choices are drawn. There may be 400 arms at most, for the
// memory that the tangents of their pairs take.
//
// # Boxes
//
// The paper has finite sets. On a box, which is our extension, the choice is the result of a search: pairs of candidates are
// ranked by the quadratic approximation of ω. The best are improved in turns, the pair given the two functions that attain ω
// and the functions given the pair, and then by local searches. The enclosure of ω at the chosen pair is certified, with the
// gap width_gap. It is not certified that no pair is better.
//
// # β
//
// The paper's β_t is 5/2 + 60 (2S+1) log(N (e + log(1+t)) / δ) for a covering number N: 1,881 after one answer for S = 1,
// N = 1,000 and δ = 0.1. At budgets of some thousand it excludes nothing that the ball does not. So β_t is POP-BO's
// practical schedule, beta0 √t.
//
// # Quadratic approximation
//
// With width: laplace, f̂ is the ridge estimate, and ω the width of the quadratic approximation of its objective at f̂,
// 2√(2β_t/λ · v), with the Laplace posterior variance v of the difference (their App. E.2). It has no certificate. On
// a box the choice is then one among candidates.
//
// # Ties
//
// A tie counts as half a win of either point, which is our extension.
package ginop
