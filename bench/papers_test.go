package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms/baselines/ginop"
	"popbench/algorithms/popbo"
	"popbench/configs"
	"popbench/internal/analysis/verify"
	"popbench/internal/check"
	"popbench/internal/harness/suite"
	"popbench/internal/math/linalg"
	"popbench/kernel"
	"popbench/problems"
)

// Each paper with claims has its suites and a row in the documentation, each paper with suites has claims, and suites are
// the files.
func TestPapersAreTheFolders(t *testing.T) {
	var names []string
	for _, s := range verify.Studies() {
		if s.Name != verify.POPBO {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if folders := papersOfSuites(); !slices.Equal(names, folders) {
		t.Errorf("the studies are %v, the folders of configs/papers %v", names, folders)
	}
	page := string(mustRead(t, filepath.Join("..", "docs", "papers.md")))
	for _, name := range names {
		if !strings.Contains(page, fmt.Sprintf("| `%s` |", name)) {
			t.Errorf("docs/papers.md has no row for %s", name)
		}
		paths, err := filepath.Glob(filepath.Join(configsDir, "papers", name, "*.yaml"))
		if err != nil || len(paths) != len(configs.PaperNamed(name)) {
			t.Errorf("%s: %d files, %d suites (%v)", name, len(paths), len(configs.PaperNamed(name)), err)
		}
		for _, s := range configs.PaperNamed(name) {
			text, err := os.ReadFile(filepath.Join("..", s.Path))
			if err != nil || string(text) != string(s.Text) {
				t.Errorf("%s is not the file (%v)", s.Path, err)
			}
		}
	}
}

// papersOfSuites is the folders of configs/papers.
func papersOfSuites() (names []string) {
	for _, s := range configs.Suites() {
		if s.Paper != "" && s.Paper != verify.POPBO && !slices.Contains(names, s.Paper) {
			names = append(names, s.Paper)
		}
	}
	return names
}

// The bounds on the norm of POP-BO and GINOP in the suites on arms are the norm of the utility there, rounded up.
func TestNormBoundsOfPapers(t *testing.T) {
	found := 0
	for _, name := range papersOfSuites() {
		for _, file := range configs.PaperNamed(name) {
			s := loadSuite(t, filepath.Join("..", file.Path))
			for _, p := range s.Problems {
				if p.Arms == nil { // a box, or a file that is not ours to ship
					continue
				}
				spec, end, err := suite.Catalogue{}.Evaluator(t.Context(), s, p, nil)
				if err != nil {
					t.Fatal(err)
				}
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
					if norm := normOnArms(t, k, epsilon, instance); bound < norm || bound > 1.01*norm {
						t.Errorf("%s: %s has norm_bound = %g on %s, where the utility has norm %g", s.Name, a.Label, bound, p.ID(), norm)
					}
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("%d bounds", found)
	}
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
		if !factor.Append(row, of.Eval(x, x)+epsilon, 0) {
			t.Fatalf("the kernel matrix of %s is not positive definite", p.Name)
		}
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

// Every paper can be reproduced from an empty folder. What needs data that are absent is left out, and the claims say why.
func TestReproducePapers(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	papers := t.TempDir()
	out := filepath.Join(papers, "pf-ts-2026")
	text, log, err := bench(t, "reproduce", "--quick", "--paper", "pf-ts-2026", "--only", "pf-ts-[ao]*", "--out", out)
	if err != nil {
		t.Fatal(err, log)
	}
	check.Contains(t, "the summary", text, "Of 13 claims 9 are undecided and 4 were not run.\n", "left out: 8 cells: CatData_final.csv is absent")
	page := string(mustRead(t, filepath.Join(out, verify.Page)))
	for _, want := range []string{"What we claim about the paper", "(ours)", "CatData_final.csv is absent", "pf-ts-descent: no records"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", verify.Page, want)
		}
	}
	check.Contains(t, "verify of all papers", done(t, "verify", "--paper", "all", papers), "Of 13 claims 9 are undecided and 4 were not run.\n", "\nnot run    pfts-3 ",
		"\nOf 13 claims about 1 paper 9 are undecided and 4 were not run.\nopen file://"+filepath.Join(papers, verify.Page)+"\n")
	together := string(mustRead(t, filepath.Join(papers, verify.Page)))
	index := string(mustRead(t, filepath.Join(papers, "index.html")))
	check.Contains(t, "the index", index, `href="claims.html"`, `href="pf-ts-2026/index.html"`)
	check.Contains(t, "the page of all papers", together, `href="pf-ts-2026/claims.html"`, `href="pf-ts-2026/pf-ts-ackley/report/index.html"`)
}
