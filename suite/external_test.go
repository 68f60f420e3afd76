package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// What a file says of programs, and the defaults.
func TestExternal(t *testing.T) {
	s := good(t, "external.yaml")
	p, bare, a := s.Problems[1], s.Problems[2], s.Algorithms[1]
	initialize, call := a.Limits.Times()
	none, nobody := bare.Limits.Times()
	check.Equal(t, "problem", fmt.Sprint(p.ID(), *p.Optimum, p.Box.Hi[1], p.Scale, bare.Scale), "Injection moulding0.93 80stdraw")
	check.Equal(t, "limits", fmt.Sprint(initialize, call, a.Limits.Bytes(), none, nobody, bare.Limits.Bytes()), "2m0s 10s 4294967296 0s 0s 0")
	for problem, acquisition := range map[string]string{"beale": "eubo", "bare": "ei"} {
		text := check.Must(json.Marshal(a.SettingsFor(problem)))(t)
		check.Equal(t, "settings on "+problem, string(text), `{"acquisition":"`+acquisition+`","deep":{"list":[1,2.5,"yes"]},"none":null}`)
	}
}

// A program is another one if its command, settings, threads or files change; limits and reuse do not matter.
func TestExternalIdentity(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)) }
	file := `{name: a, problems: [{name: external, label: P, command: [python3, sim.py]}], algorithms: [
 {name: external, label: A, command: [python3, -u, mine.py, "no file"], files: [more.txt], settings: {x: 1}}]}`
	write("mine.py", "1")
	write("sim.py", "1")
	write("more.txt", "1")
	hash := func(text string) string {
		t.Helper()
		s, err := parse(filepath.Join(dir, "suite.yaml"), []byte(text), catalogue{})
		check.OK(t, err)
		check.OK(t, s.HashFiles())
		return s.CellHash(s.Problems[0], s.Algorithms[0])
	}
	first := hash(file)
	for what, change := range map[string]string{
		"limits": `files: [more.txt], limits: {call: 1s}, reuse: cell`, "threads": `files: [more.txt], threads: 1`,
	} {
		check.Equal(t, what, hash(strings.Replace(file, "files: [more.txt]", change, 1)), first)
	}
	for old, change := range map[string]string{
		"-u": "-v", "x: 1": "x: 2", "files: [more.txt]": "threads: 2", "label: P": "label: Q", "sim.py": "mine.py",
	} {
		check.That(t, hash(strings.Replace(file, old, change, 1)) != first, "%s instead of %s does not count", change, old)
	}
	for _, name := range []string{"mine.py", "sim.py", "more.txt"} {
		write(name, "2")
		check.That(t, hash(file) != first, "another %s does not change the identity", name)
		write(name, "1")
	}
	check.Equal(t, "as before", hash(file), first)
	s := check.Must(parse(filepath.Join(dir, "suite.yaml"), []byte(strings.Replace(file, "[more.txt]", "[none.txt]", 1)), catalogue{}))(t)
	check.Error(t, "error", s.HashFiles(), `algorithms[0]: files: "none.txt" cannot be read (no such file`)
	behind := strings.NewReplacer("algorithms: [", "algorithms: [{name: external, label: V, command: [x], variants: [{b: 2}]}, ", "more.txt", "none.txt").Replace(file)
	s = check.Must(parse(filepath.Join(dir, "suite.yaml"), []byte(behind), catalogue{}))(t)
	check.Error(t, "error behind variants", s.HashFiles(), `algorithms[1]: files: "none.txt"`)
}

// Amounts of memory have units of powers of ten or of two.
func TestMemoryLimits(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "4GB": 4e9, "1.5 GiB": 3 << 29, "2000KB": 2e6, "1TiB": 1 << 40} {
		s := small(t, "{name: a, problems: [{name: beale}], algorithms: [{name: external, label: L, command: [x], limits: {memory: "+text+"}}]}")
		check.Equal(t, text, s.Algorithms[0].Limits.Bytes(), want)
	}
}
