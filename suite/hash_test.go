package suite

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

//go:embed testdata/base.yaml
var hashBase string

// base returns hashBase with new in the place of old, or at its end.
func base(old, new string) string {
	if old == "" {
		return hashBase + new + "\n"
	}
	return strings.Replace(hashBase, old, new, 1)
}

// Users' records contain these hashes. If this test fails, all their finished runs would be run again. A pilot that all
// repetitions share has the hash that a plain number had before there was another kind.
func TestHashGolden(t *testing.T) {
	s := small(t, hashBase)
	check.Equal(t, "cell", s.CellHash(s.Problems[0], s.Algorithms[0]), "20a4bf20da90ceff4c2f83700c63590adac820477a517d200df0351abf1c91e9")
	check.Equal(t, "suite", s.Hash(), "5af99a1a48daf0b6672db3bf3eccc0769abd5a443d60f1c4cf827b3dae5ef81d")
	s = small(t, base("name: random", "{name: random, pilot: {comparisons: 3, per: problem}}"))
	check.Equal(t, "shared pilot", s.CellHash(s.Problems[0], s.Algorithms[1]), "714f800a3b6b7f6a10d88b6881203456c609e2750e977746d118da655f69757f")
}

// Below each change of the suite, some text and what takes its place, stands its hash if that is another one. No two have
// the same. A headline, labels and what is written out, say, determine no step.
func TestHashesOfChanges(t *testing.T) {
	plain := small(t, hashBase).Hash()
	seen := map[string]string{}
	check.GoldenLines(t, "changes.golden", func(line string) string {
		old, new, _ := strings.Cut(line, "|")
		s := small(t, base(strings.TrimSpace(old), strings.ReplaceAll(strings.TrimSpace(new), `\n`, "\n")))
		hash := s.Hash()
		if hash == plain {
			return ""
		}
		check.Equal(t, line+" has the hash of", seen[hash], "")
		seen[hash] = line
		if s.Oracle != nil { // each problem may have it for itself
			for i := range s.Problems {
				s.Problems[i].Oracle = s.Oracle
			}
			s.Oracle = nil
			check.Equal(t, line+" for each problem has the hash of", seen[s.Hash()], line)
		}
		return hash
	})
}

func TestHashIgnoresWhatDoesNotMatter(t *testing.T) {
	for _, same := range [][2]string{
		{hashBase, `{steps: 10, seed: 5, name: x, algorithms: [{name: random}, {settings: {scale: [2], bound: 6}, name: popbo}], problems: [branin, beale]}`},
		{hashBase, `{steps: 10, seed: 5, name: x, problems: [beale, {name: branin}], algorithms: [{name: popbo, settings: {scale: [2], bound: 6}}, random]}`},
		{base("", "oracle: {error_rate: 0.1}"), base("", "oracle: {model: logistic, error_rate: 0.1, on: top-1%, points: 1000000, jnd: 0}")},
		{base("", "held_out: 200"), base("", "held_out: {duels: 200}")},
		{base("name: beale", dataTable("a.csv", "the shop")), base("name: beale", dataTable("b/a.csv", "a shop"))},
	} {
		check.Equal(t, "the hash of "+same[1], small(t, same[1]).Hash(), small(t, same[0]).Hash())
	}
}

// dataTable is an entry of a problem in a data file.
func dataTable(path, from string) string {
	return fmt.Sprintf("{name: table, label: t, data: {path: %s, from: %s, sha256: %s, features: [price], value: liked}}", path, from, strings.Repeat("ab", 32))
}

// What is overridden on a problem, or disclosed there, changes the cells of that problem only.
func TestHashesOfCells(t *testing.T) {
	const levy = "name: popbo\n    disclose: kernel"
	for _, c := range []struct {
		a, b string
		same []bool // beale, branin
	}{
		{hashBase, base("scale: [2]}", "scale: [2]}\n    overrides: {branin: {bound: 7}}"), []bool{true, false}},
		{base("name: branin", "name: levy13"), strings.Replace(base("name: branin", "name: levy13"), "name: popbo", levy+"\n    disclose_on: {beale: none}", 1), []bool{true, false}},
	} {
		a, b := small(t, c.a), small(t, c.b)
		for i, p := range a.Problems {
			check.Equal(t, p.Name+": same hash", a.CellHash(p, a.Algorithms[0]) == b.CellHash(b.Problems[i], b.Algorithms[0]), c.same[i])
		}
	}
}

func read(t testing.TB, path string) string {
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
	check.Sequential(t)
	for line := range strings.Lines(read(t, "testdata/hashes.txt")) {
		file, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		check.Equal(t, "hash of "+file, load(t, filepath.Join("../configs", file)).Hash(), want)
	}
}

// Hash identifies what the suite computes: the SHA-256 of its sorted cell hashes.
func (s *Suite) Hash() string {
	var cells []string
	for _, p := range s.Problems {
		for _, a := range s.Algorithms {
			cells = append(cells, s.CellHash(p, a))
		}
	}
	slices.Sort(cells)
	return digest(cells)
}
