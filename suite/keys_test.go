package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text := check.Must(os.ReadFile(path))(t)
	return string(text)
}

func load(t *testing.T, path string) *Suite {
	t.Helper()
	return check.Must(Load(path, Catalogue{}))(t)
}

// Cells have the hashes by which versions that knew the earliest names of their settings called them.
func TestHashesOfRenamedKeys(t *testing.T) {
	s := load(t, "testdata/renamed.yaml")
	var got strings.Builder
	for _, a := range s.Algorithms {
		for _, p := range s.Problems {
			fmt.Fprintln(&got, a.Label, p.Name, s.CellHash(p, a))
		}
	}
	check.Equal(t, "hashes", got.String(), read(t, "testdata/renamed-hashes.txt"))
}

// Suites keep their hashes, by which a folder that an earlier version began is known.
// A suite that is changed on purpose gets another line in hashes.txt.
func TestHashesOfSuites(t *testing.T) {
	for line := range strings.Lines(read(t, "testdata/hashes.txt")) {
		file, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		check.Equal(t, "hash of "+file, load(t, filepath.Join("../configs", file)).Hash(), want)
	}
}

// The earliest name of sgp's number of random duels had no value for none. Hashes have one for each, and suites have
// none of the earliest names.
func TestNoRandomDuels(t *testing.T) {
	suite := func(setting string) (*Suite, error) {
		text := "name: a\nproblems: [{name: beale}]\nalgorithms: [{name: sgp, settings: {" + setting + "}}]\n"
		return Parse("a.yaml", []byte(text), Catalogue{})
	}
	seen := map[string]string{}
	for _, setting := range []string{"initial_duels: 0", "initial_duels: -1", "initial_duels: 1"} {
		s := check.Must(suite(setting))(t)
		check.Equal(t, setting+" has the hash of", seen[s.Hash()], "")
		seen[s.Hash()] = setting
	}
	for setting, want := range map[string]string{
		"noise: 1":        `a.yaml:3: algorithms[0].settings: unknown key "noise"; did you mean noise_std?`,
		"initial: 3":      `a.yaml:3: algorithms[0].settings: unknown key "initial"; did you mean initial_duels?`,
		"fit: {every: 2}": `a.yaml:3: algorithms[0].settings.fit: unknown key "every"; did you mean refit_every?`,
	} {
		check.Equal(t, setting, fmt.Sprint(check.Err(suite(setting))), want)
	}
}
