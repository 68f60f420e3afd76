package popbo

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/internal/convex"
	"popbench/kernel"
	"popbench/space"
)

func TestConformance(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"default":   func(*Config) {},
		"se":        func(c *Config) { c.Kernel.Family = "se-paper" },
		"matern12":  func(c *Config) { c.Kernel.Family = "matern12" },
		"linear":    func(c *Config) { c.Kernel = kernel.Config{Family: "linear", Variance: 1e-6} },
		"adapt":     func(c *Config) { c.AdaptNormBound = true; c.NormBound = 0.1 },
		"batch":     func(c *Config) { c.Batch = 2 },
		"visited":   func(c *Config) { c.Report = RuleMaxMLEVisited },
		"uncertain": func(c *Config) { c.Report = RuleMinUncertainty; c.Beta.Schedule = "sqrt(t+1)" },
		"theory":    func(c *Config) { c.Beta.Schedule = "theory"; c.Beta.Covering = 10 },
		"certain":   func(c *Config) { c.Beta = BetaConfig{Schedule: "constant", Beta0: 0} },
	} {
		algotest.Run(t, "popbo-"+name, func(s algorithms.Setup) (algorithms.Algorithm, error) {
			cfg := Default()
			cfg.Kernel.Lengthscale = nil
			for i := range s.Box.Lo {
				cfg.Kernel.Lengthscale = append(cfg.Kernel.Lengthscale, 0.3*(s.Box.Hi[i]-s.Box.Lo[i]))
			}
			if len(cfg.Kernel.Lengthscale) == 0 {
				cfg.Kernel.Lengthscale = []float64{1}
			}
			change(&cfg)
			return New(s, cfg)
		})
	}
}

// refSet is one data set of the reference optima, computed by an interior-point
// solver at 1e-10 with its own dual certificates. Its kernel "SE" is se-half.
type refSet struct {
	ID, D, T    int
	Kernel      string
	Variance    float64
	Lengthscale []float64
	Bounds      [][2]float64
	B, Beta     float64
	Epsilon     float64
	X           [][]float64
	One         []int
	MLE         float64
	Joint       struct {
		Value float64
		X     []float64
	}
}

func loadReference(t testing.TB) []refSet {
	data, err := os.ReadFile("testdata/convex.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []refSet
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	return sets
}

// build puts the data of a reference set into a POPBO, as points of their own.
func (r refSet) build(t testing.TB) *POPBO {
	cfg := Default()
	cfg.Kernel = kernel.Config{Family: map[string]string{"SE": "se-half", "Matern52": "matern52"}[r.Kernel], Variance: r.Variance, Lengthscale: r.Lengthscale}
	cfg.NormBound, cfg.Epsilon = r.B, r.Epsilon
	cfg.Beta = BetaConfig{Schedule: "constant", Beta0: r.Beta}
	var box space.Box
	for _, b := range r.Bounds {
		box.Lo, box.Hi = append(box.Lo, b[0]), append(box.Hi, b[1])
	}
	p, err := New(algorithms.Setup{Box: box, Start: r.X[0], Rand: rand.New(rand.NewPCG(1, 1))}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range r.One {
		if err := p.Tell(algorithms.Query{Points: [][]float64{r.X[i], r.X[i+1]}, New: 1}, one); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// The joint optimum over x and f is not below the reference's, which is the
// best of restarts, a grid and a local polish; where it is above, it is real.
func TestJointReference(t *testing.T) {
	for _, r := range loadReference(t) {
		p := r.build(t)
		if math.Abs(p.fit.Value-r.MLE) > 1e-8*max(1, math.Abs(r.MLE)) {
			t.Errorf("set %d: MLE %.12g, reference %.12g", r.ID, p.fit.Value, r.MLE)
		}
		q, err := p.Ask()
		if err != nil {
			t.Fatal(err)
		}
		adv := p.next.advantage
		rel := (adv.Value - r.Joint.Value) / max(1, r.Joint.Value)
		if rel < -1e-6 {
			t.Errorf("set %d (d %d, t %d): joint optimum %.10g at %v, reference %.10g at %v", r.ID, r.D, r.T, adv.Value, q.Points[1], r.Joint.Value, r.Joint.X)
		}
		if rel > 1e-6 {
			t.Logf("set %d (d %d, t %d): %.10g is above the reference %.10g, gap %.2g", r.ID, r.D, r.T, adv.Value, r.Joint.Value, adv.Gap)
		}
		if !adv.Status.OK() || adv.Gap > convex.Tol*max(1, r.B*math.Sqrt(4*r.Variance)) {
			t.Errorf("set %d: %v, gap %g", r.ID, adv.Status, adv.Gap)
		}
	}
}
