package runlog

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A results folder:
//
//	records/<problem>/<label>/<repetition>.jsonl   one record a cell
//	timing/<problem>/<label>/<repetition>.json     its Timing
//	run.json                                       Run, of the last command
//	suite.yaml                                     the suite file, as it was read
const (
	recordsDir = "records"
	timingDir  = "timing"
	runFile    = "run.json"
	suiteFile  = "suite.yaml"
	recordExt  = ".jsonl"
	tempExt    = ".tmp"
)

// CellID is the name of a cell, "problem/label/007": unique in a suite, three
// safe path elements, so that it is also where the cell's record is.
func CellID(problem, label string, repetition int) string {
	return fmt.Sprintf("%s/%s/%03d", safeName(problem), safeName(label), repetition)
}

// RecordPath is where the record of a cell is in a results folder.
func RecordPath(dir, cell string) string {
	return filepath.Join(dir, recordsDir, filepath.FromSlash(cell)+recordExt)
}

// TimingPath is where the Timing of a cell is in a results folder.
func TimingPath(dir, cell string) string {
	return filepath.Join(dir, timingDir, filepath.FromSlash(cell)+".json")
}

// Group is a cell's ID without the repetition.
func Group(cell string) string { return path.Dir(cell) }

// safeName percent-encodes all that could mean something to a file system, a
// shell or a glob pattern. It is injective, and the identity on plain names.
func safeName(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+=,"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		inner := c == '.' && i > 0 && i < len(s)-1
		if inner || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unsafeName returns the name that safeName has encoded. The result for other text
// is undefined.
func unsafeName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
