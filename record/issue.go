package record

import (
	"cmp"
	"fmt"
	"path"
	"popbench/internal/words"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Issue is one defect of a results folder.
type Issue struct {
	Path string // the file, or the folder
	Line int    // from 1; 0 for the whole file
	What string
	Mend string // what the user can do about it
	// Mixture is the property in which usable records differ that are for one table: suite, problem, configuration or
	// program. It is "" for a file without a usable record.
	Mixture string
}

// Error says where the defect is, what it is and how to mend it, on one line whatever the file's name.
func (i *Issue) Error() string {
	where := i.Path
	if i.Line > 0 {
		where = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	return words.Quote(fmt.Sprintf("%s: %s; %s", where, i.What, i.Mend))
}

// Failure is a failed cell with its error.
type Failure struct{ Cell, Error string }

// Cause is failures whose errors differ only in numbers: one mistake may fail many cells, each after another step.
type Cause struct {
	Error string   // of the first
	Cells []string // by problem, label and repetition
}

// Causes groups failures, in the order in which their causes first occur.
func Causes(failures []Failure) (all []Cause) {
	index := map[string]int{}
	for _, f := range failures {
		key := numbers.ReplaceAllString(f.Error, "#")
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key] = i
			all = append(all, Cause{Error: f.Error})
		}
		all[i].Cells = append(all[i].Cells, f.Cell)
	}
	for i := range all {
		slices.SortFunc(all[i].Cells, func(a, b string) int {
			return cmp.Or(strings.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(repetitionOf(a), repetitionOf(b)))
		})
	}
	return all
}

// numbers matches numbers that stand alone: the 1 of gp1 is part of a name.
var numbers = regexp.MustCompile(`[-+]?(\b[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|\bInf\b|\bNaN\b)`)

// repetitionOf returns the last part of a cell's name, or -1 if it is no number.
func repetitionOf(cell string) int {
	if n, err := strconv.Atoi(path.Base(cell)); err == nil {
		return n
	}
	return -1
}

// split divides cells where a cell does not belong to the one before.
func split(cells []string, belong func(before, cell string) bool) (parts [][]string) {
	for i, cell := range cells {
		if i == 0 || !belong(cells[i-1], cell) {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], cell)
	}
	return parts
}

// Where lists the cells briefly: "beale/POP-BO (000 to 029), branin/POP-BO/003".
func (c Cause) Where() string {
	const most = 3 // groups listed, and ranges of repetitions listed for each
	var groups []string
	for _, group := range split(c.Cells, func(before, cell string) bool { return path.Dir(cell) == path.Dir(before) }) {
		groups = append(groups, stretches(group, most))
	}
	return shortList(groups, most)
}

// stretches lists cells of one algorithm on one problem. Consecutive repetitions become a range.
func stretches(cells []string, most int) string {
	if len(cells) == 1 {
		return cells[0]
	}
	var parts []string
	for _, stretch := range split(cells, func(before, cell string) bool { return repetitionOf(cell) == repetitionOf(before)+1 }) {
		part := path.Base(stretch[0])
		if n := len(stretch); n > 1 {
			part += " to " + path.Base(stretch[n-1])
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%s (%s)", path.Dir(cells[0]), shortList(parts, most))
}

func shortList(parts []string, most int) string {
	text := strings.Join(parts[:min(most, len(parts))], ", ")
	if more := len(parts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
