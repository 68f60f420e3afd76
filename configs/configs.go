// Package configs embeds the suite files of papers' experiments and of the field, so that the program can reproduce
// them wherever it is installed.
package configs

import (
	"embed"
	"io/fs"
	"path"
)

//go:embed paper/*.yaml papers/*/*.yaml field/*.yaml
var files embed.FS

// Suite is the text of a suite file.
type Suite struct {
	Path string // in the repository
	Text []byte
}

// Paper returns the suites of the experiments of POP-BO's paper, by file name.
func Paper() []Suite { return suites("paper/*.yaml") }

// Field returns the suite that compares all methods on equal terms.
func Field() Suite { return suites("field/field.yaml")[0] }

// Papers returns the names of the other papers whose experiments are here, sorted.
func Papers() []string {
	folders, _ := files.ReadDir("papers")
	var names []string
	for _, f := range folders {
		names = append(names, f.Name())
	}
	return names
}

// PaperNamed returns the suites of one of the other papers, by file name; nil if there is no such paper.
func PaperNamed(name string) []Suite { return suites(path.Join("papers", path.Base(name), "*.yaml")) }

func suites(glob string) []Suite {
	var suites []Suite
	paths, err := fs.Glob(files, glob)
	for _, path := range paths {
		text, readErr := files.ReadFile(path)
		if readErr != nil {
			err = readErr
		}
		suites = append(suites, Suite{Path: "configs/" + path, Text: text})
	}
	if err != nil {
		panic("configs: " + err.Error()) // they are part of the program
	}
	return suites
}
