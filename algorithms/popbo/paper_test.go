package popbo

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/algorithms"
	"popbench/kernel"
)

// paperProblem solves the paper's problems in the paper's own variables, the values Z at all points
// (Probs. MLE_prob, reform_inner_prob_to_fin and reform_inner_prob_to_fin_batch_refor), by a logarithmic
// barrier with dense Newton systems. It shares no code with the solver, which works on differences and
// multipliers and uses no inverse of K.
//
// All are: maximise a linear function of y = (Z, v) in the ball, where concave functions of y are positive. The
// variable v is the likelihood of an MLE, and otherwise the largest value of the competitors.
type paperProblem struct {
	points      [][]float64
	comparisons [][]int    // indices of the points, the winner first
	b           float64    // B
	l           *mat.Dense // y = l u with K + ε_K I = L Lᵀ in l, so that u = (a, v) and Z has the norm |a|
}

// concave is a function of y with its gradient and Hessian.
type concave func(y []float64) (value float64, grad *mat.VecDense, hess *mat.Dense)

// newPaperProblem has one variable per point. A point of a comparison is the newest equal point, as in a
// Model.
func newPaperProblem(t testing.TB, m *Model, k kernel.Kernel, eps, b float64, comparisons []algorithms.Comparison, extra ...[]float64) *paperProblem {
	t.Helper()
	p := &paperProblem{b: b}
	for i := range m.Len() {
		p.points = append(p.points, m.Point(i))
	}
	for _, c := range comparisons {
		members := []int{m.find(c.Points[c.Winner])}
		for i, x := range c.Points {
			if i != c.Winner {
				members = append(members, m.find(x))
			}
		}
		p.comparisons = append(p.comparisons, members)
	}
	p.points = append(p.points, extra...)
	n := len(p.points)
	km := mat.NewSymDense(n+1, nil)
	for i, x := range p.points {
		for j, y := range p.points[:i+1] {
			km.SetSym(i, j, k.Eval(x, y))
		}
		km.SetSym(i, i, km.At(i, i)+eps)
	}
	km.SetSym(n, n, 1)
	var chol mat.Cholesky
	if !chol.Factorize(km) {
		t.Fatal("the kernel matrix is not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	p.l = mat.DenseCopyOf(&l)
	return p
}

// y returns the values and v of u.
func (p *paperProblem) y(u []float64) []float64 {
	var y mat.VecDense
	y.MulVec(p.l, mat.NewVecDense(len(u), u))
	return y.RawVector().Data
}

// values returns Z of u.
func (p *paperProblem) values(u []float64) []float64 { return p.y(u)[:len(p.points)] }

// logLik returns ℓ.
func (p *paperProblem) logLik(y []float64) (value float64, grad *mat.VecDense, hess *mat.Dense) {
	grad, hess = mat.NewVecDense(len(y), nil), mat.NewDense(len(y), len(y), nil)
	for _, members := range p.comparisons {
		// The share of each point in the softmax, and its gradient.
		share, sum := mat.NewVecDense(len(y), nil), 0.0
		for _, j := range members {
			e := math.Exp(y[j] - y[members[0]])
			share.SetVec(j, share.AtVec(j)+e)
			sum += e
		}
		value -= math.Log(sum)
		share.ScaleVec(1/sum, share)
		grad.SubVec(grad, share)
		grad.SetVec(members[0], grad.AtVec(members[0])+1)
		hess.RankOne(hess, 1, share, share)
		for j := range y {
			hess.Set(j, j, hess.At(j, j)-share.AtVec(j))
		}
	}
	return value, grad, hess
}

// above returns f plus a linear function, which must stay positive: slope·y + shift.
func above(f concave, slope map[int]float64, shift float64) concave {
	return func(y []float64) (float64, *mat.VecDense, *mat.Dense) {
		value, grad, hess := 0.0, mat.NewVecDense(len(y), nil), mat.NewDense(len(y), len(y), nil)
		if f != nil {
			value, grad, hess = f(y)
		}
		for i, s := range slope {
			value += s * y[i]
			grad.SetVec(i, grad.AtVec(i)+s)
		}
		return value + shift, grad, hess
	}
}

// barrier returns the objective, a linear function of y, plus the logarithms of the slacks. It is NaN outside.
func (p *paperProblem) barrier(u, objective []float64, positive []concave) (f float64, grad, hess mat.Matrix) {
	y := p.y(u)
	gy, hy := mat.NewVecDense(len(y), slices.Clone(objective)), mat.NewDense(len(y), len(y), nil)
	f = mat.Dot(gy, mat.NewVecDense(len(y), y))
	for _, constraint := range positive {
		s, g, h := constraint(y)
		f += math.Log(s)
		gy.AddScaledVec(gy, 1/s, g)
		h.Scale(1/s, h)
		hy.Add(hy, h)
		hy.RankOne(hy, -1/(s*s), g, g)
	}
	var g mat.VecDense
	var h mat.Dense
	g.MulVec(p.l.T(), gy)
	h.Product(p.l.T(), hy, p.l)
	a := mat.NewVecDense(len(u), append(slices.Clone(u[:len(u)-1]), 0)) // the ball
	norm := p.b*p.b - mat.Dot(a, a)
	f += math.Log(norm)
	g.AddScaledVec(&g, -2/norm, a)
	h.RankOne(&h, -4/(norm*norm), a, a)
	for i := range p.points {
		h.Set(i, i, h.At(i, i)-2/norm)
	}
	return f, &g, &h
}

// climb follows the central path from u, strictly inside, to a duality gap of about 1e-9.
func (p *paperProblem) climb(u, objective []float64, positive ...concave) []float64 {
	for weight := 1.0; weight <= 1<<32; weight *= 4 {
		weighted := make([]float64, len(u))
		for i, c := range objective {
			weighted[i] = weight * c
		}
		for range 60 {
			f, grad, hess := p.barrier(u, weighted, positive)
			neg := mat.NewSymDense(len(u), nil)
			for i := range u {
				for j := range i + 1 {
					neg.SetSym(i, j, -hess.At(i, j))
				}
			}
			var chol mat.Cholesky
			var step mat.VecDense
			if !chol.Factorize(neg) || chol.SolveVecTo(&step, grad.(mat.Vector)) != nil {
				break // rounding at the very end
			}
			decrement, moved := mat.Dot(&step, grad.(mat.Vector)), false
			for t := 1.0; t > 1e-10 && !moved; t /= 2 {
				var next mat.VecDense
				next.AddScaledVec(mat.NewVecDense(len(u), u), t, &step)
				if g, _, _ := p.barrier(next.RawVector().Data, weighted, positive); g >= f+0.1*t*decrement {
					u, moved = next.RawVector().Data, true
				}
			}
			if !moved || decrement < 1e-9 {
				break
			}
		}
	}
	return u
}

// mle returns ℓ(MLE), and u of the MLE, just inside the ball.
func (p *paperProblem) mle() (float64, []float64) {
	n := len(p.points)
	u, objective := make([]float64, n+1), make([]float64, n+1)
	start, _, _ := p.logLik(u)
	u[n], objective[n] = start-1, 1
	u = p.climb(u, objective, above(p.logLik, map[int]float64{n: -1}, 0))
	value, _, _ := p.logLik(p.y(u))
	return value, u
}

// maximise returns the greatest objᵀZ - max_{j in competitors} Z_j over the confidence set of β > 0.
// There may be no competitors.
func (p *paperProblem) maximise(beta float64, obj []float64, competitors []int) float64 {
	top, mle := p.mle()
	n := len(p.points)
	u := mle
	for s := 1.0; s > 0; s -= 1.0 / 64 { // shrunk towards 0 until half of β is used: a start inside both constraints
		shrunk := make([]float64, n+1)
		for i := range n {
			shrunk[i] = s * mle[i]
		}
		if value, _, _ := p.logLik(p.y(shrunk)); value < top-beta/2 {
			break
		}
		u = shrunk
	}
	positive := []concave{above(p.logLik, nil, beta-top)}
	for _, j := range competitors {
		positive = append(positive, above(nil, map[int]float64{n: 1, j: -1}, 0))
	}
	if len(competitors) == 0 {
		positive = append(positive, above(nil, map[int]float64{n: 1}, 0))
	}
	largest := func(z []float64) (v float64) {
		for i, j := range competitors {
			if i == 0 || z[j] > v {
				v = z[j]
			}
		}
		return v
	}
	u[n] = largest(p.values(u)) + 1
	z := p.values(p.climb(u, append(slices.Clone(obj), -1), positive...))
	return mat.Dot(mat.NewVecDense(n, obj), mat.NewVecDense(n, z)) - largest(z)
}
