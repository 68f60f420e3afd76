package suite

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"popbench/internal/limits"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// Suite is one experiment: every algorithm on every problem, Repetitions times.
type Suite struct {
	Name        string      `json:"name" required:"true" doc:"Name of the suite and of its results folder: letters, digits, dots, dashes and underscores."`
	Title       string      `json:"title,omitempty" doc:"One line on the purpose of the suite, up to 200 bytes."`
	Paper       string      `json:"paper,omitempty" enum:"test-functions,gp-1d,gp-7d,gp-12d,ackley-6d,thermal-2d,thermal-4d,sweep,confidence-set,coverage" doc:"The paper's experiment that the suite reproduces; the report shows the paper's numbers beside ours."`
	Seed        uint64      `json:"seed" min:"0" max:"18446744073709551615" doc:"Seed of every random stream of the suite."`
	Steps       int         `json:"steps" min:"1" max:"100000" doc:"Queries per run."`
	Repetitions int         `json:"repetitions" min:"1" max:"10000" doc:"Runs of each algorithm on each problem, each with its own starting point and random numbers; at most 500,000 runs in total."`
	Timeout     string      `json:"timeout,omitempty" unit:"s" doc:"Time limit of one run, e.g. 90s, 10m or 1h30m, up to 8760h; none by default."`
	FirstDuels  int         `json:"first_duels,omitempty" min:"0" max:"10000" doc:"Number of duels of random points with which every run begins, the same for all algorithms of a repetition. They count as steps; set the algorithms' own initial duels to 0."`
	Snapshots   []int       `json:"snapshots,omitempty" max:"100" itemMin:"1" itemMax:"100000" doc:"Steps after which to record the beliefs of an algorithm with a confidence set on a grid of a 1-D problem, for the confidence-set figure."`
	Oracle      *Oracle     `json:"oracle,omitempty" doc:"How the oracle answers: a model alone, or a mapping; by default Bradley-Terry-Luce, logistic with scale 1. A problem may have its own."`
	HeldOut     HeldOut     `json:"held_out,omitzero" doc:"Random duels that no algorithm sees, to score the estimate of each that has a model of f, after the last step and at the snapshots: log-loss, and Kendall's tau at the points. A number N is short for {duels: N, points: 50}."`
	Headline    string      `json:"headline,omitempty" enum:"suboptimality,mean-suboptimality,best-asked-regret,cumulative-regret,utility-regret,preference-regret,weak-regret,weak-preference-regret,self-duels,comparisons-to-target,held-out-log-loss,excess-log-loss,kendall-tau" doc:"The metric that ranks the algorithms in the report, by default suboptimality; the report has all others too. docs/metrics.md defines them."`
	Problems    []Problem   `json:"problems" required:"true" min:"1" max:"100" doc:"The problems, each once. A name alone is short for {name: NAME}."`
	Algorithms  []Algorithm `json:"algorithms" required:"true" min:"1" max:"100" doc:"The algorithms and their settings; list one several times under different labels to compare settings. A name alone is short for {name: NAME}."`

	Dir string `json:"-"` // the folder of the suite file, in which its programs run

	file      string // as Load or Parse got it
	text      []byte
	catalogue Catalogue
}

// SetDefaults sets the values of omitted keys.
func (s *Suite) SetDefaults() { s.Seed, s.Steps, s.Repetitions = 1, 30, 30 }

// TimeLimit returns the parsed Timeout; 0 means none.
func (s *Suite) TimeLimit() time.Duration {
	limit, _ := time.ParseDuration(s.Timeout)
	return limit
}

// OracleFor returns how the oracle answers on a problem, defaults included; nil for the Bradley-Terry-Luce model with
// scale 1.
func (s *Suite) OracleFor(p Problem) *Oracle {
	o := cmp.Or(p.Oracle, s.Oracle)
	if o == nil || o.unit() {
		return nil
	}
	return o
}

// SetRepetitions replaces the number of repetitions, as a command-line flag does. The limits of a
// file apply.
func (s *Suite) SetRepetitions(n int) error {
	f, _ := reflect.TypeFor[Suite]().FieldByName("Repetitions")
	if err := strict.CheckRange(limits.Of(f.Tag), float64(n)); err != nil {
		return fmt.Errorf("%d %w", n, err)
	}
	s.Repetitions = n
	return s.checkCells()
}

// maxCells is the maximum number of runs of a suite; each writes two files.
const maxCells = 500_000

func (s *Suite) checkCells() error {
	if n := len(s.Problems) * len(s.Algorithms) * s.Repetitions; n > maxCells {
		return fmt.Errorf("%d repetitions of %s on %s are %d runs; the maximum is %d",
			s.Repetitions, words.Count(len(s.Algorithms), "algorithm"), words.Count(len(s.Problems), "problem"), n, maxCells)
	}
	return nil
}

// resolve returns a path of the suite file as seen from here.
func (s *Suite) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Dir, path)
}

// entry returns the place in the file of algorithm i, where variants are part of an algorithm's entry.
func (s *Suite) entry(i int) string {
	n := len(words.Only(s.Algorithms[:i+1], func(a Algorithm) bool { return a.Of == "" }))
	return fmt.Sprintf("algorithms[%d]", n-1)
}
