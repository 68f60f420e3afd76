package popbo

import (
	"fmt"
	"math"
	"slices"

	"popbench/internal/convex"
	"popbench/internal/search"
	"popbench/space"
)

// proposeBatch builds the q new points of a multiple-choice query one after the
// other (App. "Extension to the multiple-choice setting", Prob.
// reform_inner_prob_to_fin_batch): each maximises over x and f the advantage of
// f(x) over the greatest of f at the last q points and at the new points before
// it.
func (p *POPBO) proposeBatch() (proposal, error) {
	var out proposal
	r := &rivals{p: p}
	for _, i := range p.refs {
		r.add(p.m.Point(i))
	}
	leader := p.refs[0]
	z := p.m.PointValues()
	for _, i := range p.refs {
		if z[i] > z[leader] {
			leader = i
		}
	}
	starts := p.exp.starts(leader)
	for len(out.points) < p.cfg.Batch {
		best, x, adv := math.Inf(-1), []float64(nil), Solution{}
		for _, s := range starts[:min(len(starts), batchStarts)] {
			res := p.exp.local.Maximize(r.advantage, p.exp.cand.point(s.at))
			if res.Value > best {
				best, x = res.Value, slices.Clone(res.X)
			}
		}
		if x == nil {
			return proposal{}, fmt.Errorf("popbo: no solve of step %d converged; raise epsilon or lower norm_bound", p.t+1)
		}
		adv = r.solve(x)
		if len(out.points) == 0 {
			out.advantage = adv
		}
		out.points = append(out.points, x)
		r.add(x)
	}
	return out, nil
}

const batchStarts = 6

// rivals are the points y_1..y_m that a new point x has to beat: the batch
// problem max_f min_j f(x) - f(y_j) over the confidence set.
//
// By duality it is min_w φ(w) over the weights w >= 0 of sum 1, φ(w) being the
// maximum of ⟨f, h_w⟩, h_w = k(x,·) - Σ w_j k(y_j,·): a solve as any other. φ is
// convex, its gradient is -f(y_j) for the maximising f, and
// φ(w) - min_j (f(x) - f(y_j)) is the duality gap.
type rivals struct {
	p    *POPBO
	y    [][]float64
	c    [][]float64 // ⟨g_i, k(y_j,·)⟩, one row a rival
	gram [][]float64 // ⟨k(y_i,·), k(y_j,·)⟩, ε_K on the diagonal

	// Of the last solve.
	w     []float64
	local *search.Local
	kxy   []float64
	cx    []float64
	kxx   float64
	nu    float64
	coef  []float64
	warm  convex.Start
}

func (r *rivals) add(y []float64) {
	m := r.p.m
	m.k.Row(m.kx, y, m.x)
	c := make([]float64, len(m.c))
	for i := range c {
		c[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	row := make([]float64, len(r.y)+1)
	for j, other := range r.y {
		row[j] = m.k.Eval(y, other)
		r.gram[j] = append(r.gram[j], row[j])
	}
	row[len(r.y)] = m.k.Eval(y, y) + m.eps
	r.y, r.c, r.gram = append(r.y, y), append(r.c, c), append(r.gram, row)
	n := len(r.y)
	r.w = make([]float64, n)
	for j := range r.w {
		r.w[j] = 1
	}
	lo, hi := make([]float64, n), make([]float64, n)
	for j := range hi {
		hi[j] = 1
	}
	r.local = nil
	if n > 1 {
		r.local = search.NewLocal(space.Box{Lo: lo, Hi: hi}, search.Settings{GradTol: 1e-9})
	}
	r.kxy = make([]float64, n)
	r.cx = make([]float64, len(m.c))
	r.coef = make([]float64, len(m.c))
	r.warm = convex.Start{}
}

// advantage is the batch objective as a function of x; NaN where it failed.
func (r *rivals) advantage(x, grad []float64) float64 {
	res := r.solve(x)
	if !res.Status.OK() {
		return math.NaN()
	}
	if grad != nil {
		r.gradient(grad, x)
	}
	return res.Value
}

// solve returns the optimum over f for one x.
func (r *rivals) solve(x []float64) Solution {
	m := r.p.m
	m.k.Row(m.kx, x, m.x)
	for i := range r.cx {
		r.cx[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	r.kxx = m.k.Eval(x, x) + m.eps
	for j, y := range r.y {
		r.kxy[j] = m.k.Eval(x, y)
	}
	if r.local != nil {
		// φ is homogeneous in h, so φ(w/Σw) = φ(w)/Σw needs no simplex.
		best := r.local.Maximize(func(w, grad []float64) float64 {
			sum := 0.0
			for _, v := range w {
				sum += v
			}
			if sum < 1e-6 {
				return math.NaN()
			}
			res := r.at(w, 1/sum)
			if !res.Status.OK() {
				return math.NaN()
			}
			if grad != nil {
				fx := r.value(-1, w, 1/sum)
				for j := range grad {
					grad[j] = -(fx - r.value(j, w, 1/sum) - res.Bound) / sum
				}
			}
			return -res.Bound
		}, r.w)
		copy(r.w, best.X)
	}
	sum := 0.0
	for _, v := range r.w {
		sum += v
	}
	for j := range r.w {
		r.w[j] /= sum
	}
	res := r.at(r.w, 1)
	if !res.Status.OK() {
		return res
	}
	worst := math.Inf(1)
	fx := r.value(-1, r.w, 1)
	for j := range r.y {
		worst = min(worst, fx-r.value(j, r.w, 1))
	}
	res.Value = min(worst, res.Value)
	res.Gap = res.Bound - res.Value
	return res
}

// at solves for the weights scale·w and keeps the maximiser.
func (r *rivals) at(w []float64, scale float64) Solution {
	s := r.p.m.s
	c := r.p.m.c
	copy(c, r.cx)
	rho := r.kxx
	for j, v := range w {
		v *= scale
		if v == 0 {
			continue
		}
		for i, cj := range r.c[j] {
			c[i] -= v * cj
		}
		rho -= 2 * v * r.kxy[j]
		for l, u := range w {
			rho += v * u * scale * r.gram[j][l]
		}
	}
	res := s.Maximize(c, rho, &r.warm)
	if res.Status.OK() {
		s.Keep(&r.warm)
		r.nu = s.Function(r.coef)
	}
	return res
}

// value returns the maximiser's value at rival j, or at x for j = -1.
func (r *rivals) value(j int, w []float64, scale float64) float64 {
	c, v := r.cx, r.kxx
	if j >= 0 {
		c, v = r.c[j], r.kxy[j]
	}
	for l, u := range w {
		k := r.kxy[l]
		if j >= 0 {
			k = r.gram[j][l]
		}
		v -= scale * u * k
	}
	v *= r.nu
	for i, a := range r.coef {
		v += a * c[i]
	}
	return v
}

// gradient sets dst = ∇f(x) of the maximiser at x.
func (r *rivals) gradient(dst, x []float64) {
	m := r.p.m
	f := &r.p.exp.opt
	f.m, f.v = m, 0
	f.w = m.spread(f.w, r.coef)
	f.Gradient(dst, x)
	extra := make([]float64, len(dst))
	m.k.GradDiag(extra, x)
	for i, g := range extra {
		dst[i] += r.nu * g
	}
	for j, y := range r.y {
		m.k.GradSum(extra, x, y, []float64{-r.nu * r.w[j]})
		for i, g := range extra {
			dst[i] += g
		}
	}
}
