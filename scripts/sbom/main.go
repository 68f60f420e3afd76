// Sbom writes a bill of materials of bench as CycloneDX 1.5 JSON: the modules that are built into it, the Go standard
// library, and the fonts and data that they embed.
//
//	go version -m bench... | go run ./scripts/sbom VERSION TIME
//
// The input is about bench for several platforms. TIME is that of the commit, in the form 2006-01-02T15:04:05Z. The bytes
// depend on the input and the arguments only. A module whose licences nobody has read is an error. scripts/release calls it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// licences has those of the modules, as SPDX expressions. Its test compares them with the modules' files.
var licences = map[string]string{
	"codeberg.org/go-fonts/liberation":  "BSD-3-Clause AND OFL-1.1",
	"codeberg.org/go-latex/latex":       "BSD-3-Clause",
	"codeberg.org/go-pdf/fpdf":          "MIT",
	"git.sr.ht/~sbinet/gg":              "MIT",
	"github.com/ajstarks/svgo":          "CC-BY-4.0",
	"github.com/golang/freetype":        "FTL OR GPL-2.0-or-later",
	"github.com/mitchellh/colorstring":  "MIT",
	"github.com/rivo/uniseg":            "MIT",
	"github.com/schollz/progressbar/v3": "MIT",
	"golang.org/x/image":                "BSD-3-Clause",
	"golang.org/x/sync":                 "BSD-3-Clause",
	"golang.org/x/sys":                  "BSD-3-Clause",
	"golang.org/x/term":                 "BSD-3-Clause",
	"golang.org/x/text":                 "BSD-3-Clause",
	"gonum.org/v1/gonum":                "BSD-3-Clause",
	"gonum.org/v1/plot":                 "BSD-3-Clause",
	"gopkg.in/yaml.v3":                  "MIT AND Apache-2.0",
}

// object is one of JSON.
type object = map[string]any

// embedded are the works of others that bench embeds.
var embedded = []object{
	{
		"bom-ref": "BO_toolbox", "type": "data", "name": "BO_toolbox", "version": "a0155173498aa765a3f5eb2984b7992692a84b99",
		"description": "Scores of published runs, in internal/paper/fauvel.csv.",
		"copyright":   "2021 Tristan Fauvel", "licenses": stated("MIT"),
		"externalReferences": []object{{"type": "vcs", "url": "https://github.com/TristanFauvel/BO_toolbox"}},
	},
	{
		"bom-ref": "liberation-fonts", "type": "data", "name": "Liberation fonts",
		"description": "Fonts that codeberg.org/go-fonts/liberation embeds.",
		"copyright":   "2010 Google Corporation, 2012 Red Hat, Inc.", "licenses": stated("OFL-1.1"),
		"externalReferences": []object{{"type": "website", "url": "https://github.com/liberationfonts/liberation-fonts"}},
	},
}

func stated(licence string) []object { return []object{{"expression": licence}} }

func run(in io.Reader, out io.Writer, args []string) error {
	if len(args) != 2 {
		return errors.New("give VERSION and TIME")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var self object
	parts := map[string]object{}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case line[0] != '\t': // FILE: go1.26.8
			version := strings.TrimPrefix(words[len(words)-1], "go")
			const ref = "pkg:golang/stdlib" // as databases of vulnerabilities name it
			parts[ref] = object{
				"bom-ref": ref, "type": "library", "name": "stdlib", "version": version, "purl": ref + "@" + version,
				"description": "The standard library of Go, with its runtime.", "licenses": stated("BSD-3-Clause"),
			}
		case words[0] == "mod":
			ref := "pkg:golang/" + words[1]
			self = object{
				"bom-ref": ref, "type": "application", "name": words[1], "version": args[0], "purl": ref + "@v" + args[0], "licenses": stated("MIT"),
			}
		case words[0] == "dep":
			name, version, sum, ref := words[1], words[2], words[3], "pkg:golang/"+words[1]
			if licences[name] == "" {
				return fmt.Errorf("the licence of %s is unknown; read its files and add it to scripts/sbom", name)
			}
			parts[ref] = object{
				"bom-ref": ref, "type": "library", "name": name, "version": version, "purl": ref + "@" + version, "licenses": stated(licences[name]),
				// It is not in "hashes" because it is the checksum of a list of files.
				"properties": []object{{"name": "go.sum", "value": sum}},
			}
		}
	}
	if self == nil {
		return errors.New("the input is not that of go version -m")
	}
	refs := slices.Sorted(maps.Keys(parts))
	components := slices.Clone(embedded)
	for _, ref := range refs {
		components = append(components, parts[ref])
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(object{
		"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":     object{"timestamp": args[1], "component": self},
		"components":   components,
		"dependencies": []object{{"ref": self["bom-ref"], "dependsOn": append(refs, "BO_toolbox", "liberation-fonts")}},
	})
}
