package popbo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/convex"
	"popbench/internal/search"
	"popbench/space"
)

// rivals are the points y_1..y_m that a new point x has to beat: the batch
// problem max_f min_j f(x) - f(y_j) over the confidence set.
//
// By duality it is min_w φ(w) over the weights w >= 0 of sum 1, φ(w) being the
// maximum of ⟨f, h_w⟩, h_w = k(x,·) - Σ w_j k(y_j,·): a solve as any other. φ is
// convex, its gradient is -f(y_j) for the maximising f, and
// φ(w) - min_j (f(x) - f(y_j)) is the duality gap.
type rivals struct {
	p     *POPBO
	y     [][]float64
	index []int       // y_j as a point of the model; -1 if it is none
	c     [][]float64 // ⟨g_i, k(y_j,·)⟩, one row a rival
	gram  [][]float64 // ⟨k(y_i,·), k(y_j,·)⟩, with ε_K where they are one variable
	bound []float64   // per candidate: an estimate of how large the advantage may be

	// Of the last solve.
	w     []float64
	local *search.Local
	kxy   []float64
	cx    []float64
	kxx   float64
	fx    float64   // f(x)
	fy    []float64 // f(y_j)
	nu    float64
	coef  []float64
	warm  convex.Start

	extra []float64 // length d
	one   [1]float64
}

func newRivals(p *POPBO) *rivals {
	r := &rivals{
		p:     p,
		cx:    make([]float64, len(p.m.c)),
		coef:  make([]float64, len(p.m.c)),
		extra: make([]float64, p.box.Dim()),
		bound: make([]float64, p.exp.cand.n),
	}
	for i := range r.bound {
		r.bound[i] = math.Inf(1)
	}
	return r
}

// add adds the rival y; point is its index in the model, -1 if it is new there.
func (r *rivals) add(y []float64, point int) {
	if point >= 0 && slices.Contains(r.index, point) {
		return
	}
	m := r.p.m
	m.k.Row(m.kx, y, m.x)
	if point >= 0 {
		m.kx[point] += m.eps
	}
	c := make([]float64, len(m.c))
	for i := range c {
		c[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	n := len(r.y) + 1
	row := make([]float64, n)
	for j, other := range r.y {
		row[j] = m.k.Eval(y, other)
		r.gram[j] = append(r.gram[j], row[j])
	}
	row[n-1] = m.k.Eval(y, y) + m.eps
	r.y, r.index, r.c, r.gram = append(r.y, y), append(r.index, point), append(r.c, c), append(r.gram, row)
	r.kxy, r.fy = make([]float64, n), make([]float64, n)
	r.w = append(r.w, 0)
	if n == 1 {
		r.w[0] = 1
	} else {
		r.local = search.NewLocal(space.Cube(n, 0, 1), search.Settings{GradTol: 1e-9})
	}
	r.warm = convex.Start{}
	r.reach(n - 1)
}

// reach lowers bound by the relaxed advantage over rival j, with the multiplier
// of a cold start and with that of the best candidate by then.
func (r *rivals) reach(j int) {
	e, m := r.p.exp, r.p.m
	n := e.cand.n
	e.features, e.single, e.rho = fit(e.features, len(m.c)*n), fit(e.single, n), fit(e.rho, n)
	m.k.Row(e.single, r.y[j], e.cand.x)
	for l, k := range e.single {
		e.rho[l] = e.cand.diag[l] + m.eps + r.gram[j][j] - 2*k
	}
	lnKa := m.s.ColdLogKappa()
	for range 2 {
		if !m.s.Relax(&e.relaxation, lnKa-m.s.ColdLogKappa()) {
			return
		}
		for i, shift := range r.c[j] {
			a, b, row := e.cand.row(m.win[i]), e.cand.row(m.los[i]), e.features[i*n:(i+1)*n]
			for l := range row {
				row[l] = a[l] - b[l] - shift
			}
		}
		e.relaxation.Estimate(e.single, e.features, e.rho)
		top := 0
		for l, v := range e.single {
			r.bound[l] = min(r.bound[l], v)
			if v > e.single[top] {
				top = l
			}
		}
		for i, shift := range r.c[j] {
			m.c[i] = e.cand.row(m.win[i])[top] - e.cand.row(m.los[i])[top] - shift
		}
		res := m.s.Maximize(m.c, e.rho[top], nil)
		if !res.Status.OK() || math.IsInf(res.LogKappa, -1) {
			return
		}
		lnKa = res.LogKappa
	}
}

// advantage is the batch objective as a function of x; NaN where it failed. It
// is φ(w), whose error is at most the gap and in general far less, since it is
// quadratic in that of w.
func (r *rivals) advantage(x, grad []float64) float64 { return r.approximate(x, grad, 1e-6) }

func (r *rivals) approximate(x, grad []float64, tol float64) float64 {
	res := r.solveTo(x, tol)
	if !res.Status.OK() {
		return math.NaN()
	}
	if grad != nil {
		r.gradient(grad, x)
	}
	return res.Bound
}

// ceiling returns φ at x for the weights of the last solve, above the advantage;
// +Inf where it failed.
func (r *rivals) ceiling(x []float64) float64 {
	r.move(x)
	if res := r.at(r.w, 1); res.Status.OK() {
		return res.Bound
	}
	return math.Inf(1)
}

// solve minimises φ for one x, to the tolerance of every other solve, from the
// weights of the last x; the result has failed if it does not get there.
func (r *rivals) solve(x []float64) Solution { return r.solveTo(x, convex.Tol) }

func (r *rivals) solveTo(x []float64, tol float64) Solution {
	r.move(x)
	tol *= max(1, 2*r.p.bound*math.Sqrt(r.kxx))
	res := r.minimise(tol)
	if !res.Status.OK() && r.local != nil {
		r.p.m.s.Work.Retries++
		r.descend()
		res = r.minimise(tol)
	}
	if !res.Status.OK() {
		r.p.m.s.Work.Failures++
	}
	return res
}

// move takes x for the new point.
func (r *rivals) move(x []float64) {
	m := r.p.m
	m.k.Row(m.kx, x, m.x)
	for i := range r.cx {
		r.cx[i] = m.kx[m.win[i]] - m.kx[m.los[i]]
	}
	r.kxx = m.k.Eval(x, x) + m.eps
	for j, y := range r.y {
		r.kxy[j] = m.k.Eval(x, y)
	}
}

// minimise runs Newton's method on the conditions of the optimum, that f is
// equal at all rivals of positive weight and greater at none, to a gap of tol.
func (r *rivals) minimise(tol float64) Solution {
	res := r.enclosed(r.at(r.w, 1))
	h := 1e-4
	for range maxNewtonW {
		if !res.Status.OK() || res.Gap <= tol {
			return res
		}
		from := slices.Clone(r.w)
		next := Solution{Gap: math.Inf(1)}
		if r.newton(h) {
			next = r.enclosed(r.at(r.w, 1))
		}
		for range 3 {
			if next.Gap < res.Gap {
				break
			}
			for j, w := range from {
				r.w[j] = 0.5 * (r.w[j] + w)
			}
			next = r.enclosed(r.at(r.w, 1))
		}
		if !(next.Gap < 0.5*res.Gap) {
			h *= 0.03 // where x is hardly a rival's better φ bends sharply
		}
		if !(next.Gap < res.Gap) {
			copy(r.w, from)
			next = r.enclosed(r.at(r.w, 1))
		}
		res = next
	}
	if res.Gap > tol {
		res.Status = convex.Failed
	}
	return res
}

const maxNewtonW = 20

// descend lowers φ from equal weights by gradients. It is safe but, since a
// search by values leaves an error in w whose square is rounding, not accurate.
func (r *rivals) descend() {
	for j := range r.w {
		r.w[j] = 1
	}
	// φ(w/Σw) needs no simplex, only w >= 0.
	best := r.local.Maximize(func(w, grad []float64) float64 {
		sum := total(w)
		if sum < 1e-6 {
			return math.NaN()
		}
		res := r.at(w, 1/sum)
		if !res.Status.OK() {
			return math.NaN()
		}
		for j := range grad {
			grad[j] = (res.Bound - (r.fx - r.fy[j])) / sum
		}
		return -res.Bound
	}, r.w)
	inv := 1 / total(best.X)
	for j, w := range best.X {
		r.w[j] = w * inv
	}
}

// enclosed turns the solution for fixed weights into one over the weights.
func (r *rivals) enclosed(res Solution) Solution {
	if !res.Status.OK() {
		res.Gap = math.Inf(1)
		return res
	}
	res.Value = min(r.fx-slices.Max(r.fy), res.Value)
	res.Gap = res.Bound - res.Value
	return res
}

// at solves for the weights scale·w and keeps the maximiser f.
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
	if !res.Status.OK() {
		return res
	}
	s.Keep(&r.warm)
	r.nu = s.Function(r.coef)
	r.fx = r.nu * r.kxx
	for l, u := range w {
		r.fx -= r.nu * scale * u * r.kxy[l]
	}
	for i, a := range r.coef {
		r.fx += a * r.cx[i]
	}
	for j := range r.fy {
		v := r.nu * r.kxy[j]
		for l, u := range w {
			v -= r.nu * scale * u * r.gram[j][l]
		}
		for i, a := range r.coef {
			v += a * r.c[j][i]
		}
		r.fy[j] = v
	}
	return res
}

// newton moves the weights by one step, its Jacobian from differences of width
// h; false if there is none.
func (r *rivals) newton(h float64) bool {
	highest, pivot := 0, 0
	for j := range r.w {
		if r.fy[j] > r.fy[highest] {
			highest = j
		}
		if r.w[j] > r.w[pivot] {
			pivot = j
		}
	}
	var active []int // but for the pivot, whose weight is the rest
	for j, w := range r.w {
		if j != pivot && (w > 0 || j == highest) {
			active = append(active, j)
		}
	}
	n := len(active)
	if n == 0 {
		return false
	}
	residual := func() []float64 {
		v := make([]float64, n)
		for a, j := range active {
			v[a] = r.fy[j] - r.fy[pivot]
		}
		return v
	}
	base := residual()
	jac := mat.NewDense(n, n, nil)
	w := slices.Clone(r.w)
	for b, j := range active {
		w[j] += h
		w[pivot] -= h
		if !r.at(w, 1).Status.OK() {
			return false
		}
		for a, v := range residual() {
			jac.Set(a, b, (v-base[a])/h)
		}
		copy(w, r.w)
	}
	// φ is convex: the Jacobian is minus a Hessian, singular where weights are
	// not unique.
	ridge := 1e-9 * (1 + mat.Norm(jac, 1))
	for a := range n {
		jac.Set(a, a, jac.At(a, a)-ridge)
	}
	step, ok := nonNegative(jac, base, r.w, active)
	if !ok {
		return false
	}
	t := 1.0
	if rest := total(step); rest < -r.w[pivot] {
		t = -r.w[pivot] / rest
	}
	for a, j := range active {
		r.w[j] = max(0, r.w[j]-t*step[a])
	}
	r.w[pivot] = 0
	r.w[pivot] = max(0, 1-total(r.w))
	return true
}

// nonNegative returns the step that solves jac·step = base, except that a weight
// w[active[a]] - step[a] which would turn negative becomes 0 and gives up its
// equation.
func nonNegative(jac *mat.Dense, base, w []float64, active []int) (step []float64, ok bool) {
	step = make([]float64, len(active))
	free := make([]int, len(active))
	for a := range free {
		free[a] = a
	}
	for len(free) > 0 {
		sub := mat.NewDense(len(free), len(free), nil)
		rhs := mat.NewVecDense(len(free), nil)
		for k, a := range free {
			v := base[a]
			for b := range active {
				if !slices.Contains(free, b) {
					v -= jac.At(a, b) * step[b]
				}
			}
			rhs.SetVec(k, v)
			for l, b := range free {
				sub.Set(k, l, jac.At(a, b))
			}
		}
		var part mat.VecDense
		if part.SolveVec(sub, rhs) != nil {
			return nil, false
		}
		var kept []int
		for k, a := range free {
			step[a] = part.AtVec(k)
			if step[a] > w[active[a]] {
				step[a] = w[active[a]]
			} else {
				kept = append(kept, a)
			}
		}
		if len(kept) == len(free) {
			break
		}
		free = kept
	}
	return step, true
}

// gradient sets dst = ∇f(x) of the maximiser at x.
func (r *rivals) gradient(dst, x []float64) {
	m := r.p.m
	f := &r.p.exp.opt
	f.m, f.v = m, 0
	f.w = m.spread(f.w, r.coef)
	f.Gradient(dst, x)
	m.k.GradDiag(r.extra, x)
	for i, g := range r.extra {
		dst[i] += r.nu * g
	}
	for j, y := range r.y {
		r.one[0] = -r.nu * r.w[j]
		m.k.GradSum(r.extra, x, y, r.one[:])
		for i, g := range r.extra {
			dst[i] += g
		}
	}
}

func total(w []float64) float64 {
	var sum float64
	for _, v := range w {
		sum += v
	}
	return sum
}
