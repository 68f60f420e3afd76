// Package challenger has champion-challenger rules for duels: each query is the best point by the posterior mean, the
// champion, and a challenger that one of several rules chooses.
//
// Sources:
//
//	T. Fauvel, M. Chalk, "Efficient exploration in preference-based Bayesian optimization", 2021 (muc; the authors'
//	program has the other rules too)
//	A. Benavoli, D. Azzimonti, D. Piga, 2020 (dueling-ucb, eiig)
//	J. Nielsen, B. Nielsen, J. Larsen, 2015 (bivariate-ei)
//	E. Brochu, 2010 (brochu-ei)
//	Y. Sui, V. Zhuang, J. Burdick, Y. Yue, 2017 (self-sparring)
//
// # Rules
//
// x_1 is the champion, δ = f(x_1) - f(x) ~ N(m, v) under the posterior, F the link: the probability that x_1 wins is
// F(δ). The challenger maximises, over all points but x_1,
//
//	muc            Var F(δ)
//	dueling-ucb    -m + 1.96 √v
//	eiig           w ln p + h(p) - E h(F(δ)),   p = E F(-δ),   h(p) = -p ln p - (1-p) ln(1-p)
//	bivariate-ei   E max(-δ, 0)
//	brochu-ei      bivariate-ei with v replaced by the variance of f(x) - f(x_0), x_0 the lower corner of the domain
//	thompson       a draw of the posterior, drawn again while x_1 is its best point
//
// with w the setting weight: by default 0.1, as in the program of Benavoli et al.; Fauvel and Chalk's program has ½.
// For self-sparring both points are the best points of two draws, the second drawn again while both are the same.
// The expected improvements take as x_1 the best point of the duels.
//
// For probit, Var Φ(δ) is a difference of two values of Owen's T, computed as one integral without cancellation. The
// other expectations are computed by the trapezoidal rule, to 1e-12.
//
// # Model
//
// Posterior, hyper-parameters, first random duels and recommendations are those of package qeubo. All rules of this
// package have the same first duels if Setup.Rand is the same.
//
// On arms every rule is evaluated at every arm, and draws are joint draws of all arms. In a box a draw is exact at
// the candidates; elsewhere it is its mean given its values there. Even in a box the best point of a draw may be the
// champion, if both are the same corner. After 20 draws in a box, or 10,000 on arms, the challenger is the best of the
// other candidates of the last draw.
//
// # Differences from the authors' program
//
// The authors' program has the link Φ(δ) and expectation propagation, with hyper-parameters that are given. Its champion
// maximises the mean given f = 0 at a corner of the box (champion: conditioned). It approximates the entropy of eiig by a
// Gaussian function (information: published). Its Brochu's expected improvement may propose the champion itself. The preset
// fauvel-chalk has its settings, with the nearest link and posterior here, Φ(δ/√2) and Laplace's approximation.
package challenger
