package convex

import (
	"math"

	"popbench/internal/math/linalg"
)

// Solver solves the problems of one data set. Once the data set stops growing, solves by Newton's method do not
// allocate. It is not safe for concurrent use.
type Solver struct {
	problem
	level
	workspace
	cur    iterate   // the iterate of the present solve
	best   WarmStart // the feasible f = νh + Σ α_i g_i of the last Maximize …
	bestNu float64   // … with this ν
	cut    Cut       // the cut of the last Maximize or ColdCut

	surrogate *Solver // see Surrogate; nil before the first
	work      Work
}

// problem has the data set and how to solve Newton systems for it.
type problem struct {
	n       int
	gram    gram      // of the g_i: data, or in a surrogate lowRank
	data    *dense    // what Append extends; nil in a surrogate
	size    []float64 // ‖g_i‖; 0 where a point is compared with itself
	largest float64   // of size
	blocks  []int     // number of differences of each comparison

	factor   factor         // the factor in use: exact or low
	exact    factor         // for gram
	low      *lowRankFactor // for a low-rank approximation of gram; low.g is nil without one
	searched bool           // whether an approximation was sought since the last Append
	reduced  bool           // solves for maxima of a surrogate are in coordinates, see reduced.go

	tol    float64
	cutoff float64 // see SetCutoff
	limits limits
}

// level is the confidence set {‖f‖ <= B, ℓ(f) >= ℓ̄}.
type level struct {
	b           float64 // B
	beta        float64
	ll0         float64 // ℓ(0)
	lbar        float64 // ℓ̄ = ℓ_MLE - β
	logNL       float64 // log(-ℓ̄)
	mle         mleResult
	noise       float64 // error of ℓ by rounding
	mleDistance float64 // bound on the distance of a function of the set from the MLE
	singleton   bool    // the set is the MLE alone, to within distance(0)
	cold        iterate // where a cold solve starts

	// Of the cut of ColdCut, in coordinates.
	coldNormal []float64
	coldLeast  float64
}

// iterate is f = νh + Σ α_i g_i with its multiplier κ.
type iterate struct {
	alpha, g   []float64 // α and Gα
	lnNu, lnKa float64
}

// workspace holds the results of evaluate, weigh and direction, all of length n.
type workspace struct {
	u, logP, kp []float64 // differences, log p and κp
	root        root      // R at the differences
	x           vectors   // the right-hand sides v, f and z
	next        iterate   // α and Gα after a step
	tmp         []float64

	// The feasible function is iterateShare times the iterate plus mleShare times the MLE.
	iterateShare, mleShare float64
	mleValue               float64 // ⟨f_MLE, h⟩ of the present h
}

// NewSolver returns a solver for an empty data set.
func NewSolver() *Solver {
	d := &dense{}
	s := &Solver{problem: problem{gram: d, data: d, low: &lowRankFactor{}, tol: Tol, cutoff: math.Inf(-1),
		limits: limits{maxNewton, maxBarrier, reduceFrom, surrogateFrom}}}
	s.exact = &denseFactor{g: d}
	return s
}

// SetTol sets the relative tolerance on the duality gap; Tol by default.
func (s *Solver) SetTol(tol float64) { s.tol = tol }

// SetCutoff makes Maximize end, with the status Bounded, once its bound is no greater than this: often that is
// at the first iterate. The default, -Inf, never ends a solve.
func (s *Solver) SetCutoff(bound float64) { s.cutoff = bound }

// Append adds one comparison of m differences: one for a duel, otherwise one less than the points. rows[i] has
// the Gram matrix row of new difference i with all differences, the m new ones included; its length is
// n+m. The MLE and the level have to be computed again.
func (s *Solver) Append(rows ...[]float64) {
	old, m := s.n, len(rows)
	n := old + m
	for i, row := range rows {
		if len(row) != n {
			panic("convex: Gram row of the wrong length")
		}
		s.largest = max(s.largest, math.Sqrt(max(0, row[old+i])))
	}
	s.data.append(rows)
	s.setSize(n, append(s.blocks, m))
	for i, row := range rows {
		s.size[old+i] = max(s.size[old+i], math.Sqrt(max(0, row[old+i])))
		for j, g := range row {
			if g != 0 {
				s.size[j] = max(s.size[j], lostNorm*s.largest)
				s.size[old+i] = max(s.size[old+i], lostNorm*s.largest)
			}
		}
	}
	s.factor, s.searched, s.low.g = s.exact, false, nil
}

// setSize makes room for n differences in comparisons of the given sizes. It keeps earlier entries of size; new
// ones are zero.
func (s *Solver) setSize(n int, blocks []int) {
	s.n, s.blocks = n, blocks
	if len(blocks) < n {
		s.root.blocks = blocks
	}
	s.best.ok = false
	s.size = append(s.size, make([]float64, max(0, n-len(s.size)))...)
	for _, v := range []*[]float64{
		&s.mle.u, &s.mle.coef, &s.cold.alpha, &s.cold.g, &s.best.alpha, &s.cur.alpha, &s.cur.g,
		&s.u, &s.logP, &s.kp, &s.root.r, &s.root.w, &s.x[ofV], &s.x[ofF], &s.x[ofZ],
		&s.next.alpha, &s.next.g, &s.tmp,
	} {
		*v = linalg.Resize(*v, n)
	}
}

// resizeIterates sets the number of coefficients of iterates.
func (s *Solver) resizeIterates(m int) {
	for _, v := range []*[]float64{&s.cur.alpha, &s.next.alpha, &s.cold.alpha, &s.best.alpha} {
		*v = linalg.Resize(*v, m)
	}
}

// expand sets coef, of length n, so that Σ coef_i g_i is the function of alpha, which is as in s.best.
func (s *Solver) expand(coef, alpha []float64) {
	if s.reduced {
		s.low.g.expand(coef, alpha)
	} else {
		copy(coef, alpha)
	}
}

// Cut is a halfspace ⟨f, n⟩ >= Least that contains the confidence set. For any f_0, concavity gives
// ℓ(f_0) + ⟨∇ℓ(f_0), f - f_0⟩ >= ℓ̄ for every f of the set, and n = ∇ℓ(f_0)/‖∇ℓ(f_0)‖. The cut does not
// depend on h, so one solve bounds the maxima for all h.
type Cut struct {
	Coef  []float64 // n = Σ Coef_i g_i, with norm 1, or 0 in a cut that is the ball alone
	Least float64
	Ball  float64 // B

	alpha []float64 // n = Σ alpha_i g_i, with the problem's own g_i; a surrogate's are projections
	image []float64 // ⟨g_i, n⟩
	terms float64   // Σ |alpha_i| ‖g_i‖
}

// WarmStart is where a solve may start: the solution of one with a similar h.
type WarmStart struct {
	alpha      []float64
	lnNu, lnKa float64
	ok         bool
}

// mleResult is the MLE f̂ = Σ coef_i g_i.
type mleResult struct {
	Result
	coef, u []float64
	reduced []float64 // coordinates of f̂, in a surrogate
	// For bounds on the distance of other functions from f̂.
	kappa     float64 // κ = 1/2μ, μ the multiplier of the norm
	rest      float64 // ‖κ∇ℓ(f̂) - f̂‖
	slack     float64 // B² - ‖f̂‖²
	curvature float64 // upper bound of the eigenvalues of -κ∇²ℓ(f̂)
}

// evaluation has the values of the constraints and the dual at an iterate.
type evaluation struct {
	nu     float64
	ll     float64 // ℓ(u)
	logNeg float64 // log(-ℓ)
	value  float64 // ⟨f, h⟩
	norm2  float64 // ‖f‖²
	rest2  float64 // ‖Σ (κp_i - α_i) g_i‖², zero where the Lagrangian is stationary
}
