package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// texts has, for each licence, what only its text says.
var texts = []struct{ says, expression string }{
	{"Permission is hereby granted, free of charge, to any person obtaining a copy of this software", "MIT"},
	{"Neither the name of", "BSD-3-Clause"},
	{"Apache License, Version 2.0", "Apache-2.0"},
	{"SIL OPEN FONT LICENSE Version 1.1", "OFL-1.1"},
	{"Creative Commons Attribution 4.0 International Public License", "CC-BY-4.0"},
	{"your choice of exactly one of the following two licenses: * The FreeType License", "FTL OR GPL-2.0-or-later"},
}

var licenceFile = regexp.MustCompile(`^(?i)(licen[cs]e|copying|notice)`)

// The table has the modules that are built into bench, with the licences that the files at their tops state. After a change
// of dependencies read those of the module, see docs/dependencies.md, and change the table.
func TestLicences(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/bench")
	cmd.Dir = filepath.Join("..", "..")
	seen := map[string]string{}
	for line := range strings.Lines(string(check.Must(cmd.Output())(t))) {
		module, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || seen[module] != "" {
			continue
		}
		var all string
		for _, f := range check.Must(os.ReadDir(dir))(t) {
			if licenceFile.MatchString(f.Name()) && f.Type().IsRegular() {
				all += strings.Join(strings.Fields(check.Text(t, filepath.Join(dir, f.Name()))), " ") + " "
			}
		}
		var stated []string
		for _, l := range texts {
			if strings.Contains(all, l.says) {
				stated = append(stated, l.expression)
			}
		}
		seen[module] = strings.Join(stated, " AND ")
	}
	check.Same(t, "the licences that the modules state", seen, licences)
}

// of is what go version -m says of a program.
const of = "/a b/bench: go1.26.8\n\tpath\tpopbench/cmd/bench\n\tmod\tpopbench\tv0.0.0\t\n\tdep\tgopkg.in/yaml.v3\tv3.0.1\th1:abc=\n\tbuild\tCGO_ENABLED=0\n"

func TestBill(t *testing.T) {
	var out, again bytes.Buffer
	check.OK(t, run(strings.NewReader(of), &out, []string{"1.2.3", "2023-11-14T22:13:20Z"}))
	// What is said of another platform adds nothing if the modules are the same.
	check.OK(t, run(strings.NewReader(of+of), &again, []string{"1.2.3", "2023-11-14T22:13:20Z"}))
	check.Equal(t, "the bill of two programs", again.String(), out.String())
	check.Contains(t, "the bill", out.String(), `"timestamp": "2023-11-14T22:13:20Z"`, `"purl": "pkg:golang/popbench@v1.2.3"`,
		`"purl": "pkg:golang/stdlib@1.26.8"`, `"purl": "pkg:golang/gopkg.in/yaml.v3@v3.0.1"`, `"value": "h1:abc="`, `"expression": "MIT AND Apache-2.0"`)

	type component struct {
		Ref string `json:"bom-ref"`
	}
	var b struct {
		Components   []component
		Dependencies []struct{ DependsOn []string }
	}
	check.OK(t, json.Unmarshal(out.Bytes(), &b))
	var refs []string
	for _, c := range b.Components {
		refs = append(refs, c.Ref)
	}
	slices.Sort(refs)
	check.Same(t, "the components", refs, []string{"BO_toolbox", "liberation-fonts", "pkg:golang/gopkg.in/yaml.v3", "pkg:golang/stdlib"})
	check.Same(t, "what bench depends on", slices.Sorted(slices.Values(b.Dependencies[0].DependsOn)), refs)
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(of, "yaml", "toml", 1): "the licence of gopkg.in/toml.v3 is unknown; read its files",
		"":                                     "the input is not that of go version -m",
	} {
		check.Error(t, "error", run(strings.NewReader(text), new(bytes.Buffer), []string{"1.2.3", ""}), want)
	}
}
