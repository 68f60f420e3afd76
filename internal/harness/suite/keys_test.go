package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/harness/config"
	"popbench/internal/keys"
)

// Present names are keys of the settings, earlier ones are not.
func TestRenamedKeys(t *testing.T) {
	n := 0
	for _, name := range (Catalogue{}).Algorithms() {
		var known []string
		for _, s := range config.Describe("", Catalogue{}.Settings(name)) {
			known = append(known, s.Key)
		}
		for _, k := range keys.Renamed(name) {
			n++
			if !slices.Contains(known, k.In+k.New) || slices.Contains(known, k.In+k.Old) {
				t.Errorf("%s has the keys %q, the earlier name of %s is %s", name, known, k.In+k.New, k.In+k.Old)
			}
		}
	}
	if n == 0 {
		t.Error("no key was renamed")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func load(t *testing.T, path string) *config.Suite {
	t.Helper()
	s, err := config.Load(path, Catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A suite is the same by the earlier and the present names of its keys: its cells have
// the hashes by which versions that knew the earlier ones alone called them.
func TestEarlierKeys(t *testing.T) {
	want := read(t, "testdata/earlier-hashes.txt")
	for _, file := range []string{"testdata/earlier-keys.yaml", "testdata/present-keys.yaml"} {
		s := load(t, file)
		var got strings.Builder
		for _, a := range s.Algorithms {
			for _, p := range s.Problems {
				fmt.Fprintln(&got, a.Label, p.Name, s.CellHash(p, a))
			}
		}
		if got.String() != want {
			t.Errorf("%s has the hashes\n%s", file, got.String())
		}
		notes := ""
		if strings.Contains(file, "earlier") {
			notes = read(t, "testdata/earlier-notes.txt")
		}
		if got := strings.Join(append(s.Notes, ""), "\n"); got != notes {
			t.Errorf("%s has the notes\n%s", file, got)
		}
	}
}

// Suites keep their hashes, by which a folder that an earlier version began is known.
// A suite that is changed on purpose gets another line in hashes.txt.
func TestHashesOfSuites(t *testing.T) {
	for line := range strings.Lines(read(t, "testdata/hashes.txt")) {
		file, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		t.Run(file, func(t *testing.T) {
			if got := load(t, filepath.Join("../../../configs", file)).Hash(); got != want {
				t.Errorf("%s has the hash %s, had %s", file, got, want)
			}
		})
	}
}

// By its earlier name sgp's number of random duels had no value for none.
func TestNoRandomDuels(t *testing.T) {
	suite := func(setting string) (*config.Suite, error) {
		text := "name: a\nproblems: [{name: beale}]\nalgorithms: [{name: sgp, settings: {" + setting + "}}]\n"
		return config.Parse("a.yaml", []byte(text), Catalogue{})
	}
	seen := map[string]string{}
	for _, setting := range []string{"initial_duels: 0", "initial_duels: -1", "initial_duels: 1"} {
		s, err := suite(setting)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[s.Hash()]; ok {
			t.Errorf("%s and %s have one hash", setting, other)
		}
		seen[s.Hash()] = setting
	}
	for setting, want := range map[string]string{
		"initial: -1":                  "a.yaml:3: algorithms[0].settings.initial: -1 is too small; give 0 or more, or write initial_duels",
		"initial: 1001":                "settings.initial: 1001 is above the limit",
		"initial: none":                "settings.initial: want a whole number",
		"initial: 1, initial_duels: 2": "a.yaml:3: algorithms[0].settings: initial_duels is also given under an earlier name; keep initial_duels",
		"initial_duels: 2, initial: 1": "a.yaml:3: algorithms[0].settings: initial_duels is also given under an earlier name; keep initial_duels",
		"every: 1":                     `unknown key "every"`,
	} {
		if _, err := suite(setting); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", setting, err)
		}
	}
}
