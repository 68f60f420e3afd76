package bench

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/inspect"
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
	check.Golden(t, "list.txt", filepath.ToSlash(l.Text()+"\n"+files.Text()))
}

// As JSON the list has all that there is, with what a reader has to know of each thing.
func TestListJSON(t *testing.T) {
	var got struct {
		Problems []struct {
			Name, Source, Summary string
			Dim                   int
			Box                   struct{ Lo, Hi []float64 }
			Optimum               struct {
				Sense string
				Value float64
			}
		}
		Algorithms []struct {
			Name     string
			Learns   []string `json:"learns_from"`
			Settings []struct{ Key, Doc string }
		}
		Suites struct {
			BuiltIn []struct{ Name, Paper string } `json:"built_in"`
			Files   []struct {
				Name, Error string
				Problems    []string
				Steps       int
			}
		}
	}
	check.OK(t, json.Unmarshal([]byte(succeed(t, "list", "-json")), &got))
	check.Equal(t, "problems", len(got.Problems), len(problems.Names()))
	for _, p := range got.Problems {
		check.That(t, p.Source != "" && p.Summary != "", "%s has the source %q and the summary %q", p.Name, p.Source, p.Summary)
		check.Equal(t, p.Name+": numbers in lo and hi", [2]int{len(p.Box.Lo), len(p.Box.Hi)}, [2]int{p.Dim, p.Dim})
		s := check.Must(problems.Lookup(p.Name))(t)
		if s.Optimum == nil {
			continue
		}
		// The sense is checked by the values: one at the optimum, one elsewhere.
		centre := make([]float64, p.Dim)
		for i := range centre {
			centre[i] = (0.4*p.Box.Lo[i] + 0.6*p.Box.Hi[i])
		}
		best, other := p.Optimum.Value, check.Must(s.Instance(problems.Raw, nil))(t).Raw(centre)
		check.That(t, best != other && (other > best) == (p.Optimum.Sense == "minimum"), "%s: %s %g, but elsewhere %g", p.Name, p.Optimum.Sense, best, other)
	}

	check.Equal(t, "algorithms", len(got.Algorithms), len(suite.Catalogue{}.Algorithms()))
	for _, a := range got.Algorithms {
		if want, ok := map[string]string{"gpucb": "values", "popbo": "winners", "random": "winners, ties"}[a.Name]; ok {
			check.Equal(t, a.Name+" learns from", strings.Join(a.Learns, ", "), want)
		}
		check.Equal(t, a.Name+": settings", len(a.Settings), len(suite.Describe(suite.Catalogue{}.Settings(a.Name))))
		for _, s := range a.Settings {
			check.That(t, s.Doc != "", "%s: %s has no doc tag", a.Name, s.Key)
		}
	}

	check.Equal(t, "built-in suites", len(got.Suites.BuiltIn), len(configs.Suites()))
	check.Equal(t, "the paper of a suite", got.Suites.BuiltIn[1], struct{ Name, Paper string }{"paper-ackley-6d", claims.POPBO})
	check.OK(t, json.Unmarshal([]byte(succeed(t, "list", "--json", filepath.Join("testdata", "configs"))), &got))
	good, bad := got.Suites.Files[0], got.Suites.Files[1]
	check.Equal(t, "a suite", fmt.Sprint(good), "{good  [beale branin] 5}")
	check.That(t, bad.Name == "" && strings.Count(bad.Error, "\n") == 1 && strings.Contains(bad.Error, "did you mean beale?"), "a bad suite: %+v", bad)
}
