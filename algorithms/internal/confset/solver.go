package confset

// Solver solves the problems of one data set. Once the data set stops growing, solves by Newton's method do not
// allocate. It is not safe for concurrent use.
type Solver struct {
	problem
	level
	workspace
	frame  frame
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
	data    *dense    // the Gram matrix of the g_i, which Append extends; nil in a surrogate
	size    []float64 // ‖g_i‖; 0 where a point is compared with itself
	largest float64   // of size
	blocks  []int     // number of differences of each comparison

	factor   factor         // the factor in use: exact or low
	exact    factor         // for data, or in a surrogate low
	low      *lowRankFactor // for a low-rank approximation of data; low.g is nil without one
	searched bool           // whether an approximation was sought since the last Append

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

	// Of the cut of ColdCut: n as in Cut.alpha, and its Least.
	coldNormal []float64
	coldLeast  float64
}

// iterate is f = νh + y, y in the span of the g_i, with its multiplier κ. A frame says how it is written.
type iterate struct {
	alpha      []float64 // of y, or of f
	g          []float64 // ⟨g_i, ·⟩ of the same function, length n
	lnNu, lnKa float64
}

// workspace holds the results of evaluate, weigh and direction.
type workspace struct {
	u, logP, kp []float64 // differences, log p and κp, length n
	root        root      // R at the differences
	x           vectors   // the right-hand sides v, f and z
	next        iterate   // alpha and g after a step
	tmp         []float64 // length n
	slope       written   // κ∇ℓ = Σ κp_i g_i
	f           []float64 // see frame.evaluate
	norm, least float64   // of setCut for the last enclose

	// The feasible function is iterateShare times the iterate plus mleShare times the MLE.
	iterateShare, mleShare float64
	mleValue               float64 // ⟨f_MLE, h⟩ of the present h
}

// Cut is a halfspace ⟨f, n⟩ >= Least that contains the confidence set. For any f_0, concavity gives
// ℓ(f_0) + ⟨∇ℓ(f_0), f - f_0⟩ >= ℓ̄ for every f of the set, and n = ∇ℓ(f_0)/‖∇ℓ(f_0)‖. The cut does not
// depend on h, so one solve bounds the maxima for all h.
type Cut struct {
	Coef  []float64 // n = Σ Coef_i g_i, with norm 1, or 0 in a cut that is the ball alone
	Least float64
	Ball  float64 // B

	alpha []float64 // of n, as in frame
	image []float64 // of n as a functional
	terms float64   // Σ |alpha_i| ‖g_i‖
}

// WarmStart is where a solve may start: the solution of one with a similar h.
type WarmStart struct {
	alpha      []float64
	lnNu, lnKa float64
	ok         bool
}

// mleResult is the MLE f̂.
type mleResult struct {
	Result
	coef, u []float64 // as in frame, and ⟨g_i, f̂⟩
	// For bounds on the distance of other functions from f̂.
	kappa     float64 // κ = 1/2μ, μ the multiplier of the norm
	rest      float64 // ‖κ∇ℓ(f̂) - f̂‖
	slack     float64 // B² - ‖f̂‖²
	curvature float64 // upper bound of the eigenvalues of -κ∇²ℓ(f̂)
}

// gradient sets s.slope for the kp of weigh.
func (s *Solver) gradient() { s.slope.alpha, s.slope.h = s.frame.combine(s.kp, s.x[ofV]) }
