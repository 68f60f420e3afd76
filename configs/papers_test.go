package configs_test

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
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/math/linalg"
	"popbench/kernel"
	"popbench/problems"
	"popbench/suite"
)

// Each paper with claims has its suites and a row in the documentation, and each paper with suites has claims.
func TestPapersAreTheFolders(t *testing.T) {
	var names []string
	for _, s := range claims.Studies() {
		if s.Name != claims.POPBO {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	if folders := papersOfSuites(); !slices.Equal(names, folders) {
		t.Errorf("the studies are %v, the folders of configs/papers %v", names, folders)
	}
	page := string(check.Must(os.ReadFile(filepath.Join("..", "docs", "papers.md")))(t))
	for _, name := range names {
		if !strings.Contains(page, fmt.Sprintf("| `%s` |", name)) {
			t.Errorf("docs/papers.md has no row for %s", name)
		}
		paths, err := filepath.Glob(filepath.Join("papers", name, "*.yaml"))
		if err != nil || len(paths) != len(configs.PaperNamed(name)) {
			t.Errorf("%s: %d files, %d suites (%v)", name, len(paths), len(configs.PaperNamed(name)), err)
		}
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
	for _, name := range papersOfSuites() {
		for _, file := range configs.PaperNamed(name) {
			s := loadSuite(t, filepath.Join("..", file.Path))
			for _, p := range s.Problems {
				if p.Arms == nil { // a box, or a file that is not ours to ship
					continue
				}
				spec, end, err := s.Evaluator(t.Context(), p, nil)
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
