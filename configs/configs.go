// Package configs embeds the suite files that a user runs: papers' experiments, the field, and a few to begin with. The
// program can run them by name wherever it is installed. The other files here serve the checks of the project.
package configs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed quick.yaml perf.yaml examples/*.yaml paper/*.yaml papers/*/*.yaml field/*.yaml
var files embed.FS

// Suite is the text of a suite file.
type Suite struct {
	Name  string // as the suite says
	Path  string // in the repository
	Paper string // the paper whose experiment this is, as bench reproduce calls it; "" for other suites
	Text  []byte
}

// popbo is the name of the paper whose suites are in the folder paper.
const popbo = "popbo-2024"

// Suites returns all suites to run by name: quick, perf, the papers' suites, the field and the examples. Their names
// differ.
func Suites() []Suite {
	var all []Suite
	for _, glob := range []string{"quick.yaml", "paper/*.yaml", "papers/*/*.yaml", "field/*.yaml", "examples/arms.yaml", "examples/oracles.yaml", "perf.yaml"} {
		all = append(all, suites(glob)...)
	}
	return all
}

// Template returns a suite with comments on its keys, to copy and change.
func Template() Suite { return suites("examples/template.yaml")[0] }

// Paper returns the suites of the experiments of POP-BO's paper, by file name.
func Paper() []Suite { return suites("paper/*.yaml") }

// Field returns the suite that compares all methods on equal terms.
func Field() Suite { return suites("field/field.yaml")[0] }

// Tuning returns the suite whose variants and problems are the plan by which the methods of the field are tuned.
func Tuning() Suite { return suites("field/tuning.yaml")[0] }

// PaperNamed returns the suites of the experiments of a paper, by file name; nil if there is no such paper.
func PaperNamed(name string) []Suite {
	if name == popbo {
		return Paper()
	}
	return suites(path.Join("papers", path.Base(name), "*.yaml"))
}

func suites(glob string) []Suite {
	var suites []Suite
	paths, err := fs.Glob(files, glob)
	for _, path := range paths {
		text, readErr := files.ReadFile(path)
		if readErr != nil {
			err = readErr
		}
		suites = append(suites, Suite{Name: nameIn(text), Path: "configs/" + path, Paper: paperOf(path), Text: text})
	}
	if err != nil {
		panic("configs: " + err.Error()) // they are part of the program
	}
	return suites
}

// paperOf returns the paper of a file.
func paperOf(file string) string {
	switch parts := strings.Split(file, "/"); parts[0] {
	case "paper":
		return popbo
	case "papers":
		return parts[1]
	}
	return ""
}

// nameIn returns the value of the key name, which begins a line in each of the files.
func nameIn(text []byte) string {
	_, rest, _ := strings.Cut("\n"+string(text), "\nname: ")
	name, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(name)
}
