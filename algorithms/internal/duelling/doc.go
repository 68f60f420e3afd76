// Package duelling has what the methods of kernelised duelling bandits share: MaxMinLCB, MR-LPF and PF-TS. They differ in
// the duel that they choose. All of them estimate a utility f from duels with a logistic likelihood, and measure how
// uncertain differences of f are by Gaussian regression with the duelling kernel; see algorithms/internal/arms. [Model] does both,
// and [Base] is a method without its choice of a duel.
//
// # Arms and boxes
//
// The methods are published for a finite set of arms. On a box they choose among candidates; see [Model.Candidates]. That is
// our extension. Points that were compared stay in the model when they are no candidates any more: let V be the distinct
// points that were compared. Both the estimate and the posterior depend on the answers through V only, and extend to any
// points by the kernel,
//
//	f(x)       = Σ_{v ∈ V} w_v k(x, v)
//	cov(x, x') = k(x, x') - c(x)ᵀ (DGDᵀ + ρ²I)⁻¹ c(x'),   c(x)_s = k(x, a_s) - k(x, b_s)
//
// which is what the same computation gives in R^K with the arms V and all candidates. So the costs of an estimate grow with
// V, and not with the number of candidates.
package duelling
