package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// iohVersion is the release of IOHexperimenter whose `logger.Analyzer` writes such files. Readers tell the format by it.
const iohVersion = "0.3.22"

// iohInfo is the JSON file of an algorithm on a problem. IOHexperimenter defines its keys.
type iohInfo struct {
	Version      string `json:"version"`
	Suite        string `json:"suite"`
	FunctionID   int    `json:"function_id"` // from 1, in the order of the problems
	FunctionName string `json:"function_name"`
	Maximization bool   `json:"maximization"`
	Algorithm    struct {
		Name string `json:"name"`
		Info string `json:"info"`
	} `json:"algorithm"`
	Experiment []iohSetting  `json:"experiment_attributes"`
	Attributes []string      `json:"attributes"` // the columns of the data file
	Scenarios  []iohScenario `json:"scenarios"`
}

// iohSetting has one key. Its value is a text that holds a number: iohinspector evaluates it as Python, so that no text
// of a record may go there.
type iohSetting map[string]string

type iohScenario struct {
	Dimension int      `json:"dimension"`
	Path      string   `json:"path"` // of the data file, relative to this file
	Runs      []iohRun `json:"runs"` // in the order of the data file
}

type iohRun struct {
	Instance int     `json:"instance"` // the repetition
	Evals    int     `json:"evals"`
	Best     iohBest `json:"best"`
}

type iohBest struct {
	Evals int       `json:"evals"`
	Y     float64   `json:"y"`
	X     []float64 `json:"x"`
}

// iohGroup is the algorithm on a problem whose files are being written.
type iohGroup struct {
	folder *Folder
	key    string
	rules  []string
	info   iohInfo
	path   string // of the JSON file
	file   io.WriteCloser
	data   *bufio.Writer
}

// IOH writes the files of IOHprofiler, as `logger.Analyzer` of IOHexperimenter does: for each algorithm a folder, and in it
// for each problem IOHprofiler_f1_NAME.json and data_f1_NAME/IOHprofiler_f1_DIM2.dat. An evaluation is a step, that is, an
// answer of the oracle; its value, to be minimised, is the suboptimality by the selected rule.
func IOH(folders []Folder, create Create) (*Summary, error) {
	var g *iohGroup
	best := &bests{}
	problems := map[*Folder][]string{}
	summary, _, err := export(folders, create, func(f *Folder, rec *record.Record) (string, error) {
		h := &rec.Header
		if key := record.Group(h.Cell); g == nil || g.folder != f || g.key != key {
			if err := g.close(create); err != nil {
				return "", err
			}
			problems[f] = words.Include(problems[f], h.Problem.Name)
			var err error
			if g, err = newIOH(f, rec, len(problems[f]), create); err != nil {
				return "", err
			}
		}
		found, err := best.of(f, rec)
		return g.add(rec, found), err
	})
	if err != nil {
		return nil, err
	}
	return summary, g.close(create)
}

func newIOH(f *Folder, first *record.Record, id int, create Create) (*iohGroup, error) {
	h := &first.Header
	problem, label := path.Split(record.Group(h.Cell)) // as they are in paths
	dir := path.Join("data", f.Name, label)
	name := fmt.Sprintf("f%d_%s", id, strings.TrimSuffix(problem, "/"))
	dimension := dimension(h)
	data := fmt.Sprintf("data_%s/IOHprofiler_f%d_DIM%d.dat", name, id, dimension)
	g := &iohGroup{folder: f, key: record.Group(h.Cell), path: path.Join(dir, "IOHprofiler_"+name+".json"), rules: outcome.Rules(first)}
	g.info = iohInfo{Version: iohVersion, Suite: h.Suite, FunctionID: id, FunctionName: h.Problem.Name,
		Experiment: []iohSetting{{"seed": strconv.FormatUint(h.Seed, 10)}, {"pilot_comparisons": strconv.Itoa(h.PilotComparisons)},
			{"budget": strconv.Itoa(h.Budget)}},
		Attributes: append([]string{"evaluations", "raw_y", "regret", "cumulative_regret"}, attributes(g.rules)...),
		Scenarios:  []iohScenario{{Dimension: dimension, Path: data, Runs: []iohRun{}}}}
	g.info.Algorithm.Name, g.info.Algorithm.Info = h.Algorithm.Label, h.Algorithm.Name+" of "+h.Program()
	if h.Imported != nil {
		g.info.Algorithm.Info = "imported from " + h.Imported.File
	}
	var err error
	if g.file, err = create(path.Join(dir, data)); err != nil {
		return nil, err
	}
	g.data = bufio.NewWriter(g.file)
	return g, nil
}

// attributes are the names of the columns of the rules: letters, digits and marks that no reader splits at.
func attributes(rules []string) (names []string) {
	for i, rule := range rules {
		name := "suboptimality_" + strings.Map(func(r rune) rune {
			if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				return r
			}
			return '_'
		}, rule)
		if slices.Contains(names, name) {
			name += "_" + strconv.Itoa(i+1)
		}
		names = append(names, name)
	}
	return names
}

// add writes a run, whose optimum is unknown if there is a best value. If it leaves the run out, it returns why.
func (g *iohGroup) add(rec *record.Record, found *outcome.BestFound) (why string) {
	h := &rec.Header
	s := &g.info.Scenarios[0]
	if d := dimension(h); d != s.Dimension {
		return fmt.Sprintf("the problem has %d dimensions, and %d in the first run", d, s.Dimension)
	}
	run := outcome.NewRun(rec, g.rules)
	if found != nil {
		run.Against(found)
	}
	if k := slices.IndexFunc(run.Suboptimality[0], math.IsNaN); k >= 0 {
		return fmt.Sprintf("no report by %s after step %d, as the first run has after its first", g.rules[0], k+1)
	}
	best := iohBest{Y: math.Inf(1)}
	fmt.Fprintln(g.data, strings.Join(g.info.Attributes, " "))
	cumulative := 0.0
	for k := range rec.Steps {
		y := run.Suboptimality[0][k]
		cumulative += run.Regret[k]
		if y < best.Y {
			best = iohBest{k + 1, y, rec.Steps[k].Recommendations[0].X}
		}
		numbers := []float64{y, run.Regret[k], cumulative}
		for _, byRule := range run.Suboptimality {
			numbers = append(numbers, byRule[k])
		}
		line := strconv.AppendInt(nil, int64(k+1), 10)
		for _, v := range numbers {
			line = strconv.AppendFloat(append(line, ' '), v, 'g', -1, 64)
		}
		g.data.Write(append(line, '\n')) // Flush returns the error
	}
	s.Runs = append(s.Runs, iohRun{Instance: h.Repetition, Evals: len(rec.Steps), Best: best})
	return ""
}

// close ends the data file and writes the JSON file. A nil g has nothing to close.
func (g *iohGroup) close(create Create) error {
	if g == nil {
		return nil
	}
	if err := cmp.Or(g.data.Flush(), g.file.Close()); err != nil {
		return err
	}
	return writeJSON(create, g.path, "  ", g.info)
}
