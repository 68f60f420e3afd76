// Sbom writes a bill of materials of bench as CycloneDX 1.5 JSON: the modules that are built
// into it, the Go standard library, and the fonts and data that they embed.
//
//	go list -deps -json ./cmd/bench | go run ./scripts/sbom VERSION TIME GO-VERSION
//
// The input may be several lists, of several platforms. TIME is the time of the commit, in the form 2006-01-02T15:04:05Z.
// The bytes depend on the input, the licence files of the modules and the arguments only. A module's licence is the one that
// the files at its top state; one that is not recognised is an error. scripts/release calls it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Module     *module // nil for the standard library
}

type module struct {
	Path, Version, Sum, Dir string
	Main                    bool
}

type bill struct {
	Schema      string       `json:"$schema"`
	Format      string       `json:"bomFormat"`
	SpecVersion string       `json:"specVersion"`
	Version     int          `json:"version"`
	Metadata    metadata     `json:"metadata"`
	Components  []component  `json:"components"`
	DependsOn   []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Ref         string      `json:"bom-ref"`
	Type        string      `json:"type"`
	Name        string      `json:"name"`
	Version     string      `json:"version,omitempty"`
	Description string      `json:"description,omitempty"`
	Copyright   string      `json:"copyright,omitempty"`
	Licences    []licence   `json:"licenses"`
	PURL        string      `json:"purl,omitempty"`
	References  []reference `json:"externalReferences,omitempty"`
	// Properties has the checksum from go.sum. It is not in "hashes" because it is the checksum of a list of files.
	Properties []property `json:"properties,omitempty"`
}

type licence struct {
	Expression string `json:"expression"` // SPDX
}

type reference struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// embedded has the works of others that packages embed, by package. Paths of packages of the main module are relative to it.
var embedded = map[string]component{
	"codeberg.org/go-fonts/liberation/liberationsansregular": {
		Ref: "liberation-fonts", Type: "data", Name: "Liberation fonts", Description: "Fonts that codeberg.org/go-fonts/liberation embeds.",
		Copyright:  "2010 Google Corporation, 2012 Red Hat, Inc.",
		Licences:   []licence{{"OFL-1.1"}},
		References: []reference{{"website", "https://github.com/liberationfonts/liberation-fonts"}},
	},
	"internal/paper": {
		Ref: "BO_toolbox", Type: "data", Name: "BO_toolbox", Version: "a0155173498aa765a3f5eb2984b7992692a84b99",
		Description: "Scores of published runs, in internal/paper/fauvel.csv.",
		Copyright:   "2021 Tristan Fauvel",
		Licences:    []licence{{"MIT"}},
		References:  []reference{{"vcs", "https://github.com/TristanFauvel/BO_toolbox"}},
	},
}

// words has, for each licence, what only its text says.
var words = []struct{ says, expression string }{
	{"Permission is hereby granted, free of charge, to any person obtaining a copy of this software", "MIT"},
	{"Neither the name of", "BSD-3-Clause"},
	{"Apache License, Version 2.0", "Apache-2.0"},
	{"SIL OPEN FONT LICENSE Version 1.1", "OFL-1.1"},
	{"Creative Commons Attribution 4.0 International Public License", "CC-BY-4.0"},
	{"your choice of exactly one of the following two licenses: * The FreeType License", "FTL OR GPL-2.0-or-later"},
}

var licenceFile = regexp.MustCompile(`^(?i)(licen[cs]e|copying|notice)`)

// licenceOf returns what the files at the top of a module state.
func licenceOf(m *module) ([]licence, error) {
	files, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	var text string
	for _, f := range files {
		if licenceFile.MatchString(f.Name()) && f.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
			if err != nil {
				return nil, err
			}
			text += strings.Join(strings.Fields(string(data)), " ") + " "
		}
	}
	var stated []string
	for _, w := range words {
		if strings.Contains(text, w.says) {
			stated = append(stated, w.expression)
		}
	}
	if stated == nil {
		return nil, fmt.Errorf("the licence of %s is not recognised; add what it says to scripts/sbom", m.Path)
	}
	return []licence{{strings.Join(stated, " AND ")}}, nil
}

func run(in io.Reader, out io.Writer, args []string) error {
	if len(args) != 3 {
		return errors.New("give VERSION, TIME and GO-VERSION")
	}
	version, goVersion := args[0], strings.TrimPrefix(args[2], "go")
	const std = "pkg:golang/stdlib" // the name by which databases of vulnerabilities know it
	parts := map[string]component{std: {
		Ref: std, Type: "library", Name: "stdlib", Version: goVersion, Description: "The standard library of Go, with its runtime.",
		Licences: []licence{{"BSD-3-Clause"}}, PURL: std + "@" + goVersion,
	}}
	var self string             // the reference of the main module
	var packages []goPackage    // of all lists
	of := map[string]string{}   // reference by package
	on := map[string][]string{} // references by reference
	uses := func(a, b string) {
		if a != b && !slices.Contains(on[a], b) {
			on[a] = append(on[a], b)
		}
	}
	for d := json.NewDecoder(in); ; {
		var p goPackage
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		packages = append(packages, p)
		m := p.Module
		if m == nil {
			of[p.ImportPath] = std
			continue
		}
		ref, path := "pkg:golang/"+m.Path, p.ImportPath
		if of[path] = ref; m.Main {
			self, path = ref, strings.TrimPrefix(path, m.Path+"/")
		}
		if e, ok := embedded[path]; ok {
			parts[e.Ref] = e
			uses(ref, e.Ref)
		}
		if _, ok := parts[ref]; ok {
			continue
		}
		c := component{Ref: ref, Type: "library", Name: m.Path, Version: m.Version, PURL: ref + "@" + m.Version}
		if m.Main {
			c.Type, c.Version, c.PURL = "application", version, ref+"@v"+version
		} else {
			c.Properties = []property{{"go.sum", m.Sum}}
		}
		var err error
		if c.Licences, err = licenceOf(m); err != nil {
			return err
		}
		parts[ref] = c
	}
	if self == "" {
		return errors.New("there is no package of a main module in the list")
	}
	for _, p := range packages {
		for _, i := range p.Imports {
			if ref, ok := of[i]; ok {
				uses(of[p.ImportPath], ref)
			}
		}
	}
	b := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata: metadata{args[1], parts[self]},
	}
	for _, ref := range slices.Sorted(maps.Keys(parts)) {
		if ref != self {
			b.Components = append(b.Components, parts[ref])
		}
		b.DependsOn = append(b.DependsOn, dependency{ref, slices.Sorted(slices.Values(on[ref]))})
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(b)
}
