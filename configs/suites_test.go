package configs_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/popbo"
	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/paper"
	"popbench/problems"
	"popbench/suite"
)

func suiteFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 4 {
		t.Fatalf("%d suites (%v)", len(files), err)
	}
	return files
}

func loadSuite(t testing.TB, path string) *suite.Suite {
	t.Helper()
	return check.Must(suite.Load(path, suite.Catalogue{}))(t)
}

// Every suite file loads, its name is unique, editors find its schema, and all of its algorithms
// can be constructed: each with all its settings, and on each problem one.
func TestConfigs(t *testing.T) {
	t.Parallel()
	names, seen := map[string]string{}, map[string]bool{}
	fresh := func(parts ...any) bool {
		text, err := json.Marshal(parts)
		check.OK(t, err)
		defer func() { seen[string(text)] = true }()
		return !seen[string(text)]
	}
	for _, path := range suiteFiles(t) {
		s := loadSuite(t, path)
		if other, ok := names[s.Name]; ok {
			t.Errorf("%s and %s are both called %s and would share a results folder", path, other, s.Name)
		}
		names[s.Name] = path
		if s.Title == "" {
			t.Errorf("%s has no title", path)
		}

		text := check.Must(os.ReadFile(path))(t)
		first, _, _ := strings.Cut(string(text), "\n")
		schema, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		if !ok {
			t.Errorf("%s does not begin with the line that names its schema", path)
		} else if got := filepath.Join(filepath.Dir(path), schema); got != "schema.json" {
			t.Errorf("%s: the schema would be %s", path, got)
		}

		s.Repetitions = 1
		for i := range s.Algorithms { // a fit to 300 comparisons takes a second
			pilot := &s.Algorithms[i].Pilot
			pilot.Comparisons = min(pilot.Comparisons, 10)
		}
		for _, p := range s.Problems { // and a scale by a million points a quarter of one
			if o := s.OracleFor(p); o != nil {
				o.Points = min(o.Points, 10_000)
			}
		}
		cells := check.Must(s.Expand(nil, nil))(t)
		for _, c := range cells {
			h := c.Template
			problem, algorithm := fresh(h.Problem, h.Oracle), fresh(h.Algorithm.Name, h.Algorithm.Settings, h.PilotComparisons, h.PilotPer, len(h.Problem.Lo))
			if !problem && !algorithm {
				continue
			}
			// An oracle with ties leaves cells out.
			if _, err := c.Start(t.Context()); err != nil && !algorithms.IsUndefined(err) {
				t.Errorf("%s: %s: %v", path, c.ID(), err)
			}
		}
	}
}

// Built-in suites are valid, and all suites are built in but those for scripts of this project.
func TestBuiltInSuites(t *testing.T) {
	seen := map[string]string{}
	for _, s := range append(configs.Suites(), configs.Template()) {
		parsed, err := suite.Parse(s.Path, s.Text, suite.Catalogue{})
		if err != nil {
			t.Error(err)
			continue
		}
		check.Equal(t, s.Path+": name", s.Name, parsed.Name)
		seen[s.Name] = s.Path
	}
	for _, file := range suiteFiles(t) {
		path := "configs/" + filepath.ToSlash(file)
		known := slices.Contains([]string{"gate.yaml", "gate-baselines.yaml", "reference.yaml", "platforms.yaml"}, filepath.Base(file))
		for _, p := range seen {
			known = known || p == path
		}
		if !known {
			t.Errorf("%s is not built in", path)
		}
	}
}

// constants are those of the authors' program.
type constants struct {
	Names          map[string]string  // of the functions there, and of ours
	Beta0          map[string]float64 `json:"beta0"`
	NormBound      map[string]float64 `json:"norm_bound"`
	Lengthscale    map[string]float64 `json:"lengthscale"` // of both coordinates
	Starts         int                `json:"starts"`
	Runs, Steps    int
	PaperNormBound float64 `json:"paper_norm_bound"`
}

func readConstants(t *testing.T) constants {
	t.Helper()
	raw := check.Must(os.ReadFile(filepath.Join("testdata", "authors_code.json")))(t)
	var c constants
	check.OK(t, json.Unmarshal(raw, &c))
	return c
}

// samePaperSetup checks the common set-up of both suites of the paper's table.
func samePaperSetup(t *testing.T, s *suite.Suite, c constants, scale string) {
	t.Helper()
	table := paper.Lookup(s.Paper)
	if table == nil {
		t.Fatalf("%s: the paper has no experiment %q", s.Name, s.Paper)
	}
	check.Equal(t, s.Name+": steps, by the paper", s.Steps, table.Steps)
	check.Equal(t, s.Name+": steps, by the authors' code", s.Steps, c.Steps)
	check.Equal(t, s.Name+": runs, by the paper", s.Repetitions, table.Runs)
	check.Equal(t, s.Name+": runs, by the authors' code", s.Repetitions, c.Runs)
	if len(s.Problems) != len(table.Rows) || len(s.Problems) != len(c.Names) {
		t.Errorf("%s: %d problems, the paper has %d", s.Name, len(s.Problems), len(table.Rows))
	}
	for i, row := range table.Rows {
		if got, want := s.Problems[i], (suite.Problem{Name: row.Problem, Scale: scale}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: problem %d is %v, want %v", s.Name, i, got, want)
		}
	}
}

func TestPaperSuite(t *testing.T) {
	s, c := loadSuite(t, "paper/test-functions.yaml"), readConstants(t)
	samePaperSetup(t, s, c, "std")
	for _, p := range s.Problems {
		t.Run(p.Name, func(t *testing.T) {
			got := s.Algorithms[0].SettingsFor(p.Name).(*popbo.Config)
			check.Equal(t, "norm bound", got.NormBound, c.PaperNormBound)
			check.Equal(t, "schedule", got.Beta.Schedule, "sqrt(t)")
			check.Equal(t, "beta0", got.Beta.Beta0, 1)
			check.Equal(t, "family", got.Kernel.Family, "matern52")
			check.Equal(t, "variance", got.Kernel.Variance, 1)
			check.Equal(t, "fit of lengthscales", got.FitLengthscale, "isotropic")
			check.Equal(t, "recommendation", got.Recommendation, popbo.RuleMaxMLE)
		})
	}
}

// The suite with the paper's protocol differs from the default one only in the pilot.
func TestOnePilotSuite(t *testing.T) {
	s, one := loadSuite(t, "paper/test-functions.yaml"), loadSuite(t, "paper/test-functions-one-pilot.yaml")
	if per := one.Algorithms[0].Pilot.Per; per != suite.PerProblem || s.Algorithms[0].Pilot.Per != suite.PerRepetition {
		t.Errorf("a pilot per %s, beside one per %s", per, s.Algorithms[0].Pilot.Per)
	}
	if len(one.Algorithms) != 1 || one.Repetitions != s.Repetitions || !reflect.DeepEqual(one.Problems, s.Problems) {
		t.Fatalf("%+v", one)
	}
	one.Algorithms[0].Pilot.Per = suite.PerRepetition
	for _, p := range s.Problems {
		if one.CellHash(p, one.Algorithms[0]) != s.CellHash(p, s.Algorithms[0]) {
			t.Errorf("%s: %+v and %+v", p.Name, one.Algorithms[0], s.Algorithms[0])
		}
	}
}

// In the other suites each repetition has its own pilot.
func TestPilotsOfSuites(t *testing.T) {
	for _, path := range suiteFiles(t) {
		for _, a := range loadSuite(t, path).Algorithms {
			if shared := a.Pilot.Comparisons > 0 && a.Pilot.Per == suite.PerProblem; shared != strings.HasSuffix(path, "test-functions-one-pilot.yaml") {
				t.Errorf("%s: the pilot of %s is shared: %v", path, a.Label, shared)
			}
		}
	}
}

func TestAuthorsCodeSuite(t *testing.T) {
	s, c := loadSuite(t, "paper/test-functions-authors-code.yaml"), readConstants(t)
	samePaperSetup(t, s, c, "standardise")
	orOthers := func(m map[string]float64, name string) float64 {
		if v, ok := m[name]; ok {
			return v
		}
		return m["others"]
	}
	for theirs, ours := range c.Names {
		spec := check.Must(problems.Lookup(ours))(t)
		lengthscale := spec.Box.MeanWidth()/2 - 1e-6
		if l, ok := c.Lengthscale[theirs]; ok {
			lengthscale = l
		}
		got := s.Algorithms[0].SettingsFor(ours).(*popbo.Config)
		if got.NormBound != orOthers(c.NormBound, theirs) {
			t.Errorf("%s: B = %g", ours, got.NormBound)
		}
		if got.Beta.Beta0 != orOthers(c.Beta0, theirs) || got.Beta.Schedule != "sqrt(t+1)" {
			t.Errorf("%s: beta = %+v", ours, got.Beta)
		}
		if len(got.Kernel.Lengthscale) != 1 || math.Abs(got.Kernel.Lengthscale[0]-lengthscale) > 1e-12 {
			t.Errorf("%s: lengthscale %g, want %g", ours, got.Kernel.Lengthscale, lengthscale)
		}
		check.Equal(t, ours+": family", got.Kernel.Family, "matern52")
		check.Equal(t, ours+": variance", got.Kernel.Variance, 1)
		check.Equal(t, ours+": fit of lengthscales", got.FitLengthscale, "none")
		check.Equal(t, ours+": epsilon", got.Epsilon, 1e-6)
		check.Equal(t, ours+": restarts", got.Restarts, c.Starts)
		check.Equal(t, ours+": search", got.Search, "joint")
		check.Equal(t, ours+": recommendation", got.Recommendation, popbo.RuleMaxMLEVisited)
	}
}

// The suites on drawn functions use what the paper states, or the constants of the authors'
// program.
func TestDrawnSuites(t *testing.T) {
	for file, want := range map[string]struct {
		problem     string
		runs, steps int
		schedule    string
		beta0       float64
		report      string
	}{
		"gp-1d":              {"gp1", 30, 50, "sqrt(t)", 1, popbo.RuleMinUncertainty},
		"gp-1d-authors-code": {"gp1_authors_code", 30, 50, "sqrt(t+1)", 0.1, popbo.RuleMaxMLEVisited},
		"gp-7d":              {"gp7", 20, 100, "sqrt(t)", 1, popbo.RuleMaxMLE},
		"gp-12d":             {"gp12", 10, 100, "sqrt(t)", 1, popbo.RuleMaxMLE},
	} {
		t.Run(file, func(t *testing.T) {
			s := loadSuite(t, "paper/"+file+".yaml")
			check.Equal(t, "runs", s.Repetitions, want.runs)
			check.Equal(t, "steps", s.Steps, want.steps)
			if want := []suite.Problem{{Name: want.problem, Scale: "raw"}}; !reflect.DeepEqual(s.Problems, want) {
				t.Errorf("problems %v, want %v", s.Problems, want)
			}
			got := s.Algorithms[0].SettingsFor(want.problem).(*popbo.Config)
			check.Equal(t, "disclosed", s.Algorithms[0].DiscloseFor(want.problem), suite.DiscloseKernelAndNorm)
			check.Equal(t, "schedule", got.Beta.Schedule, want.schedule)
			check.Equal(t, "beta0", got.Beta.Beta0, want.beta0)
			check.Equal(t, "recommendation", got.Recommendation, want.report)
			check.Equal(t, "epsilon", got.Epsilon, 1e-6)
		})
	}
}

// Every suite of the paper names the experiment that it repeats, with the paper's numbers of
// runs and steps. The editor's schema offers exactly these names.
func TestPaperExperiments(t *testing.T) {
	for _, path := range suiteFiles(t) {
		s := loadSuite(t, path)
		e := paper.LookupExperiment(s.Paper)
		if inPaper := filepath.Base(filepath.Dir(path)) == "paper"; (e != nil) != inPaper {
			t.Errorf("%s: experiment %q", path, s.Paper)
		}
		if e != nil && (e.Runs != 0 && s.Repetitions != e.Runs || e.Steps != 0 && s.Steps != e.Steps) {
			t.Errorf("%s: %d runs of %d steps, the paper has %d of %d", path, s.Repetitions, s.Steps, e.Runs, e.Steps)
		}
	}
	var schema struct {
		Properties struct{ Paper struct{ Enum []string } }
	}
	check.OK(t, json.Unmarshal(check.Must(os.ReadFile("schema.json"))(t), &schema))
	var known []string
	for _, e := range paper.Experiments() {
		known = append(known, e.Name)
	}
	slices.Sort(known)
	if offered := slices.Sorted(slices.Values(schema.Properties.Paper.Enum)); !slices.Equal(offered, known) {
		t.Errorf("suite files may name the experiments %v, known are %v", offered, known)
	}
}
