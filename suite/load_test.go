package suite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/strict"
	"popbench/suite"
)

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files (%v)", pattern, err)
	}
	return files
}

// Each file of testdata/bad breaks one rule; bad.golden has the messages.
func TestBadFiles(t *testing.T) {
	var b strings.Builder
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		data := check.Must(os.ReadFile(path))(t)
		s, err := suite.ParseWith(filepath.Base(path), data, catalogue{})
		if err == nil || s != nil {
			t.Errorf("%s: accepted", path)
			continue
		}
		var list *strict.Error
		check.That(t, errors.As(err, &list) && len(list.Issues) != 0, "%s: not an *Error with issues: %v", path, err)
		for _, line := range strings.Split(err.Error(), "\n") {
			check.That(t, strings.HasPrefix(line, filepath.Base(path)), "%s: a line without the file's name: %q", path, line)
		}
		fmt.Fprintln(&b, err)
	}
	golden.Check(t, "bad.golden", b.String())
}

func TestGoodFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/good/*") {
		s, err := suite.LoadWith(path, catalogue{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again(t, s)
	}
}

// again writes a suite as JSON and reads it back. Both suites must be equal.
func again(t *testing.T, s *suite.Suite) {
	t.Helper()
	raw := check.Must(json.Marshal(s))(t)
	back, err := suite.ParseWith("again.json", raw, catalogue{})
	if err != nil {
		t.Fatalf("what was parsed is refused when written out: %v\n%s", err, raw)
	}
	check.That(t, s.Hash() == back.Hash(), "the hash changes when written out and read back:\n%s", raw)
	check.Equal(t, "suite", fmt.Sprint(back.Name, back.Repetitions, back.TimeLimit()), fmt.Sprint(s.Name, s.Repetitions, s.TimeLimit()))
}

func load(t *testing.T, name string) *suite.Suite {
	t.Helper()
	return check.Must(suite.LoadWith(filepath.Join("testdata", "good", name), catalogue{}))(t)
}

// A name alone stands for a mapping with the name.
func TestNamesAlone(t *testing.T) {
	const file = "{name: a, problems: [%s, {name: branin, scale: raw}], algorithms: [%s, {name: popbo, label: P}]}"
	short, long := parse(t, fmt.Sprintf(file, "beale", "popbo")), parse(t, fmt.Sprintf(file, "{name: beale}", "{name: popbo}"))
	check.Same(t, "suite", short, long)
}

func TestDefaults(t *testing.T) {
	s := load(t, "defaults.yaml")
	want := &suite.Suite{
		Name: "defaults", Seed: 1, Steps: 30, Repetitions: 30,
		Problems:   []suite.Problem{{Name: "beale", Scale: "std"}},
		Algorithms: []suite.Algorithm{{Name: "popbo", Label: "popbo", Disclose: "none", Settings: catalogue{}.Settings("popbo")}},
		Dir:        "testdata/good",
	}
	check.Same(t, "suite", s, want)
	check.Equal(t, "time limit", s.TimeLimit(), 0)
}

func TestFull(t *testing.T) {
	s := load(t, "full.yaml")
	check.Equal(t, "seed", s.Seed, 0xC0FFEE)
	check.Equal(t, "the rest", fmt.Sprint(s.Steps, s.Repetitions, s.TimeLimit(), " ", s.Paper, " ", s.Problems[0].Scale, " ", s.Problems[1].Scale),
		"40 7 1m30s test-functions std standardise")
	base := popboSettings{Bound: 6, Scale: []float64{1, 0.25}, Adapt: true, Beta: betaSettings{"sqrt(t+1)", 0.5}}
	over, merged := base, base
	over.Bound, merged.Bound = 10, 12
	for _, c := range []struct {
		algorithm int
		problem   string
		want      any
	}{
		{0, "beale", &base},
		{0, "branin", &over}, // the override replaces keys of the settings, not of the defaults
		{1, "branin", &merged},
		{2, "beale", &randomSettings{}},
	} {
		check.Same(t, fmt.Sprint("algorithm ", c.algorithm, " on ", c.problem), s.Algorithms[c.algorithm].SettingsFor(c.problem), c.want)
	}
}

func TestSetRepetitions(t *testing.T) {
	s := load(t, "defaults.yaml")
	for n, want := range map[int]string{
		0:       "0 is too small; give 1 to 10000",
		-3:      "-3 is too small; give 1 to 10000",
		1000000: "1000000 is above the limit, probably by mistake; give 1 to 10000",
	} {
		check.Equal(t, "error", fmt.Sprint(s.SetRepetitions(n)), want)
	}
	check.OK(t, s.SetRepetitions(5))
	check.Equal(t, "repetitions", s.Repetitions, 5)
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file",
		dir:                             "is a folder",
	} {
		check.Error(t, path, check.Err(suite.LoadWith(path, catalogue{})), path+": "+want)
	}
	huge := filepath.Join(dir, "huge.yaml")
	check.OK(t, os.WriteFile(huge, nil, 0o644))
	check.OK(t, os.Truncate(huge, 65<<20))
	check.Error(t, "huge", check.Err(suite.LoadWith(huge, catalogue{})), "is larger than 4 MiB")
}

// FuzzParse checks that nothing panics, and that an accepted suite can be written and read back.
func FuzzParse(f *testing.F) {
	for _, path := range append(glob(f, "testdata/good/*"), glob(f, "testdata/bad/*")...) {
		f.Add(check.Must(os.ReadFile(path))(f))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := suite.ParseWith("fuzz.yaml", data, catalogue{})
		if err != nil {
			if s != nil {
				t.Fatal("a suite beside an error")
			}
			var list *strict.Error
			if !errors.As(err, &list) {
				t.Fatalf("not an *Error: %v", err)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "fuzz.yaml:") {
					t.Fatalf("an issue of more than one line: %q", err)
				}
			}
			return
		}
		again(t, s)
	})
}

// The hash of a cell follows what is disclosed in it.
func TestDisclosureInHash(t *testing.T) {
	const now = `
name: a
problems: [{name: levy13}, {name: beale}]
algorithms:
  - name: popbo
    disclose: kernel
    disclose_on: {beale: none}
    settings: {bound: 7}
`
	a := parse(t, now)
	none := parse(t, strings.Replace(now, "disclose: kernel\n", "disclose: none\n", 1))
	if none.CellHash(none.Problems[0], none.Algorithms[0]) == a.CellHash(a.Problems[0], a.Algorithms[0]) ||
		none.CellHash(none.Problems[1], none.Algorithms[0]) != a.CellHash(a.Problems[1], a.Algorithms[0]) {
		t.Error("the hash of a cell does not follow what is disclosed in it")
	}
}
