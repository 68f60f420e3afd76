package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// suggestExample is the worked example of bench help suggest.
const suggestExample = `{"algorithm": "qeubo", "settings": {"initial_duels": 1},
 "box": {"lo": [18, 0], "hi": [30, 1]},
 "comparisons": [{"points": [[24, 0.2], [26, 0.5]], "winner": 1}]}`

var suggestCommand = &command{
	name:  "suggest",
	args:  "FILE.json",
	short: "propose the next points to compare in an experiment of your own",
	long: `
Reads a search box and the comparisons so far. Prints as JSON the points to
compare next and the point to recommend now. FILE is - for standard input. It
has:

  algorithm    one of bench list algorithms; popbo by default
  settings     those of the algorithm in bench list algorithms; optional
  box          {"lo": [...], "hi": [...]}, one bound of each per dimension
  comparisons  [{"points": [[...], [...]], "winner": 1}, ...], oldest first;
               winner is the index of the preferred point, from 0. gpucb learns
               from "values", noisy values of the last points, and no winner
  start        the first point to compare with; the centre by default
  seed         of the algorithm's random numbers, below 2^53; 0 by default
  pilot        comparisons that only serve to fit hyper-parameters
  known        what is known of the function: {"kernel": {...}, "norm_bound": 3}

An example, in a file tea.json (°C and m/s):

` + indent(suggestExample, 2) + `

  bench suggest tea.json --state tea.state

Show the points of "compare" to the decision maker, add them with the winner to
comparisons, and call again. "recommended" is the point to use now. Where the
algorithm has a model it comes with an estimate of its value and a confidence
range; values are on the scale of the comparison model,
P(x beats y) = 1/(1+exp(f(y)-f(x))).

With --state FILE a call continues where the last one ended, and learns only the
new comparisons. The proposals are the same with and without it. If the state is
of another experiment, a note says so and it is replaced.

Limits: 4 MiB of JSON, 300 dimensions, bounds within ±1e15, 2000 comparisons and
1000 pilot comparisons of 2 to 100 points each. bench list algorithms has the
limits of the settings. The time of popbo grows with the fourth power of the
dimension: a second in 100, half a minute in 300.`,
	min:   1,
	max:   1,
	stops: true,
	setup: func(a *app, flags *flag.FlagSet) action {
		state := flags.String("state", "", "keep the state of the algorithm between calls in `FILE`")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			var saved []byte
			s, err := until(ctx, func() (s *suggestion, err error) {
				s, saved, err = a.answer(stderr, args[0], *state)
				return s, err
			}, "nothing was printed")
			if err != nil {
				return err
			}
			if *state != "" {
				if err := runlog.Replace(*state, saved); err != nil {
					return fmt.Errorf("suggest: --state: %w", err)
				}
			}
			return writeJSON(stdout, s)
		}
	},
}

// answer returns what to print for the experiment in a file, which may go on from
// the state in a file, and the new contents of the state's file.
func (a *app) answer(stderr io.Writer, path, state string) (*suggestion, []byte, error) {
	name, data, err := a.readInput(path)
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %w", err)
	}
	e, err := readExperiment(stderr, a.catalogue, name, data)
	if err != nil {
		return nil, nil, err
	}
	alg, err := e.resume(stderr, a.catalogue, state)
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	s, err := suggest(e.Algorithm, alg, len(e.Comparisons))
	var saved []byte
	if err == nil && state != "" {
		saved, err = e.saved(a.catalogue, alg)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	return s, saved, nil
}

func indent(text string, n int) string {
	space := strings.Repeat(" ", n)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}

// readInput reads a file, or standard input for "-", and returns its name for
// messages.
func (a *app) readInput(path string) (name string, data []byte, err error) {
	if path == "-" {
		name = "standard input"
		data, err = config.ReadAll(name, a.stdin)
		return name, data, err
	}
	data, err = config.ReadFile(path)
	return path, data, err
}

// ownExperiment is what bench suggest reads: an experiment of the user's own.
type ownExperiment struct {
	Program   string `json:"program,omitempty" doc:"Version that wrote the state."`
	Algorithm string `json:"algorithm,omitempty" doc:"One of bench list algorithms; popbo by default."`
	Settings  any    `json:"settings,omitempty" doc:"Settings of the algorithm; what is left out has its default."` // a pointer to the catalogue's type
	algorithms.State
}

// readExperiment reads an experiment, its settings over the algorithm's defaults. It
// writes a note on each key with an earlier name.
func readExperiment(stderr io.Writer, cat suite.Catalogue, name string, data []byte) (*ownExperiment, error) {
	// Which settings there are depends on the algorithm. JSON is quick to read for it.
	probe := ownExperiment{Algorithm: "popbo"}
	err := json.Unmarshal(data, &struct{ Algorithm *string }{&probe.Algorithm})
	if err != nil {
		err = config.Decode(name, data, &probe)
	}
	e := &ownExperiment{Algorithm: probe.Algorithm, Settings: cat.Settings(probe.Algorithm)}
	if e.Settings == nil {
		if err == nil {
			names := cat.Algorithms()
			err = fmt.Errorf("suggest: %s: algorithm: %q is unknown; give one of %s", name, shorten(probe.Algorithm, 40), strings.Join(names, ", "))
		}
		return nil, err
	}
	notes, err := config.DecodeSettings(name, data, e.Algorithm, e)
	if err != nil {
		return nil, err
	}
	writeNotes(stderr, notes)
	if e.Program != thisProgram(cat) {
		e.forget()
	}
	return e, nil
}

// suggestion is what bench suggest prints.
type suggestion struct {
	Algorithm   string                      `json:"algorithm"`
	Compare     [][]float64                 `json:"compare"` // oldest first
	New         [][]float64                 `json:"new"`     // those that were not shown in the last query
	Recommended recommended                 `json:"recommended"`
	Others      []algorithms.Recommendation `json:"other_rules"`
	Comparisons int                         `json:"comparisons"`

	// POP-BO's confidence set.
	LogLik    *float64 `json:"log_likelihood,omitempty"` // of the estimate
	Beta      *float64 `json:"beta,omitempty"`
	NormBound *float64 `json:"norm_bound,omitempty"`
}

// recommended is the point to use now and, if the algorithm has a model, its belief
// there. POP-BO's range comes with the duality gap of each end.
type recommended struct {
	algorithms.Recommendation
	*algorithms.Belief
	LowerGap *float64 `json:"lower_gap,omitempty"`
	UpperGap *float64 `json:"upper_gap,omitempty"`
}

// suggest returns what an algorithm that has learnt n comparisons proposes.
func suggest(name string, alg algorithms.Algorithm, n int) (*suggestion, error) {
	q, err := alg.Ask()
	if err != nil {
		return nil, err
	}
	all, err := alg.Recommend()
	if err != nil {
		return nil, err
	}
	s := &suggestion{
		Algorithm:   name,
		Compare:     q.Points,
		New:         q.Points[len(q.Points)-q.New:],
		Recommended: recommended{Recommendation: all[0]},
		Others:      all[1:],
		Comparisons: n,
	}
	switch alg := alg.(type) {
	case *popbo.POPBO:
		err = s.certify(alg)
	case algorithms.Believer:
		var b algorithms.Belief
		b, err = alg.Belief(all[0].X)
		s.Recommended.Belief = &b
	}
	return s, err
}

// certify adds what POP-BO knows of the recommended point, with its certificates.
func (s *suggestion) certify(p *popbo.POPBO) error {
	r, m := &s.Recommended, p.Model()
	lower, upper := m.Lower(r.X), m.Upper(r.X)
	if !lower.Status.OK() || !upper.Status.OK() {
		return fmt.Errorf("the confidence range at %v did not converge; raise settings.epsilon", r.X)
	}
	r.Belief = &algorithms.Belief{Estimate: m.MLE().Value(r.X), Lower: lower.Value, Upper: upper.Value}
	r.LowerGap, r.UpperGap = &lower.Gap, &upper.Gap
	logLik := m.MLESolution().Value
	beta, norm := p.Beta()
	s.LogLik, s.Beta, s.NormBound = &logLik, &beta, &norm
	return nil
}
