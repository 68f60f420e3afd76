package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// licences is what we read in the modules' files. After a change of dependencies: read those of the module, see
// docs/dependencies.md, and change the list.
const licences = `
BO_toolbox MIT
liberation-fonts OFL-1.1
codeberg.org/go-fonts/liberation BSD-3-Clause AND OFL-1.1
codeberg.org/go-latex/latex BSD-3-Clause
codeberg.org/go-pdf/fpdf MIT
git.sr.ht/~sbinet/gg MIT
github.com/ajstarks/svgo CC-BY-4.0
github.com/golang/freetype FTL OR GPL-2.0-or-later
github.com/mitchellh/colorstring MIT
github.com/rivo/uniseg MIT
github.com/schollz/progressbar/v3 MIT
golang.org/x/image BSD-3-Clause
golang.org/x/sync BSD-3-Clause
golang.org/x/sys BSD-3-Clause
golang.org/x/term BSD-3-Clause
golang.org/x/text BSD-3-Clause
gonum.org/v1/gonum BSD-3-Clause
gonum.org/v1/plot BSD-3-Clause
gopkg.in/yaml.v3 MIT AND Apache-2.0
stdlib BSD-3-Clause
`

// The bill has every module that is built into bench with its licence and the checksum of go.sum, and nothing else.
func TestBillOfBench(t *testing.T) {
	root := filepath.Join("..", "..")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Module", "./cmd/bench")
	cmd.Dir = root
	list := check.Must(cmd.Output())(t)
	var out, again bytes.Buffer
	check.OK(t, run(bytes.NewReader(list), &out, []string{"1.2.3", "2023-11-14T22:13:20Z", "go1.26.8"}))
	// The list of another platform adds nothing if the modules are the same.
	check.OK(t, run(bytes.NewReader(append(list, list...)), &again, []string{"1.2.3", "2023-11-14T22:13:20Z", "go1.26.8"}))
	check.Equal(t, "the bill of two lists", again.String(), out.String())

	var b bill
	check.OK(t, json.Unmarshal(out.Bytes(), &b))
	main := b.Metadata.Component
	check.Equal(t, "the main part", fmt.Sprint(main.Version, main.PURL, main.Licences, b.Metadata.Timestamp), "1.2.3"+main.Ref+"@v1.2.3[{MIT}]2023-11-14T22:13:20Z")
	sums := check.Text(t, filepath.Join(root, "go.sum"))
	var stated strings.Builder
	for _, c := range b.Components {
		fmt.Fprintf(&stated, "%s %s\n", strings.TrimPrefix(c.Ref, "pkg:golang/"), c.Licences[0].Expression)
		if c.Properties != nil {
			check.Equal(t, "purl", c.PURL, "pkg:golang/"+c.Name+"@"+c.Version)
			check.Contains(t, "go.sum", sums, c.Name+" "+c.Version+" "+c.Properties[0].Value+"\n")
		}
	}
	check.Equal(t, "licences", "\n"+stated.String(), licences)
	check.Contains(t, "the standard library", out.String(), `"purl": "pkg:golang/stdlib@1.26.8"`)
	refs := map[string]bool{}
	for _, d := range b.DependsOn {
		refs[d.Ref] = true
	}
	for _, d := range b.DependsOn {
		for _, on := range d.On {
			check.That(t, refs[on] && on != d.Ref, "%s depends on %s, which is no other part", d.Ref, on)
		}
	}
	check.Contains(t, "what bench depends on", fmt.Sprint(b.DependsOn), "{"+main.Ref+" [BO_toolbox pkg:golang/git.sr.ht/~sbinet/gg pkg:golang/github.com/schollz/progressbar/v3")
}

// A licence that nobody has read is an error.
func TestUnknownLicence(t *testing.T) {
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("Ask me."), 0o666))
	list := fmt.Sprintf(`{"ImportPath": "a/b", "Module": {"Path": "a", "Version": "v1.0.0", "Dir": %q}}`, dir)
	err := run(strings.NewReader(list), new(bytes.Buffer), []string{"1.2.3", "", "go1.26.8"})
	check.Error(t, "error", err, "the licence of a is not recognised")
}
