package scripts

import (
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
)

// Every change that scripts/gate and scripts/gate-cost plant still finds its place, and the file is still Go: code that
// moved once left five of them behind, and a measurement of the gate would have ended there.
func TestPlantsFindTheirPlace(t *testing.T) {
	check.Needs(t, "bash", "perl")
	plants := regexp.MustCompile(`(?m)^(more\(\) \{.*\n(.*\n)*?\}|[a-z]+=algorithms/.*|more [0-9]+|(plant|plant_in) ("?[a-zA-Z].*\\\n)*.*)$`)
	for _, c := range []struct {
		script string
		least  int
	}{{"gate", 16}, {"gate-cost", 25}} {
		// The lines that plant, with a function that prints the last two arguments, file and edit.
		lines := append([]string{`plant() { printf '%s\0%s\0' "${@: -2}"; }; plant_in() { plant "$@"; }`},
			plants.FindAllString(check.Text(t, filepath.Join(root, "scripts", c.script)), -1)...)
		out := check.Ran(exec.Command("bash", "-eu", "-c", strings.Join(lines, "\n")).Output())(t)
		args := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		check.That(t, len(args) >= 2*c.least, "%s: only %d plants are found", c.script, len(args)/2)
		for i := 0; i+1 < len(args); i += 2 {
			path := filepath.Join(root, args[i])
			edited, err := exec.Command("perl", "-0pe", args[i+1], path).Output()
			check.Equal(t, args[i+1]+": error", err, nil)
			if string(edited) == check.Text(t, path) {
				t.Errorf("%s: the edit does not change %s: %s", c.script, args[i], args[i+1])
			} else if _, err := parser.ParseFile(token.NewFileSet(), path, edited, 0); err != nil {
				t.Errorf("%s: %s: %v", c.script, args[i+1], err)
			}
		}
	}
}

// An unknown option is no file to write and no package to test.
func TestScriptsRefuseOptions(t *testing.T) {
	check.Needs(t, "bash")
	for _, name := range []string{"long", "plant"} {
		out, err := script(root, name, "--help")
		check.That(t, err != nil && strings.HasPrefix(out, "usage: scripts/"+name), "scripts/%s --help: %v\n%s", name, err, out)
	}
}
