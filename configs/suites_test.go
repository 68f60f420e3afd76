package configs_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/ginop"
	"popbench/algorithms/popbo"
	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/math/linalg"
	"popbench/internal/paper"
	"popbench/kernel"
	"popbench/problems"
	"popbench/record"
	"popbench/suite"
)

// suites are the suites of all files here, by their path, each read once.
var suites = sync.OnceValues(func() (map[string]*suite.Suite, error) {
	all := map[string]*suite.Suite{}
	return all, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" && err == nil {
			all[filepath.ToSlash(path)], err = suite.Load(path, suite.Catalogue{})
		}
		return err
	})
})

func loadSuite(t testing.TB, path string) *suite.Suite {
	t.Helper()
	s := check.Must(suites())(t)[path]
	check.Ensure(t, s != nil, "there is no %s", path)
	return s
}

// Every suite file loads, its name is unique, editors find its schema, and all of its algorithms
// can be constructed: each with all its settings, and on each problem one.
func TestConfigs(t *testing.T) {
	check.Sequential(t)
	names, seen := map[string]string{}, map[string]bool{}
	fresh := func(parts ...any) bool {
		text := string(check.Must(json.Marshal(parts))(t))
		defer func() { seen[text] = true }()
		return !seen[text]
	}
	for path := range check.Must(suites())(t) {
		s := check.Must(suite.Load(path, suite.Catalogue{}))(t) // to be changed
		check.Equal(t, path+": who else has its name, and would share a results folder", names[s.Name], "")
		names[s.Name] = path
		check.That(t, s.Title != "", "%s has no title", path)
		first, _, _ := strings.Cut(check.Text(t, path), "\n")
		schema, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
		check.That(t, ok && filepath.Join(filepath.Dir(path), schema) == "schema.json", "%s: its first line does not name its schema: %s", path, first)

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
		for _, c := range check.Must(s.Expand(nil, nil))(t) {
			h := c.Template
			problem, algorithm := fresh(h.Problem, h.Oracle), fresh(h.Algorithm.Name, h.Algorithm.Settings, h.PilotComparisons, h.PilotPer, len(h.Problem.Lo))
			if problem || algorithm {
				err := check.Err(c.Start(t.Context()))
				check.That(t, err == nil || algorithms.IsUndefined(err), "%s: %s: %v", path, c.ID(), err)
			}
		}
	}
}

// Built-in suites have the names that they say, and all suites are built in but those for scripts of this project.
func TestBuiltInSuites(t *testing.T) {
	missing := maps.Clone(check.Must(suites())(t))
	for _, s := range append(configs.Suites(), configs.Template()) {
		path := strings.TrimPrefix(s.Path, "configs/")
		check.Equal(t, s.Path+": name", s.Name, loadSuite(t, path).Name)
		delete(missing, path)
	}
	want := []string{"gate-baselines.yaml", "gate.yaml", "platforms-more.yaml", "platforms.yaml", "reference.yaml"}
	var left []string
	for path := range missing {
		left = append(left, filepath.Base(path))
	}
	slices.Sort(left)
	check.Same(t, "suites that are not built in", left, want)
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

// paperSuite is a suite of the paper's table with the constants of the authors' program. Both have its set-up.
func paperSuite(t *testing.T, path, scale string) (*suite.Suite, constants) {
	t.Helper()
	var c constants
	check.Read(t, "testdata/authors_code.json", &c)
	s := loadSuite(t, path)
	table := paper.Lookup(s.Paper)
	check.Equal(t, path+": steps, by the paper and the authors' code", [2]int{table.Steps, c.Steps}, [2]int{s.Steps, s.Steps})
	check.Equal(t, path+": runs, by the paper and the authors' code", [2]int{table.Runs, c.Runs}, [2]int{s.Repetitions, s.Repetitions})
	check.Equal(t, path+": problems, by the paper and the authors' code", [2]int{len(table.Rows), len(c.Names)}, [2]int{len(s.Problems), len(s.Problems)})
	for i, row := range table.Rows {
		check.Same(t, fmt.Sprint(path, ": problem ", i), s.Problems[i], suite.Problem{Name: row.Problem, Scale: scale})
	}
	return s, c
}

func TestPaperSuite(t *testing.T) {
	s, c := paperSuite(t, "paper/test-functions.yaml", "std")
	for _, p := range s.Problems {
		got := s.Algorithms[0].SettingsFor(p.Name).(*popbo.Config)
		check.Equal(t, p.Name, fmt.Sprintln(got.NormBound, got.Beta.Schedule, got.Beta.Beta0, got.Kernel.Family, got.Kernel.Variance, got.FitLengthscale, got.Recommendation),
			fmt.Sprintln(c.PaperNormBound, "sqrt(t)", 1, "matern52", 1, "isotropic", popbo.RuleMaxMLE))
	}
	// The suite with the paper's protocol differs from this one only in the pilot, which no other suite shares.
	one := *loadSuite(t, "paper/test-functions-one-pilot.yaml")
	check.Equal(t, "repetitions with one pilot", one.Repetitions, s.Repetitions)
	check.Same(t, "problems with one pilot", one.Problems, s.Problems)
	one.Algorithms = slices.Clone(one.Algorithms)
	one.Algorithms[0].Pilot.Per = suite.PerRepetition
	for _, p := range s.Problems {
		check.Equal(t, p.Name+": hash with one pilot", one.CellHash(p, one.Algorithms[0]), s.CellHash(p, s.Algorithms[0]))
	}
	for path, s := range check.Must(suites())(t) {
		for _, a := range s.Algorithms {
			shared := a.Pilot.Comparisons > 0 && a.Pilot.Per == suite.PerProblem
			check.Equal(t, path+": the repetitions of "+a.Label+" share a pilot", shared, path == "paper/test-functions-one-pilot.yaml")
		}
	}
}

func TestAuthorsCodeSuite(t *testing.T) {
	s, c := paperSuite(t, "paper/test-functions-authors-code.yaml", "standardise")
	orOthers := func(m map[string]float64, name string) float64 {
		if v, ok := m[name]; ok {
			return v
		}
		return m["others"]
	}
	for theirs, ours := range c.Names {
		lengthscale, ok := c.Lengthscale[theirs]
		if !ok {
			lengthscale = check.Must(problems.Lookup(ours))(t).Box.MeanWidth()/2 - 1e-6
		}
		got := s.Algorithms[0].SettingsFor(ours).(*popbo.Config)
		check.Equal(t, ours+": lengthscales", len(got.Kernel.Lengthscale), 1)
		check.Near(t, got.Kernel.Lengthscale[0], lengthscale, 1e-12, "%s: lengthscale", ours)
		check.Equal(t, ours, fmt.Sprintln(got.NormBound, got.Beta.Beta0, got.Beta.Schedule, got.Kernel.Family, got.Kernel.Variance, got.FitLengthscale, got.Epsilon, got.Restarts, got.Search, got.Recommendation),
			fmt.Sprintln(orOthers(c.NormBound, theirs), orOthers(c.Beta0, theirs), "sqrt(t+1)", "matern52", 1, "none", 1e-6, c.Starts, "joint", popbo.RuleMaxMLEVisited))
	}
}

// The suites on drawn functions use what the paper states, or the constants of the authors' program.
func TestDrawnSuites(t *testing.T) {
	for file, want := range map[string]string{
		"gp-1d":              "gp1 raw, 30 runs, 50 steps, sqrt(t), 1, " + popbo.RuleMinUncertainty,
		"gp-1d-authors-code": "gp1_authors_code raw, 30 runs, 50 steps, sqrt(t+1), 0.1, " + popbo.RuleMaxMLEVisited,
		"gp-7d":              "gp7 raw, 20 runs, 100 steps, sqrt(t), 1, " + popbo.RuleMaxMLE,
		"gp-12d":             "gp12 raw, 10 runs, 100 steps, sqrt(t), 1, " + popbo.RuleMaxMLE,
	} {
		s := loadSuite(t, "paper/"+file+".yaml")
		p, a := s.Problems[0], s.Algorithms[0]
		got := a.SettingsFor(p.Name).(*popbo.Config)
		check.Equal(t, file, fmt.Sprintf("%s %s, %d runs, %d steps, %s, %g, %s", p.Name, p.Scale, s.Repetitions, s.Steps, got.Beta.Schedule, got.Beta.Beta0, got.Recommendation), want)
		check.Equal(t, file+": problems, disclosed, epsilon", fmt.Sprintln(len(s.Problems), a.DiscloseFor(p.Name), got.Epsilon), fmt.Sprintln(1, record.DisclosedKernelAndNorm, 1e-6))
	}
}

// Every suite of the paper names the experiment that it repeats, with the paper's numbers of
// runs and steps. The editor's schema offers exactly these names.
func TestPaperExperiments(t *testing.T) {
	for path, s := range check.Must(suites())(t) {
		e := paper.LookupExperiment(s.Paper)
		check.Equal(t, path+": it is of an experiment", e != nil, filepath.Dir(path) == "paper")
		check.That(t, e == nil || (e.Runs == 0 || s.Repetitions == e.Runs) && (e.Steps == 0 || s.Steps == e.Steps),
			"%s: %d runs of %d steps, the paper has others", path, s.Repetitions, s.Steps)
	}
	var schema struct {
		Properties struct{ Paper struct{ Enum []string } }
	}
	check.Read(t, "schema.json", &schema)
	var known []string
	for _, e := range paper.Experiments() {
		known = append(known, e.Name)
	}
	slices.Sort(known)
	check.Same(t, "experiments that suite files may name", slices.Sorted(slices.Values(schema.Properties.Paper.Enum)), known)
}

// Each paper with claims has its suites and a row in the documentation, and each paper with suites has claims.
func TestPapersAreTheFolders(t *testing.T) {
	var names []string
	for _, s := range claims.Studies() {
		if s.Name != claims.POPBO {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	check.Same(t, "studies, and the folders of configs/papers", names, papersOfSuites())
	page := check.Text(t, "../docs/papers.md")
	for _, name := range names {
		check.That(t, strings.Contains(page, fmt.Sprintf("| `%s` |", name)), "docs/papers.md has no row of %s in its first table", name)
		check.Equal(t, "files of "+name, len(check.Must(filepath.Glob(filepath.Join("papers", name, "*.yaml")))(t)), len(configs.PaperNamed(name)))
	}
}

// papersOfSuites is the folders of configs/papers.
func papersOfSuites() (names []string) {
	for _, s := range configs.Suites() {
		if s.Paper != "" && s.Paper != claims.POPBO && !slices.Contains(names, s.Paper) {
			names = append(names, s.Paper)
		}
	}
	return names
}

// The bounds on the norm of POP-BO and GINOP in the suites on arms are the norm of the utility there, rounded up.
func TestNormBoundsOfPapers(t *testing.T) {
	found := 0
	for path, s := range check.Must(suites())(t) {
		for _, p := range s.Problems {
			if p.Arms == nil || !strings.HasPrefix(path, "papers/") { // a box, or a file that is not ours to ship
				continue
			}
			spec, end, err := s.Evaluator(t.Context(), p, nil)
			check.OK(t, err)
			defer end()
			scale := problems.Scale(p.Scale)
			if p.Range != nil {
				scale = problems.ToRange(p.Range[0], p.Range[1])
			}
			instance := check.Must(suite.Instance(spec, scale, s.Seed, 0))(t)
			for _, a := range s.Algorithms {
				var k kernel.Config
				var bound, epsilon float64
				switch settings := a.SettingsFor(p.ID()).(type) {
				case *popbo.Config:
					k, bound, epsilon = settings.Kernel, settings.NormBound, settings.Epsilon
				case *ginop.Config:
					k, bound, epsilon = settings.Kernel, settings.NormBound, settings.Epsilon
				default:
					continue
				}
				found++
				norm := normOnArms(t, k, epsilon, instance)
				check.That(t, bound >= norm && bound <= 1.01*norm, "%s: %s has norm_bound = %g on %s, where the utility has norm %g", path, a.Label, bound, p.ID(), norm)
			}
		}
	}
	check.That(t, found >= 5, "%d bounds", found)
}

// normOnArms is the least norm of a function that differs from the utility on the arms by a constant.
func normOnArms(t *testing.T, k kernel.Config, epsilon float64, p *problems.Problem) float64 {
	t.Helper()
	points := p.Arms.Points()
	of := check.Must(k.New(len(points[0])))(t)
	var factor linalg.Growing
	f, one := make([]float64, len(points)), make([]float64, len(points))
	for i, x := range points {
		row := make([]float64, i)
		for j := range row {
			row[j] = of.Eval(x, points[j])
		}
		check.Ensure(t, factor.Append(row, of.Eval(x, x)+epsilon, 0), "the kernel matrix of %s is not positive definite", p.Name)
		f[i], one[i] = p.Value(x), 1
	}
	factor.Solve(f)
	factor.Solve(one)
	var ff, f1, n float64
	for i := range f {
		ff, f1, n = ff+f[i]*f[i], f1+f[i]*one[i], n+one[i]*one[i]
	}
	return math.Sqrt(ff - f1*f1/n)
}
