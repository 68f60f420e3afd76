package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// What bench init writes runs, and with the method of its last comment too.
func TestInit(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	check.Equal(t, "init", succeed(t, "init", "mine.yaml"), "suite:   mine.yaml, and for editors bench-schema.json\nnext:    bench run mine.yaml\n")
	text := readFile(t, "mine.yaml")
	if !strings.HasPrefix(text, "# yaml-language-server: $schema=bench-schema.json\n#\n# Change this file. It shows") {
		t.Errorf("it begins with %.200s", text)
	}
	check.Contains(t, "mine.yaml", text, "\nname: mine\n", "bench report results/mine ", "bench run --dry-run mine.yaml ")
	check.Equal(t, "schema", readFile(t, "bench-schema.json"), succeed(t, "init", "--schema", "-"))
	dry := done(t, "run", "--dry-run", "mine.yaml")
	check.Equal(t, "cells", strings.Count(dry, "\n"), 180)
	check.Contains(t, "run", done(t, "run", "mine.yaml", "--seeds", "1"), "6 cells run", "6 ok", "results: results/mine")

	refuse(t, "init: mine.yaml exists; give another name, or delete it first", "init", "mine.yaml")
	own := strings.NewReplacer("\n  # - name: external", "\n  - name: external", "\n  #   label: Mine", "\n    label: Mine", "\n  #   command:", "\n    command:").Replace(text)
	check.OK(t, os.WriteFile("mine.yaml", []byte(own), 0o666))
	check.Contains(t, "dry run with an own method", done(t, "run", "--dry-run", "mine.yaml", "--out", "own"), "run branin/Mine/000")

	check.OK(t, os.WriteFile("bench-schema.json", nil, 0o666))
	succeed(t, "init", "second.yml")
	check.Equal(t, "a schema that was there", readFile(t, "bench-schema.json"), "")
	refuse(t, "init: quick: the name of a suite file ends in .yaml; give quick.yaml", "init", "quick")
	refuse(t, `init: a b.yaml: "a b", the name of the suite, cannot name a folder; use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first`, "init", "a b.yaml")
	refuse(t, "init: open "+filepath.Join("none", "x.yaml")+": no such file or directory; give a file that can be written", "init", filepath.Join("none", "x.yaml"))
}
