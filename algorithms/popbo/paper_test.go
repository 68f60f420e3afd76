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
type paperProblem struct {
	points      [][]float64
	comparisons [][]int    // indices of the points, the winner first
	b           float64    // B
	l           *mat.Dense // K + ε_K I = L Lᵀ, so that Z = L a has the norm |a|
	chol        mat.Cholesky
}

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
	km := mat.NewSymDense(n, nil)
	for i, x := range p.points {
		for j, y := range p.points[:i+1] {
			v := k.Eval(x, y)
			if i == j {
				v += eps
			}
			km.SetSym(i, j, v)
		}
	}
	if !p.chol.Factorize(km) {
		t.Fatal("the kernel matrix is not positive definite")
	}
	var l mat.TriDense
	p.chol.LTo(&l)
	p.l = mat.DenseCopyOf(&l)
	return p
}

// logLik returns ℓ at Z, and adds weight·∇ℓ to grad and weight·∇²ℓ to hess.
func (p *paperProblem) logLik(z []float64, weight float64, grad []float64, hess *mat.Dense) float64 {
	var value float64
	for _, members := range p.comparisons {
		prob := make([]float64, len(members))
		var sum float64
		for i, j := range members {
			prob[i] = math.Exp(z[j] - z[members[0]])
			sum += prob[i]
		}
		value -= math.Log(sum)
		if grad == nil {
			continue
		}
		grad[members[0]] += weight
		for i, j := range members {
			prob[i] /= sum
			grad[j] -= weight * prob[i]
		}
		for a, i := range members {
			hess.Set(i, i, hess.At(i, i)-weight*prob[a])
			for b, j := range members {
				hess.Set(i, j, hess.At(i, j)+weight*prob[a]*prob[b])
			}
		}
	}
	return value
}

func (p *paperProblem) values(a []float64) []float64 {
	var z mat.VecDense
	z.MulVec(p.l, mat.NewVecDense(len(a), a))
	return z.RawVector().Data
}

// barrier returns the barrier function: weight times the objective, plus the logarithms of the slacks. u
// is a and, with competitors, v. The objective is objᵀZ - v; if obj is nil it is ℓ, and there is no level.
func (p *paperProblem) barrier(u []float64, weight float64, obj []float64, competitors []int, level float64, derivatives bool) (f float64, grad []float64, hess *mat.Dense) {
	n := len(p.points)
	a := u[:n]
	z := p.values(a)
	var gz []float64
	var hz *mat.Dense
	if derivatives {
		gz, hz = make([]float64, n), mat.NewDense(n, n, nil)
	}
	norm := p.b*p.b - mat.Dot(mat.NewVecDense(n, a), mat.NewVecDense(n, a))
	f = math.Log(norm)
	lik := p.logLik(z, 0, nil, nil)
	var gl []float64
	var hl *mat.Dense
	if derivatives {
		gl, hl = make([]float64, n), mat.NewDense(n, n, nil)
		p.logLik(z, 1, gl, hl)
	}
	add := func(g float64, h float64) { // g ∇ℓ and g ∇²ℓ + h ∇ℓ∇ℓᵀ
		for i, gi := range gl {
			gz[i] += g * gi
			for j, gj := range gl {
				hz.Set(i, j, hz.At(i, j)+g*hl.At(i, j)+h*gi*gj)
			}
		}
	}
	if obj == nil {
		f += weight * lik
		if derivatives {
			add(weight, 0)
		}
	} else {
		for i, c := range obj {
			f += weight * c * z[i]
		}
		s := lik - level
		f += math.Log(s)
		if derivatives {
			for i, c := range obj {
				gz[i] += weight * c
			}
			add(1/s, -1/(s*s))
		}
	}
	var gv, hv float64
	cross := make([]float64, n)
	if len(competitors) > 0 {
		v := u[n]
		f -= weight * v
		gv = -weight
		for _, j := range competitors {
			s := v - z[j]
			f += math.Log(s)
			gv += 1 / s
			hv -= 1 / (s * s)
			if derivatives {
				gz[j] -= 1 / s
				hz.Set(j, j, hz.At(j, j)-1/(s*s))
				cross[j] += 1 / (s * s)
			}
		}
	}
	if !derivatives {
		return f, nil, nil
	}
	// From Z to a.
	var ga, ca mat.VecDense
	var ha mat.Dense
	ga.MulVec(p.l.T(), mat.NewVecDense(n, gz))
	ca.MulVec(p.l.T(), mat.NewVecDense(n, cross))
	ha.Product(p.l.T(), hz, p.l)
	grad, hess = make([]float64, len(u)), mat.NewDense(len(u), len(u), nil)
	for i := range n {
		grad[i] = ga.AtVec(i) - 2*a[i]/norm
		for j := range n {
			hess.Set(i, j, ha.At(i, j)-4*a[i]*a[j]/(norm*norm))
		}
		hess.Set(i, i, hess.At(i, i)-2/norm)
	}
	if len(competitors) > 0 {
		grad[n] = gv
		hess.Set(n, n, hv)
		for i := range n {
			hess.Set(i, n, ca.AtVec(i))
			hess.Set(n, i, ca.AtVec(i))
		}
	}
	return f, grad, hess
}

// climb follows the central path from u, strictly inside, to a duality gap of
// (number of constraints)/last.
func (p *paperProblem) climb(u []float64, obj []float64, competitors []int, level, last float64) []float64 {
	next := make([]float64, len(u))
	for weight := 1.0; weight <= last; weight *= 4 {
		for range 60 {
			f, grad, hess := p.barrier(u, weight, obj, competitors, level, true)
			neg := mat.NewSymDense(len(u), nil)
			for i := range u {
				for j := range i + 1 {
					neg.SetSym(i, j, -hess.At(i, j))
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(neg) {
				break // rounding at the very end
			}
			var step mat.VecDense
			if chol.SolveVecTo(&step, mat.NewVecDense(len(u), grad)) != nil {
				break
			}
			decrement := mat.Dot(&step, mat.NewVecDense(len(u), grad))
			moved := false
			for t := 1.0; t > 1e-10; t /= 2 {
				for i := range u {
					next[i] = u[i] + t*step.AtVec(i)
				}
				// Outside the set a logarithm is NaN and the comparison fails.
				if g, _, _ := p.barrier(next, weight, obj, competitors, level, false); g >= f+0.1*t*decrement {
					copy(u, next)
					moved = true
					break
				}
			}
			if !moved || decrement < 1e-9 {
				break
			}
		}
	}
	return u
}

const paperWeight = 1 << 32 // gaps of about 1e-9

// mle returns ℓ(MLE) and the coordinates of the MLE, just inside the ball.
func (p *paperProblem) mle() (float64, []float64) {
	a := p.climb(make([]float64, len(p.points)), nil, nil, 0, paperWeight)
	return p.logLik(p.values(a), 0, nil, nil), a
}

// maximise returns the greatest objᵀZ - max_{j in competitors} Z_j over the confidence set of β > 0.
// There may be no competitors.
func (p *paperProblem) maximise(beta float64, obj []float64, competitors []int) float64 {
	top, a := p.mle()
	level := top - beta
	// Shrink towards 0 until half of β is used: a start inside both constraints.
	u := slices.Clone(a)
	for s := 1.0; s > 0; s -= 1.0 / 64 {
		shrunk := make([]float64, len(a))
		for i := range shrunk {
			shrunk[i] = s * a[i]
		}
		if p.logLik(p.values(shrunk), 0, nil, nil) < top-beta/2 {
			break
		}
		u = shrunk
	}
	if len(competitors) > 0 {
		v := math.Inf(-1)
		for _, j := range competitors {
			v = max(v, p.values(a)[j])
		}
		u = append(u, v+1)
	}
	z := p.values(p.climb(u, obj, competitors, level, paperWeight)[:len(p.points)])
	var value float64
	for i, c := range obj {
		value += c * z[i]
	}
	if len(competitors) > 0 {
		v := math.Inf(-1)
		for _, j := range competitors {
			v = max(v, z[j])
		}
		value -= v
	}
	return value
}
