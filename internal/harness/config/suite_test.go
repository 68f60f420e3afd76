package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"popbench/internal/golden"
	"popbench/internal/harness/config"
)

func glob(t *testing.T, pattern string) []string {
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
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := config.Parse(filepath.Base(path), data, catalogue{})
		if err == nil || s != nil {
			t.Errorf("%s: accepted", path)
			continue
		}
		var list *config.Error
		if !errors.As(err, &list) || len(list.Issues) == 0 {
			t.Errorf("%s: not an *Error with issues: %v", path, err)
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, filepath.Base(path)) {
				t.Errorf("%s: a line that does not begin with the file's name: %q", path, line)
			}
		}
		fmt.Fprintln(&b, err)
	}
	golden.Check(t, "bad.golden", b.String())
}

func TestGoodFiles(t *testing.T) {
	for _, path := range glob(t, "testdata/good/*") {
		s, err := config.Load(path, catalogue{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again(t, s)
	}
}

// again writes a suite as JSON and reads it back. Both suites must be equal.
func again(t *testing.T, s *config.Suite) {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	back, err := config.Parse("again.json", raw, catalogue{})
	if err != nil {
		t.Fatalf("what was parsed is refused when written out: %v\n%s", err, raw)
	}
	if s.Hash() != back.Hash() {
		t.Errorf("the hash changes when written out and read back:\n%s", raw)
	}
	if s.Name != back.Name || s.Repetitions != back.Repetitions || s.TimeLimit() != back.TimeLimit() {
		t.Errorf("got %+v, want %+v", back, s)
	}
}

func load(t *testing.T, name string) *config.Suite {
	t.Helper()
	s, err := config.Load(filepath.Join("testdata", "good", name), catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A name alone stands for a mapping with the name.
func TestNamesAlone(t *testing.T) {
	const suite = "{name: a, problems: [%s, {name: branin, scale: raw}], algorithms: [%s, {name: popbo, label: P}]}"
	short, long := parse(t, fmt.Sprintf(suite, "beale", "popbo")), parse(t, fmt.Sprintf(suite, "{name: beale}", "{name: popbo}"))
	if !reflect.DeepEqual(short, long) {
		t.Errorf("got %+v\nwant %+v", short, long)
	}
}

func TestDefaults(t *testing.T) {
	s := load(t, "defaults.yaml")
	want := &config.Suite{
		Name: "defaults", Seed: 1, Steps: 30, Repetitions: 30,
		Problems:   []config.Problem{{Name: "beale", Scale: "std"}},
		Algorithms: []config.Algorithm{{Name: "popbo", Label: "popbo", Disclose: "none", Settings: catalogue{}.Settings("popbo")}},
		Dir:        "testdata/good",
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
	if s.TimeLimit() != 0 {
		t.Errorf("time limit %v, want none", s.TimeLimit())
	}
}

func TestFull(t *testing.T) {
	s := load(t, "full.yaml")
	for what, fact := range map[string][2]any{
		"seed":        {s.Seed, uint64(0xC0FFEE)},
		"steps":       {s.Steps, 40},
		"repetitions": {s.Repetitions, 7},
		"time limit":  {s.TimeLimit(), 90 * time.Second},
		"paper":       {s.Paper, "test-functions"},
	} {
		if fact[0] != fact[1] {
			t.Errorf("%s: got %v, want %v", what, fact[0], fact[1])
		}
	}
	if s.Problems[0].Scale != "std" || s.Problems[1].Scale != "standardise" {
		t.Errorf("scales: got %+v", s.Problems)
	}
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
		t.Run(fmt.Sprint(c.algorithm, c.problem), func(t *testing.T) {
			if got := s.Algorithms[c.algorithm].SettingsFor(c.problem); !reflect.DeepEqual(got, c.want) {
				t.Errorf("algorithm %d on %s: got %+v, want %+v", c.algorithm, c.problem, got, c.want)
			}
		})
	}
}

func TestSetRepetitions(t *testing.T) {
	s := load(t, "defaults.yaml")
	for n, want := range map[int]string{
		0:       "0 is too small; give 1 to 10000",
		-3:      "-3 is too small; give 1 to 10000",
		1000000: "1000000 is above the limit, probably by mistake; give 1 to 10000",
	} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			if err := s.SetRepetitions(n); err == nil || err.Error() != want {
				t.Errorf("%d: got %v, want %s", n, err, want)
			}
		})
	}
	if err := s.SetRepetitions(5); err != nil || s.Repetitions != 5 {
		t.Errorf("5: %v, %d", err, s.Repetitions)
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file",
		dir:                             "is a folder",
	} {
		_, err := config.Load(path, catalogue{})
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	huge := filepath.Join(dir, "huge.yaml")
	if err := os.WriteFile(huge, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 65<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(huge, catalogue{}); err == nil || !strings.Contains(err.Error(), "is larger than 4 MiB") {
		t.Errorf("huge: got %v", err)
	}
}

// FuzzParse checks that nothing panics, and that an accepted suite can be written and read back.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*", "testdata/bad/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := config.Parse("fuzz.yaml", data, catalogue{})
		if err != nil {
			if s != nil {
				t.Fatal("a suite beside an error")
			}
			var list *config.Error
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
