// Package configs embeds the suite files of the paper's experiments, so that the program can
// reproduce the paper wherever it is installed.
package configs

import (
	"embed"
	"io/fs"
)

//go:embed paper/*.yaml
var files embed.FS

// Suite is the text of a suite file.
type Suite struct {
	Path string // in the repository
	Text []byte
}

// Paper returns the suites of the paper's experiments, by file name.
func Paper() []Suite {
	var suites []Suite
	paths, err := fs.Glob(files, "paper/*.yaml")
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
