package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/limits"
	"popbench/internal/strict"
)

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files := check.Must(filepath.Glob(filepath.FromSlash(pattern)))(t)
	check.That(t, len(files) != 0, "%s: no files", pattern)
	return files
}

// Each file of testdata/bad breaks one rule; bad.golden has the messages.
func TestBadFiles(t *testing.T) {
	var b strings.Builder
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		_, err := parse(filepath.Base(path), check.Must(os.ReadFile(path))(t), catalogue{})
		fmt.Fprintln(&b, err)
	}
	check.Golden(t, "bad.golden", b.String())
}

// again writes a suite as JSON and reads it back. Both suites must be equal.
func again(t *testing.T, s *Suite) {
	t.Helper()
	raw := check.Must(json.Marshal(s))(t)
	back := check.Must(parse("again.json", raw, catalogue{}))(t)
	check.Equal(t, "the hash when written out and read back", back.Hash(), s.Hash())
	check.Equal(t, "suite", fmt.Sprint(back.Name, back.Repetitions, back.TimeLimit()), fmt.Sprint(s.Name, s.Repetitions, s.TimeLimit()))
}

// small reads a suite with the names of the small catalogue, and good a file of testdata/good.
func small(t *testing.T, text string) *Suite {
	t.Helper()
	return check.Must(parse("suite.yaml", []byte(text), catalogue{}))(t)
}

func good(t *testing.T, name string) *Suite {
	t.Helper()
	return small(t, read(t, filepath.Join("testdata", "good", name)))
}

func TestDefaults(t *testing.T) {
	s := good(t, "defaults.yaml")
	want := &Suite{
		Name: "defaults", Seed: 1, Steps: 30, Repetitions: 30,
		Problems:   []Problem{{Name: "beale", Scale: "std"}},
		Algorithms: []Algorithm{{Name: "popbo", Label: "popbo", Disclose: "none", Settings: catalogue{}.Settings("popbo")}},
		Dir:        ".",
	}
	check.Same(t, "suite", s, want)
	check.Equal(t, "time limit", s.TimeLimit(), 0)
}

func TestFull(t *testing.T) {
	s := good(t, "full.yaml")
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
	s := good(t, "defaults.yaml")
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
	for path, want := range map[string]string{filepath.Join(dir, "none.yaml"): ": no such file; check", dir: ": is a folder"} {
		check.Error(t, path, check.Err(Load(path, Catalogue{})), want)
	}
}

// FuzzParse checks that nothing panics, that each line of a refusal names the file, and that an accepted suite can be
// written and read back. All files of testdata/good are accepted, and none of testdata/bad.
func FuzzParse(f *testing.F) {
	expected := map[string]bool{}
	for _, path := range append(glob(f, "testdata/good/*"), glob(f, "testdata/bad/*")...) {
		text := read(f, path)
		expected[text] = strings.Contains(path, "good")
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parse("fuzz.yaml", data, catalogue{})
		if good, known := expected[string(data)]; known {
			check.Equal(t, "accepted", err == nil, good)
		}
		if err == nil {
			again(t, s)
			return
		}
		_, ok := errors.AsType[*strict.Error](err)
		check.That(t, ok && s == nil, "%T beside a suite %v", err, s)
		for line := range strings.SplitSeq(err.Error(), "\n") {
			check.That(t, strings.HasPrefix(line, "fuzz.yaml"), "an issue of more than one line: %q", err)
		}
	})
}

// catalogue is a small replacement for the benchmark's catalogue.
type catalogue struct{}

func (catalogue) Problems() []string     { return []string{"beale", "branin", "levy13"} }
func (catalogue) Drawn(name string) bool { return name == "levy13" }
func (catalogue) Algorithms() []string   { return []string{"popbo", "random", "needy"} }

func (catalogue) Settings(name string) any {
	switch name {
	case "popbo":
		return &popboSettings{Bound: 6, Scale: []float64{1}, Beta: betaSettings{"sqrt(t)", 1}}
	case "random":
		return &randomSettings{}
	}
	return &needySettings{}
}

type popboSettings struct {
	Bound float64      `json:"bound" doc:"Norm bound."`
	Scale []float64    `json:"scale" doc:"Lengthscales."`
	Adapt bool         `json:"adapt,omitempty"`
	Beta  betaSettings `json:"beta" doc:"The confidence set."`
}

// Those who adapt compare more than two points.
func (s *popboSettings) AsksBatches() bool { return s.Adapt }

type betaSettings struct {
	Schedule string  `json:"schedule" enum:"sqrt(t),sqrt(t+1),constant"`
	Beta0    float64 `json:"beta0"`
}

func (s *popboSettings) Validate() error {
	var errs []error
	if s.Bound <= 0 {
		errs = append(errs, limits.Wrong("bound", " = %g is not above 0; give the norm bound", s.Bound))
	}
	if s.Beta.Beta0 < 0 {
		errs = append(errs, limits.Wrong("beta.beta0", " = %g is below 0; give 0 or more", s.Beta.Beta0))
	}
	return errors.Join(errs...)
}

type randomSettings struct{}

func (randomSettings) Validate() error { return nil }

// needySettings have no valid default.
type needySettings struct {
	Arms int `json:"arms" min:"1"`
}

func (s needySettings) Validate() error {
	if s.Arms < 2 {
		return fmt.Errorf("arms = %d; give 2 or more", s.Arms)
	}
	return nil
}

func (s needySettings) NeedsPilot() bool { return s.Arms == 2 }

// Below each suite of testdata/mistakes.golden stand its mistakes, each where it is; it has none if nothing does.
func TestMistakes(t *testing.T) {
	check.GoldenLines(t, "mistakes.golden", func(line string) string {
		s, err := Parse("a.yaml", []byte(line), Catalogue{})
		if err == nil {
			_, err = s.Expand(nil, nil)
		}
		if err == nil {
			return ""
		}
		return err.Error()
	})
}
