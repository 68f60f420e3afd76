package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/config"
	"popbench/space"
)

var suggestCommand = &command{
	name:  "suggest",
	args:  "FILE.json",
	short: "say which points to compare next in an experiment of your own",
	long: `
Reads the box, POP-BO's settings and the comparisons so far, and prints as JSON
the points to compare next, the point to recommend now, and the range in which
its value lies if the assumptions hold. FILE is - for standard input. It has:

  box          {"lo": [...], "hi": [...]}, one bound of each per dimension
  comparisons  [{"points": [[...], [...]], "winner": 1}, ...], oldest first;
               winner is the index of the preferred point, from 0
  settings     those of popbo in bench list algorithms; may be left out
  start        the first point to compare with; the centre by default
  seed         of the search's candidate points, below 2^53; 0 by default
  pilot        comparisons that only serve to fit the lengthscale

The judge sees "compare" and names a favourite; add that to comparisons and ask
again. Values are on the scale of the comparison model, P(x beats y) =
1/(1+exp(f(y)-f(x))), and are known up to a constant only as far as the norm
bound ties them down.

Limits: 4 MiB of JSON, 300 dimensions, bounds within ±1e15, 2000 comparisons and
1000 pilot comparisons of 2 to 100 points each. bench list algorithms has the
limits of the settings. The time grows with the fourth power of the dimension: a
second in 100, half a minute in 300.`,
	min: 1,
	max: 1,
	setup: func(*flag.FlagSet) action {
		return func(_ context.Context, stdout, _ io.Writer, args []string) error {
			name, data, err := readInput(args[0])
			if err != nil {
				return fmt.Errorf("suggest: %w", err)
			}
			e := ownExperiment{Settings: popbo.Default()}
			if err := config.Decode(name, data, &e); err != nil {
				return err
			}
			s, err := suggest(e)
			if err != nil {
				return fmt.Errorf("suggest: %s: %w", name, err)
			}
			return writeJSON(stdout, s)
		}
	},
}

// readInput reads a file, or standard input for "-", and returns its name for
// messages.
func readInput(path string) (name string, data []byte, err error) {
	if path == "-" {
		name = "standard input"
		data, err = config.ReadAll(name, os.Stdin)
		return name, data, err
	}
	data, err = config.ReadFile(path)
	return path, data, err
}

// ownExperiment is what bench suggest reads.
type ownExperiment struct {
	Box         space.Box               `json:"box" doc:"The search box: lo and hi, one bound of each per dimension, 300 at most."`
	Settings    popbo.Config            `json:"settings,omitempty" doc:"Settings of POP-BO; what is left out has its default."`
	Start       []float64               `json:"start,omitempty" max:"300" itemMin:"-1e15" itemMax:"1e15" doc:"x_0, the point that the first proposal is compared with; the centre of the box by default."`
	Seed        uint64                  `json:"seed,omitempty" min:"0" max:"9007199254740991" doc:"Seed of the search's candidate points, below 2^53."`
	Pilot       []algorithms.Comparison `json:"pilot,omitempty" max:"1000" doc:"Comparisons that only serve to fit the lengthscale, where the settings ask for it."`
	Comparisons []algorithms.Comparison `json:"comparisons,omitempty" max:"2000" doc:"All comparisons so far, in order: the points compared, oldest first, and the index of the winner."`
}

func (e ownExperiment) restore() (*popbo.POPBO, error) {
	state := algorithms.State{Box: e.Box, Start: e.Start, Seed: e.Seed, Pilot: algorithms.NewPilot(e.Pilot), Comparisons: e.Comparisons}
	return algorithms.Restore(state, func(s algorithms.Setup) (*popbo.POPBO, error) { return popbo.New(s, e.Settings) })
}

// suggestion is what bench suggest prints.
type suggestion struct {
	Compare     [][]float64                 `json:"compare"` // oldest first
	New         [][]float64                 `json:"new"`     // those that were not shown in the last query
	Recommended recommended                 `json:"recommended"`
	Others      []algorithms.Recommendation `json:"other_rules"`
	Comparisons int                         `json:"comparisons"`
	LogLik      float64                     `json:"log_likelihood"` // of the estimate
	Beta        float64                     `json:"beta"`
	NormBound   float64                     `json:"norm_bound"`
}

// recommended is the point to report, the estimate there, and its confidence
// range with the duality gap of each end.
type recommended struct {
	Rule     string    `json:"rule"`
	X        []float64 `json:"x"`
	Estimate float64   `json:"estimate"`
	Lower    float64   `json:"lower"`
	Upper    float64   `json:"upper"`
	LowerGap float64   `json:"lower_gap"`
	UpperGap float64   `json:"upper_gap"`
}

func suggest(e ownExperiment) (*suggestion, error) {
	p, err := e.restore()
	if err != nil {
		return nil, err
	}
	q, err := p.Ask()
	if err != nil {
		return nil, err
	}
	advice, err := p.Recommend()
	if err != nil {
		return nil, err
	}
	best, m := advice[0], p.Model()
	lower, upper := m.Lower(best.X), m.Upper(best.X)
	if !lower.Status.OK() || !upper.Status.OK() {
		return nil, fmt.Errorf("the confidence range at %v did not converge; raise settings.epsilon", best.X)
	}
	beta, norm := p.Beta()
	s := &suggestion{
		Compare: q.Points,
		New:     q.Points[len(q.Points)-q.New:],
		Recommended: recommended{
			Rule: best.Rule, X: best.X, Estimate: m.MLE().Value(best.X),
			Lower: lower.Value, Upper: upper.Value, LowerGap: lower.Gap, UpperGap: upper.Gap,
		},
		Others:      advice[1:],
		Comparisons: len(e.Comparisons),
		LogLik:      m.FitResult().Value,
		Beta:        beta,
		NormBound:   norm,
	}
	return s, nil
}
