package record

import (
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"regexp"

	"popbench/internal/words"
)

// A results folder:
//
//	records/<problem>/<label>/<repetition>.jsonl   one record a cell
//	timing/<problem>/<label>/<repetition>.json     its Timing
//	timing/<problem>/<label>/<repetition>.stderr.txt   what its programs wrote to standard error, if they did
//	grids/<problem>.jsonl                          Grid, values of f for reports, if all repetitions have the same function
//	grids/<problem>/<repetition>.jsonl             Grid, if each repetition has its own function
//	cells.json                                     List, of the cells that should be there
//	run.json                                       Run, of the last command
//	suite.yaml                                     the suite file, as it was read
//
// For the compact form see compact.go.
const (
	recordsDir = "records"
	timingDir  = "timing"
	gridsDir   = "grids"
	cellsFile  = "cells.json"
	runFile    = "run.json"
	suiteFile  = "suite.yaml"
	recordExt  = ".jsonl"
	tempExt    = ".tmp"
)

// CellID returns the name of a cell, "problem/label/007": three safe elements of a path, unique in a suite.
func CellID(problem, label string, repetition int) string {
	return fmt.Sprintf("%s/%s/%03d", words.FileName(problem), words.FileName(label), repetition)
}

// RecordPath returns the path of a cell's record in a results folder.
func RecordPath(dir, cell string) string {
	return filepath.Join(dir, recordsDir, filepath.FromSlash(cell)+recordExt)
}

// TimingPath returns the path of a cell's Timing in a results folder.
func TimingPath(dir, cell string) string {
	return filepath.Join(dir, timingDir, filepath.FromSlash(cell)+".json")
}

// StderrPath returns the path of what a cell's programs wrote to standard error.
func StderrPath(dir, cell string) string {
	return filepath.Join(dir, timingDir, filepath.FromSlash(cell)+".stderr.txt")
}

// Group returns a cell's ID without the repetition.
func Group(cell string) string { return path.Dir(cell) }

// unsafeName decodes a name encoded by words.FileName. The result for other text is undefined.
func unsafeName(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(percent string) string {
		b, _ := hex.DecodeString(percent[1:])
		return string(b)
	})
}

var escaped = regexp.MustCompile(`%[0-9A-F]{2}`)
