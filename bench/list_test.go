package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/golden"
	"popbench/internal/harness/inspect"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// The format of the list, in parts that do not change with every new problem and setting.
func TestListText(t *testing.T) {
	l := check.Must(inspect.List(suite.Catalogue{}, []string{"problems", "algorithms", "suites"}))(t)
	files := check.Must(inspect.Folder(suite.Catalogue{}, filepath.Join("testdata", "configs")))(t)
	l.Problems = slices.DeleteFunc(l.Problems, func(p inspect.Problem) bool {
		return !slices.Contains([]string{"forrester", "beale", "branin", "currin_exp", "borehole"}, p.Name)
	})
	l.Problems = append(l.Problems, inspect.Problem{Name: "drawn", Title: "Drawn", Summary: "another one each time", Dim: 1, Box: space.Cube(1, 0, 10), Source: "A test"})
	l.Algorithms = []inspect.Algorithm{{Name: "none"}, {Name: "some", Learns: []string{"winners", "ties"}, Settings: suite.Describe(&struct {
		Rule  string    `json:"rule" doc:"How it goes."`
		Scale []float64 `json:"scale" itemMin:"1e-3" itemMax:"1e3" doc:"Long enough to be broken into lines, which happens where a line would have more than one hundred characters."`
		Inner struct {
			Tiny float64 `json:"tiny" doc:"A small number."`
			On   bool    `json:"on" doc:"A switch."`
			N    int     `json:"n" min:"0" max:"9" doc:"A count."`
		} `json:"inner" doc:"Settings in settings."`
	}{Rule: "first", Scale: []float64{1, 0.5}})}}
	l.Suites.BuiltIn = l.Suites.BuiltIn[:1]
	golden.Check(t, "list.txt", filepath.ToSlash(l.Text()+"\n"+files.Text()))
}

func TestListParts(t *testing.T) {
	for name, want := range map[string]string{"problems": "PROBLEMS (", "oracle": "ORACLE (", "algorithms": "ALGORITHMS (", "suites": "SUITES (", "papers": "PAPERS ("} {
		if got := succeed(t, "list", name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// Without arguments the list fits a screen and counts everything.
func TestListOverview(t *testing.T) {
	t.Parallel()
	got := succeed(t, "list")
	check.Contains(t, "list", got, fmt.Sprintf("%d PROBLEMS", len(problems.Names())), fmt.Sprintf("%d ALGORITHMS", len(suite.Catalogue{}.Algorithms())),
		fmt.Sprintf("%d SUITES", len(configs.Suites())), "ORACLES: logistic, probit", " branin, beale,", "popbo, random,", "ginop-2026      ginop\n", " more\n")
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) < 24 || len(lines) > 40 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}

// With a name the list shows one thing whole, or all things of that name.
func TestListThing(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	for args, want := range map[string][]string{
		"beale":              {"PROBLEM beale\n", "a flat cross-shaped valley", "[-4.5, 4.5]^2", "minimum 0 at (3, 0.5)", "exact: a sum of squares", "Beale (1958)", "standardise-uniform", "quick,", "formula     problems/valleys.go:", "bench eval beale 0 0 "},
		"gp1":                {"each instance has its own", "scales      raw\n"},
		"popbo":              {"ALGORITHM popbo\n", "POP-BO duels the last point", "https://arxiv.org/abs/2402.05367", "learns from winners\n", "can also    search finite sets of arms, estimate f with an interval, be saved\n", "norm_bound = ", "bench serve popbo "},
		"ginop":              {"ALGORITHM ginop\n", "\nSUITE ginop\n", "ginop-2026: arXiv 2609.39351, the paper"},
		"paper-gp-1d":        {"SUITE paper-gp-1d\n", "30 functions drawn", "popbo-2024: Principled Preferential Bayesian Optimization, W. Xu", "210: 7 algorithms on 1 problem, 30 repetitions of 50 steps", "configs/paper/gp-1d.yaml", "bench run paper-gp-1d ", "bench reproduce --only paper-gp-1d "},
		"suites qeubo-candy": {"bench reproduce --only qeubo-candy --paper qeubo-2023\n"},
		"popbo-2024":         {"PAPER popbo-2024\n", "claims      28\n", "paper-thermal-4d"},
	} {
		check.Contains(t, args, succeed(t, append([]string{"list"}, strings.Fields(args)...)...), want...)
	}
	if got := succeed(t, "list", "algorithms", "ginop"); strings.Contains(got, "SUITE") {
		t.Errorf("a kind shows another: %s", got)
	}
	for name, file := range map[string]string{"quick": "quick.yaml", "field": "field/field.yaml"} {
		check.Equal(t, name+", text", succeed(t, "list", name, "--text"), readFile(t, filepath.Join(root, "configs", file)))
	}
	check.Contains(t, "JSON", succeed(t, "list", "beale", "--json"), `"code": "problems/`, `"used_by": [`)
	check.Contains(t, "a file", succeed(t, "list", filepath.Join("testdata", "configs", "good.yaml")), "SUITE good\n", "bench run testdata/configs/good.yaml ")
	if _, _, err := bench(t, "list", filepath.Join("testdata", "configs", "more", "bad.yml")); err == nil || !strings.Contains(err.Error(), `bad.yml:2: unknown key "stesp"`) {
		t.Errorf("a file with mistakes: %v", err)
	}
	refuse(t, `list: unknown name "bealle"; did you mean beale?`, "list", "bealle")
	refuse(t, `list: unknown problem "popbo"; bench list shows what there is`, "list", "problems", "popbo")
	refuse(t, `list: --text: there is no built-in suite "beale"; check the path; bench list suites shows the built-in ones`, "list", "beale", "--text")
}

// A suite that has run says what that took.
func TestListCost(t *testing.T) {
	t.Chdir(t.TempDir())
	done(t, "run", "quick", "--seeds", "1", "--only", "*/Random")
	check.Contains(t, "quick", succeed(t, "list", "quick"), "cost        2 cells took ", " of computation in results/quick\n")
}

func TestListJSON(t *testing.T) {
	var got struct {
		Problems []struct {
			Name, Source, Summary string
			Dim                   int
			Box                   struct{ Lo, Hi []float64 }
			Optimum               struct {
				Sense string
				Value float64
				X     [][]float64
			}
		}
		Algorithms []struct {
			Name     string
			Learns   []string `json:"learns_from"`
			Settings []struct {
				Key, Doc string
				Default  any
			}
		}
		Suites struct {
			BuiltIn []struct{ Name, Paper string } `json:"built_in"`
			Files   []struct {
				File, Name, Error string
				Problems          []string
				Steps             int
			}
		}
	}
	check.OK(t, json.Unmarshal([]byte(succeed(t, "list", "-json")), &got))

	if len(got.Problems) != len(problems.Names()) {
		t.Errorf("%d problems, want %d", len(got.Problems), len(problems.Names()))
	}
	for _, p := range got.Problems {
		s := check.Must(problems.Lookup(p.Name))(t)
		if p.Source == "" {
			t.Errorf("%s has no source", p.Name)
		}
		if p.Summary == "" {
			t.Errorf("%s has no summary", p.Name)
		}
		check.Equal(t, p.Name+": numbers in lo", len(p.Box.Lo), p.Dim)
		check.Equal(t, p.Name+": numbers in hi", len(p.Box.Hi), p.Dim)
		if s.Optimum == nil {
			continue
		}
		instance := check.Must(s.Instance(problems.Raw, nil))(t)
		// The sense is checked by the values: one at the optimum, one elsewhere.
		centre := make([]float64, p.Dim)
		for i := range centre {
			centre[i] = (0.4*p.Box.Lo[i] + 0.6*p.Box.Hi[i])
		}
		if best, other := p.Optimum.Value, instance.Raw(centre); best == other || (other > best) != (p.Optimum.Sense == "minimum") {
			t.Errorf("%s: %s %g, but elsewhere %g", p.Name, p.Optimum.Sense, best, other)
		}
	}

	learns := map[string]string{
		"popbo": "winners", "qeubo": "winners", "exactkg": "winners", "challenger": "winners", "sgp": "winners", "dts": "winners",
		"maxminlcb": "winners, ties", "mrlpf": "winners, ties", "pfts": "winners, ties", "ginop": "winners, ties", "random": "winners, ties",
		"gpucb": "values",
	}
	for _, a := range got.Algorithms {
		check.That(t, len(a.Learns) > 0, "%s learns from nothing", a.Name)
		if want, ok := learns[a.Name]; ok {
			check.Equal(t, a.Name+" learns from", strings.Join(a.Learns, ", "), want)
			delete(learns, a.Name)
		}
		want := suite.Describe(suite.Catalogue{}.Settings(a.Name))
		if len(a.Settings) != len(want) {
			t.Errorf("%s: %d settings, want %d", a.Name, len(a.Settings), len(want))
		}
		for _, s := range a.Settings {
			if s.Doc == "" {
				t.Errorf("%s: %s has no doc tag", a.Name, s.Key)
			}
		}
	}
	check.Equal(t, "methods that are not listed", len(learns), 0)

	check.Equal(t, "built-in suites", len(got.Suites.BuiltIn), len(configs.Suites()))
	if own := got.Suites.BuiltIn[1]; own.Name != "paper-ackley-6d" || own.Paper != claims.POPBO {
		t.Errorf("built-in suite: %+v", own)
	}
	check.OK(t, json.Unmarshal([]byte(succeed(t, "list", "--json", filepath.Join("testdata", "configs"))), &got))
	files := got.Suites.Files
	if len(files) != 2 {
		t.Fatalf("suites: got %+v, want 2", files)
	}
	good := files[0]
	check.Equal(t, "name", good.Name, "good")
	check.Equal(t, "steps", good.Steps, 5)
	check.Equal(t, "problems", len(good.Problems), 2)
	check.Equal(t, "error", good.Error, "")
	if bad := files[1]; bad.Name != "" || strings.Count(bad.Error, "\n") != 1 || !strings.Contains(bad.Error, "did you mean beale?") {
		t.Errorf("bad suite: got %+v", bad)
	}
}

func TestListSuites(t *testing.T) {
	t.Chdir(t.TempDir())
	check.Contains(t, "without a folder configs", succeed(t, "list", "suites"), "  quick\n", "\nbench list DIR shows the suite files of a folder.\n")
	check.OK(t, os.MkdirAll(filepath.Join("configs", "quick"), 0o777))
	succeed(t, "init", filepath.Join("configs", "mine.yaml"))
	check.Contains(t, "with one", succeed(t, "list", "suites"), "SUITES (other files in configs)\n  "+filepath.Join("configs", "mine.yaml"))
	check.Lacks(t, "a folder alone", succeed(t, "list", "configs"), "  quick\n")
	t.Chdir("configs") // with a folder quick
	check.Contains(t, "a suite of the name of a folder", succeed(t, "list", "quick"), "SUITE quick\n")
}

func TestBoxText(t *testing.T) {
	for _, name := range []string{"forrester", "hartmann3", "branin", "borehole"} {
		t.Run(name, func(t *testing.T) {
			s := check.Must(problems.Lookup(name))(t)
			want := map[string]string{"forrester": "[0, 1]", "hartmann3": "[0, 1]^3", "branin": "[-5, 10] x [0, 15]", "borehole": "[0.05, 0.15] x [100, 50000] x ..."}[name]
			if got := inspect.BoxText(s.Box); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
