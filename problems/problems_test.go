package problems

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/kernel"
	"popbench/space"
)

// reference is testdata/functions.json: independent values in 60-digit arithmetic.
type reference struct {
	Name        string
	Lo, Hi      []float64
	Minimise    bool
	Optimum     float64
	Optima      [][]float64
	AlsoOptimal [][]float64 `json:"also_optimal"` // need not be listed
	Worst       float64
	Evaluations []evaluation
	Grid        *struct {
		Mean, Std, Max      float64
		ArgMax              []float64
		StandardisedMax     float64  `json:"standardised_max"`
		StandardisedOptimum *float64 `json:"standardised_optimum"`
	}
	Uniform *struct { // standardised
		Mean, Std float64
		BestMean  float64 `json:"best_mean"` // of 31
		BestStd   float64 `json:"best_std"`
	}
	UniformMoments *struct{ Mean, Std float64 } `json:"uniform_moments"`
}

type evaluation struct {
	X []float64
	F float64
}

func (e *evaluation) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&e.X, &e.F})
}

func references(t *testing.T) []reference {
	t.Helper()
	var file struct{ Functions []reference }
	check.Read(t, "testdata/functions.json", &file)
	return file.Functions
}

func lookup(t *testing.T, name string) *Spec {
	t.Helper()
	return check.Must(Lookup(name))(t)
}

// instance returns an instance of a problem; a random problem draws it from a fixed stream.
func instance(t *testing.T, name string, scale Scale) *Problem {
	t.Helper()
	s := lookup(t, name)
	var r *rand.Rand
	if s.Optimum == nil {
		r = stream(0)
	}
	return check.Must(s.Instance(scale, r))(t)
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// near reports whether got is within tol·max(1, |want|) of want.
func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*max(1, math.Abs(want)) }

// nearly fails the test if got is not near want.
func nearly(t *testing.T, got, want, tol float64, format string, args ...any) {
	t.Helper()
	check.Near(t, got, want, tol*max(1, math.Abs(want)), format, args...)
}

// tolerance of values. Schwefel's three terms of up to 918 may cancel, so that only their rounding
// errors remain.
func tolerance(name string) float64 {
	if name == "schwefel3" {
		return 2.5e-13
	}
	return 1e-13
}

func TestCatalogueIsTheReferences(t *testing.T) {
	var want []string
	for _, ref := range references(t) {
		want = append(want, ref.Name)
	}
	known := slices.DeleteFunc(Names(), func(name string) bool { return lookup(t, name).Optimum == nil })
	for _, name := range known {
		check.That(t, slices.Contains(want, name), "%s has no reference; add it to testdata/functions.json", name)
	}
	for i, name := range want {
		check.That(t, slices.Contains(known, name) && !slices.Contains(want[:i], name),
			"the reference of %s is of no problem with an optimum, or there are two", name)
	}
}

func TestValues(t *testing.T) {
	for _, ref := range references(t) {
		p := instance(t, ref.Name, Raw)
		sign := 1.0
		if ref.Minimise {
			sign = -1
		}
		for _, e := range ref.Evaluations {
			nearly(t, p.Raw(e.X), e.F, tolerance(ref.Name), "%s at %v", ref.Name, e.X)
			nearly(t, p.Value(e.X), sign*e.F, tolerance(ref.Name), "%s to be maximised at %v", ref.Name, e.X)
		}
		check.That(t, len(ref.Evaluations) >= 8, "%s: the reference has only %d values", ref.Name, len(ref.Evaluations))
	}
}

func TestBoxesAndOptima(t *testing.T) {
	for _, ref := range references(t) {
		s := lookup(t, ref.Name)
		p := instance(t, ref.Name, Raw)
		check.Same(t, ref.Name+": the box", s.Box, space.Box{Lo: ref.Lo, Hi: ref.Hi})
		nearly(t, s.Optimum.Value, ref.Optimum, 1e-15, "%s: the optimum", ref.Name)
		for _, x := range append(slices.Clone(s.Optimum.X), ref.AlsoOptimal...) {
			check.OK(t, s.Box.Check("optimum", x))
			nearly(t, p.Raw(x), ref.Optimum, tolerance(ref.Name), "%s at its optimum %v", ref.Name, x)
		}
		for _, want := range ref.Optima {
			if !slices.ContainsFunc(s.Optimum.X, func(x []float64) bool {
				return slices.EqualFunc(x, want, func(a, b float64) bool { return near(a, b, 1e-15) })
			}) {
				t.Errorf("%s: the optimum %v is not listed in %v", ref.Name, want, s.Optimum.X)
			}
		}
		check.That(t, len(ref.Optima) <= 1 || len(ref.Optima) == len(s.Optimum.X),
			"%s: %d optima are listed, the reference has %d", ref.Name, len(s.Optimum.X), len(ref.Optima))
	}
}

// A complete grid agrees with the reference, a sampled one is close.
func TestGridAndScales(t *testing.T) {
	check.Sequential(t)
	for _, ref := range references(t) {
		if ref.Grid == nil {
			continue
		}
		raw, std, standardised := instance(t, ref.Name, Raw), instance(t, ref.Name, Std), instance(t, ref.Name, Standardise)
		g, tol := raw.Grid(), 1e-3
		check.Equal(t, ref.Name+": grid is complete", g.Complete, len(ref.Lo) <= 4)
		if g.Complete {
			tol = 1e-12
			nearly(t, g.Max, ref.Grid.Max, tolerance(ref.Name), "%s: the grid's maximum", ref.Name)
			// If symmetry makes several points equal, rounding may choose another one.
			nearly(t, raw.Value(ref.Grid.ArgMax), g.Max, tolerance(ref.Name), "%s: the value at the reference's maximum", ref.Name)
			nearly(t, standardised.Grid().Max, ref.Grid.StandardisedMax, 1e-12, "%s: standardised grid maximum", ref.Name)
			if want := ref.Grid.StandardisedOptimum; want != nil {
				nearly(t, standardised.Optimum.Value, *want, 1e-12, "%s: standardised optimum", ref.Name)
			}
		}
		check.Near(t, g.Mean, ref.Grid.Mean, tol*ref.Grid.Std, "%s: mean over the grid", ref.Name)
		check.Near(t, g.Std, ref.Grid.Std, tol*ref.Grid.Std, "%s: deviation over the grid", ref.Name)

		x := raw.Box.Sample(make([]float64, raw.Box.Dim()), stream(3))
		v := raw.Value(x)
		nearly(t, std.Value(x), v/g.Std, 1e-14, "%s: scale std", ref.Name)
		nearly(t, standardised.Value(x), (v-g.Mean)/g.Std, 1e-13, "%s: scale standardise", ref.Name)
		for _, p := range []*Problem{raw, std, standardised} {
			what := fmt.Sprintf("%s, %s: ", ref.Name, p.Scale)
			check.Equal(t, what+"value, (raw - shift)·factor", p.Value(x), (p.Raw(x)-p.Shift)*p.Factor)
			check.Equal(t, what+"optimum, (raw - shift)·factor", p.Optimum.Value, (p.RawOptimum.Value-p.Shift)*p.Factor)
			check.That(t, p.Optimum.Value != 0 || !math.Signbit(p.Optimum.Value), "%sthe optimum is -0", what)
			check.Equal(t, what+"is negated", p.Factor < 0, ref.Minimise)
			q := p.Grid()
			nearly(t, q.Mean, (g.Mean*math.Copysign(1, p.Factor)-p.Shift)*p.Factor, 1e-13, "%smean over the grid", what)
			nearly(t, q.Std, g.Std*math.Abs(p.Factor), 1e-13, "%sdeviation over the grid", what)
			check.That(t, !q.Complete || p.Value(q.ArgMax) == q.Max, "%sgrid maximum %.17g, %.17g at its place", what, q.Max, p.Value(q.ArgMax))
		}
	}
	check.Equal(t, "mean of ten times 0.1", mean(slices.Repeat([]float64{0.1}, 10)), 0.1)
}

func TestRefusedScales(t *testing.T) {
	flat := deterministic(Spec{Name: "flat"}, Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 3 }})
	for _, c := range []struct {
		spec  *Spec
		scale Scale
		want  string
	}{
		{flat, "log", `scale "log" is unknown`},
		{flat, Std, "its values do not vary over the grid; use scale raw"},
		{flat, StandardiseUniform, "its values do not vary over the domain; use scale raw"},
		{lookup(t, "gp1"), Std, "give scale raw"},
		{lookup(t, "gp1"), Standardise, "give scale raw"},
	} {
		check.Error(t, string(c.scale), check.Err(c.spec.Instance(c.scale, stream(1))), c.want)
	}
}

func uniform(t *testing.T, p *Problem, k int) Uniform {
	t.Helper()
	return *check.Must(p.Uniform(t.Context(), k, nil))(t)
}

// The reference's Monte Carlo means have relative standard errors of about 0.1%
// and those of the best of 31 about 0.5%; the tolerances are three times that.
func TestUniform(t *testing.T) {
	check.Sequential(t)
	relative := func(name, what string, got, want, tol float64) {
		t.Helper()
		check.Near(t, got, want, tol*math.Abs(want), "%s: %s", name, what)
	}
	compared := 0
	for _, ref := range references(t) {
		if want := ref.Uniform; want != nil {
			u := uniform(t, instance(t, ref.Name, Standardise), 31)
			check.Equal(t, "points", u.K, 31)
			relative(ref.Name, "the mean gap of a point", u.Mean, want.Mean, 0.003)
			relative(ref.Name, "its deviation", u.Std, want.Std, 0.003)
			relative(ref.Name, "the mean gap of the best of 31", u.BestMean, want.BestMean, 0.015)
			relative(ref.Name, "its deviation", u.BestStd, want.BestStd, 0.015)
			compared++
		}
		if want := ref.UniformMoments; want != nil {
			raw := uniform(t, instance(t, ref.Name, Raw), 1)
			tol := 0.003
			switch ref.Name {
			case "schaffer4": // large in 3% of the box only
				tol = 0.04
			case "vehicle_safety":
				tol = 0.004
			}
			relative(ref.Name, "the mean of a point", raw.Mean, want.Mean, tol)
			relative(ref.Name, "its deviation", raw.Std, want.Std, tol)
			relative(ref.Name, "the mean of the best of one", raw.BestMean, raw.Mean, 1e-12)
			relative(ref.Name, "its deviation", raw.BestStd, raw.Std, 1e-9)
			p := instance(t, ref.Name, StandardiseUniform)
			e := ref.Evaluations[1] // no optimum
			relative(ref.Name, "the standardised optimum", p.Optimum.Value, want.Mean/want.Std, tol)
			relative(ref.Name, "what a point loses to it, standardised", p.Optimum.Value-p.Value(e.X), math.Abs(ref.Optimum-e.F)/want.Std, tol)
			compared++
		}
	}
	check.That(t, compared >= 8, "only %d problems have a reference", compared)
}

func TestMetadata(t *testing.T) {
	titles := map[string]string{}
	for _, name := range Names() {
		s := lookup(t, name)
		optimum := instance(t, name, Raw).RawOptimum
		for what, text := range map[string]string{"title": s.Title, "summary": s.Summary, "source": s.Source, "how": optimum.How} {
			check.That(t, text != "" && strings.TrimSpace(text) == text && !strings.Contains(text, "\n"),
				"%s: %s is %q; it has to be one line", name, what, text)
		}
		other := titles[s.Title]
		check.That(t, other == "", "%s and %s have the same title", name, other)
		titles[s.Title] = name
		check.OK(t, s.Box.Validate())
		check.That(t, len(optimum.X) != 0, "%s: no optimal point is listed", name)
	}
}

func TestLookup(t *testing.T) {
	for bad, want := range map[string]string{
		"bealle":       `problem "bealle" is unknown; did you mean beale?`,
		"shubert_5_12": `problem "shubert_5_12" is unknown; did you mean shubert_5.12?`,
		"hartmann-6":   `problem "hartmann-6" is unknown; did you mean hartmann6?`,
	} {
		check.Error(t, bad, check.Err(Lookup(bad)), want)
	}
	check.That(t, slices.IsSorted(Names()), "names are not sorted: %q", Names())
}

// A problem with another function in every repetition.
func TestNewDrawn(t *testing.T) {
	s := check.Must(NewDrawn(Spec{Name: "peak", Box: space.Cube(1, -1, 1)}, func(r *rand.Rand) (Function, error) {
		c := 2*r.Float64() - 1
		return Function{Eval: func(x []float64) float64 { return -math.Abs(x[0] - c) }, Optimum: Optimum{X: [][]float64{{c}}}}, nil
	}))(t)
	check.That(t, s.Title == "peak" && s.Optimum == nil, "the spec is %+v", s)
	check.Error(t, "a random problem without a stream", check.Err(s.Instance(Raw, nil)), "rand is nil")
	at := func(seed uint64) float64 {
		p := check.Must(s.Instance(Std, stream(seed)))(t)
		check.Equal(t, "the value at the optimum", p.Value(p.Optimum.X[0]), p.Optimum.Value)
		return p.Optimum.X[0][0]
	}
	check.That(t, at(1) == at(1) && at(1) != at(2), "equal streams have to draw equal functions, other streams others")
}

func TestNewDrawnRefuses(t *testing.T) {
	line := func(x []float64) float64 { return x[0] }
	box, k := space.Cube(1, 0, 1), gpPaper(1)
	drawn := func(f Function, err error) func(*rand.Rand) (Function, error) {
		return func(*rand.Rand) (Function, error) { return f, err }
	}
	open := Function{Eval: line, Optimum: Optimum{Unknown: true}}
	inRKHS, other := open, open
	inRKHS.RKHS = &RKHS{Kernel: k, Norm: 1, NormBound: 2}
	other.Box = space.Cube(1, 0, 2)
	for _, c := range []struct {
		spec Spec
		draw func(*rand.Rand) (Function, error)
		want string
	}{
		{Spec{}, drawn(open, nil), "box"},
		{Spec{Box: box}, nil, "draw is nil"},
		{Spec{Box: box, Kernel: &kernel.Config{}}, drawn(open, nil), "family"},
		{Spec{Box: box}, drawn(open, errors.New("no luck")), "no luck"},
		{Spec{Box: box}, drawn(other, nil), "the box of the drawn function is {[0] [2]}, but that of the problem is {[0] [1]}"},
		{Spec{Box: box}, drawn(Function{Eval: line}, nil), "optimum.value = 0, but its value at [0.5] is 0.5"},
		{Spec{Box: box}, drawn(inRKHS, nil), "if and only if the problem has a kernel"},
		{Spec{Box: box, Kernel: &k}, drawn(open, nil), "if and only if the problem has a kernel"},
	} {
		c.spec.Name = "mine"
		s, err := NewDrawn(c.spec, c.draw)
		if err == nil {
			_, err = s.Instance(Raw, stream(1))
		}
		check.Error(t, c.want, err, "problem mine: ", c.want)
	}
	for _, s := range []*Spec{{Name: "mine"}, {Name: "mine", Box: box, Optimum: &Optimum{}}} {
		check.Error(t, "a spec made by hand", check.Err(s.Instance(Raw, stream(1))), `problem "mine" has no function; make it with problems.New`)
	}
}

func TestValueDoesNotAllocate(t *testing.T) {
	for _, name := range Names() {
		p := instance(t, name, Raw)
		x := p.Box.Sample(make([]float64, p.Box.Dim()), stream(4))
		n := testing.AllocsPerRun(100, func() { p.Value(x) })
		check.That(t, n == 0, "%s allocates %g times a value", name, n)
	}
}
