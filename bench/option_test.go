package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/random"
	"popbench/internal/check"
	"popbench/problems"
	"popbench/space"
)

// stubborn is an algorithm that always asks the same query. It cannot be saved.
type stubborn struct{ x []float64 }

type stubbornConfig struct {
	Patience int    `json:"patience" min:"1" max:"9" doc:"How often it asks."`
	Mood     string `json:"mood" enum:"calm,cross" doc:"How it asks."`
}

func stubbornDefault() stubbornConfig { return stubbornConfig{3, "calm"} }

func (c stubbornConfig) Validate() error {
	if c.Patience == 7 {
		return unlucky{}
	}
	return nil
}

// unlucky is an error that knows which key it is about.
type unlucky struct{}

func (unlucky) Error() string  { return "patience = 7 is unlucky; give another number" }
func (unlucky) Keys() []string { return []string{"mood", "patience"} }

func newStubborn(s algorithms.Setup, _ stubbornConfig) (*stubborn, error) {
	return &stubborn{s.Start}, s.Validate()
}

func (s *stubborn) Ask() (algorithms.Query, error) {
	return algorithms.Query{Points: [][]float64{s.x, s.x}, New: 1}, nil
}
func (s *stubborn) Tell(algorithms.Query, int) error { return nil }
func (s *stubborn) Recommend() ([]algorithms.Recommendation, error) {
	return []algorithms.Recommendation{{Rule: "start", X: s.x}}, nil
}

// unset has no settings.
type unset struct{}

// flat is a constant problem.
func flat(t *testing.T, s problems.Spec) *problems.Spec {
	t.Helper()
	return check.Must(problems.New(s, problems.Function{Box: space.Cube(1, 0, 1), Eval: func([]float64) float64 { return 2 }, Optimum: problems.Optimum{Value: 2}}))(t)
}

// oven has an objective with Measure, which fails above 240, and an unknown optimum.
func oven(t *testing.T) *problems.Spec {
	t.Helper()
	return check.Must(problems.New(problems.Spec{Name: "oven"}, problems.Function{
		Box: space.Cube(1, 150, 250),
		Measure: func(_ context.Context, x []float64) (float64, error) {
			if x[0] > 240 {
				return 0, errors.New("burnt")
			}
			return x[0], nil
		},
		RandomPoints: 3, Optimum: problems.Optimum{Unknown: true},
	}))(t)
}

// peaks has a function with another optimum in every repetition. If unknown, nobody knows it.
func peaks(t *testing.T, name string, unknown bool) *problems.Spec {
	t.Helper()
	return check.Must(problems.NewDrawn(problems.Spec{Name: name, Box: space.Cube(1, 0, 8)}, func(r *rand.Rand) (problems.Function, error) {
		at := float64(r.IntN(9))
		f := problems.Function{Minimise: true, Eval: func(x []float64) float64 { return math.Abs(x[0] - at) }, Optimum: problems.Optimum{X: [][]float64{{at}}}}
		if unknown {
			f.Optimum = problems.Optimum{Unknown: true}
		}
		return f, nil
	}))(t)
}

// added are options of a program with an additional algorithm and additional problems, which is mine in transcripts.
func added(t *testing.T) []Option {
	t.Helper()
	return []Option{
		Algorithm("stubborn", stubbornDefault, newStubborn),
		Problem(flat(t, problems.Spec{Name: "flat"})),
		Problem(oven(t)), Problem(peaks(t, "peaks", false)), Problem(peaks(t, "summits", true)),
		Solver("stubborn", stubbornDefault, func(in algorithms.SolveInput, cfg stubbornConfig) (*stubbornConfig, error) { return &cfg, nil }),
	}
}

// Invalid options stop the program immediately.
func TestOptionsAreChecked(t *testing.T) {
	driven := func(name string) Option { return Algorithm(name, random.Default, random.New) }
	type lost struct {
		F func() `json:"f"`
	}
	type limited struct {
		N int `json:"n" min:"one"`
	}
	for want, options := range map[string][]Option{
		`algorithm "popbo" exists already, as popbo; give another name`:       {driven("popbo")},
		`algorithm "POPBO" exists already, as popbo; give another name`:       {driven("POPBO")},
		`algorithm "mine" exists already, as mine; give another name`:         {driven("mine"), driven("mine")},
		`algorithm "my own" cannot name a folder`:                             {driven("my own")},
		`algorithm "external" exists already, as external; give another name`: {driven("external")},
		`problem "External" exists already, as external; give another name`:   {Problem(flat(t, problems.Spec{Name: "External"}))},
		`problem "table" exists already, as table; give another name`:         {Problem(flat(t, problems.Spec{Name: "table"}))},
		`problem "beale" exists already, as beale; give another name`:         {Problem(flat(t, problems.Spec{Name: "beale"}))},
		`problem "bell" has a line break`:                                     {Problem(flat(t, problems.Spec{Name: "bell", Summary: "\a"}))},
		`an option is empty; make it with bench.Algorithm`:                    {Option{}},
		`algorithm "mine" has no defaults`:                                    {Algorithm[random.Config, *stubborn]("mine", nil, nil)},
		`solver "popbo" has no defaults`:                                      {Solver[random.Config, int]("popbo", nil, nil)},
		`algorithm "mine" has no defaults or nothing that builds it`:          {Method[unset, algorithms.Method]("mine", func() unset { return unset{} }, nil)},
		`a problem is nil`: {Problem(nil)},
		`problem "mine" has no function; make it with problems.New`: {Problem(&problems.Spec{Name: "mine"})},
		`algorithm "mine" has settings of type *int; give a struct`: {Algorithm("mine", func() int { return 1 }, func(algorithms.Setup, int) (*stubborn, error) { return nil, nil })},
		`f is func(), which a suite file cannot give`:               {Algorithm("mine", func() lost { return lost{} }, func(algorithms.Setup, lost) (*stubborn, error) { return nil, nil })},
		`n has the tag min:"one", which is no number`:               {Algorithm("mine", func() limited { return limited{} }, func(algorithms.Setup, limited) (*stubborn, error) { return nil, nil })},
		`solver "mine": unknown algorithm; add the algorithm first`: {Solver("mine", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
		`solver "popbo" exists already`:                             {Solver("popbo", random.Default, func(algorithms.SolveInput, random.Config) (*int, error) { return nil, nil })},
	} {
		var out, log bytes.Buffer
		code := Execute(t.Context(), nil, &out, &log, []string{"--version"}, options...)
		check.Equal(t, want+": exit code and stdout", fmt.Sprint(code, out.String()), "2")
		check.Contains(t, "stderr", log.String(), "bench: this program cannot start: ", want)
	}
}
