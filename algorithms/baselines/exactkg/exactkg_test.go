package exactkg

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/check"
	"popbench/space"
)

func build(cfg Config) func(algorithms.Setup) (algorithms.Algorithm, error) {
	return func(s algorithms.Setup) (algorithms.Algorithm, error) { return New(s, cfg) }
}

func TestConformance(t *testing.T) {
	for name, cfg := range bothModels() {
		cfg.InitialDuels = 3 // so that the short plays get to the acquisition function
		var scenarios []string
		if name == "laplace" {
			scenarios = []string{"a square, start at a corner", "nine arms with three features"}
		}
		algotest.Run(t, name, build(cfg), scenarios...)
	}
}

func TestConfigValidate(t *testing.T) {
	algotest.RunSettings(t, Default(), map[string]func(*Config){
		"link = probit": func(c *Config) { c.Link = "probit" }, // package settings tests the others
	}, New)
}

// Eight duels after the random ones lead close to the top of a hill, on the square and on forty arms.
func TestFindsTheTop(t *testing.T) {
	hill := func(x []float64) float64 { return -40*(x[0]-0.3)*(x[0]-0.3) - 40*(x[1]-0.6)*(x[1]-0.6) }
	r := rand.New(rand.NewPCG(8, 1))
	points := make([][]float64, 40)
	for i := range points {
		points[i] = []float64{r.Float64(), r.Float64()}
	}
	arms := check.Must(space.NewArms(points))(t)
	for _, domain := range []space.Domain{space.Cube(2, 0, 1), arms} {
		top := 0.0
		if domain == arms {
			top = math.Inf(-1)
			for _, x := range points {
				top = max(top, hill(x))
			}
		}
		a, err := New(algorithms.Setup{Domain: domain, Start: points[0], Rand: r}, Default())
		if domain != arms {
			a, err = New(algorithms.Setup{Domain: domain, Start: []float64{0.9, 0.1}, Rand: r}, Default())
		}
		if err != nil {
			t.Fatal(err)
		}
		for range 8 + 12 {
			q := check.Must(a.Ask())(t)
			winner := 0
			if r.Float64() < 1/(1+math.Exp(hill(q.Points[0])-hill(q.Points[1]))) {
				winner = 1
			}
			check.OK(t, a.Tell(q, winner))
		}
		rec := check.Must(a.Recommend())(t)
		if off := top - hill(rec[0].X); off > 1 {
			t.Errorf("%T: the recommended point %.3g is %.3g below the top", domain, rec[0].X, off)
		}
	}
}

// An upper limit of the work of a proposal after 30 duels in 2-D, in counts that do not vary.
func TestWork(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	s := compared(t, 30, 2, Default(), r)
	if got := s.Max().Evaluations; got > 2000 {
		t.Errorf("a proposal takes %d evaluations", got)
	}
}
