package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
)

// List names the cells that a results folder should contain. Its file, cells.json, is written before the first record, so
// that an interrupted run can be distinguished from a complete one.
type List struct {
	// Labels are those of the groups, in the order of the suite. The first is the reference of comparisons.
	Labels  []string `json:"labels,omitempty"`
	Chosen  []Part   `json:"chosen"`             // by the commands, including flags such as --only and --seeds
	LeftOut []Part   `json:"left_out,omitempty"` // on purpose, so they do not count as missing
}

// Part is a set of repetitions of an algorithm on a problem.
type Part struct {
	Group       string      `json:"group"` // problem/label, the cell's ID without the repetition
	Repetitions Repetitions `json:"repetitions"`
	Reason      string      `json:"reason,omitempty"` // why they are left out
}

// String returns, for example, "beale/POP-BO 000-029".
func (p Part) String() string { return p.Group + " " + p.Repetitions.String() }

// Names returns the problem and the label, as they are in the headers of its records.
func (p Part) Names() (problem, label string) {
	problem, label = p.split()
	return unsafeName(problem), unsafeName(label)
}

func (p Part) split() (problem, label string) {
	problem, label = path.Split(p.Group)
	return strings.TrimSuffix(problem, "/"), label
}

// partOf has one cell, that of a record.
func partOf(h *Header) Part { return single(Group(h.Cell), h.Repetition) }

func single(group string, repetition int) Part {
	return Part{Group: group, Repetitions: Repetitions{{repetition, repetition}}}
}

// Add adds a cell to the chosen ones.
func (l *List) Add(group string, repetition int) { l.choose(single(group, repetition)) }

func (l *List) choose(p Part) {
	l.Chosen, l.Labels = unite(l.Chosen, p), words.Include(l.Labels, path.Base(p.Group))
	l.LeftOut = without(l.LeftOut, []Part{p})
}

// Join adds all cells of another list. A cell chosen in either list is not left out.
func (l *List) Join(other *List) {
	if other == nil {
		return
	}
	for _, label := range other.Labels {
		l.Labels = words.Include(l.Labels, label)
	}
	for _, p := range other.Chosen {
		l.choose(p)
	}
	for _, p := range other.LeftOut {
		l.LeftOut = unite(l.LeftOut, p)
	}
	l.LeftOut = without(l.LeftOut, l.Chosen)
}

// LeaveOut takes cells out of the chosen ones, on purpose.
func (l *List) LeaveOut(p Part) {
	l.Chosen = without(l.Chosen, []Part{p})
	l.LeftOut = unite(l.LeftOut, p)
}

// Keep drops the groups for which groups returns false, and labels without a chosen cell.
func (l *List) Keep(groups func(group string) bool) {
	drop := func(p Part) bool { return !groups(p.Group) }
	l.Chosen, l.LeftOut = slices.DeleteFunc(l.Chosen, drop), slices.DeleteFunc(l.LeftOut, drop)
	l.Labels = slices.DeleteFunc(l.Labels, func(label string) bool {
		return !slices.ContainsFunc(l.Chosen, func(p Part) bool { return path.Base(p.Group) == label })
	})
}

// Has reports whether a cell is chosen.
func (l *List) Has(group string, repetition int) bool {
	return slices.ContainsFunc(l.Chosen, func(p Part) bool { return p.Group == group && p.Repetitions.Has(repetition) })
}

// Cells returns the number of chosen cells.
func (l *List) Cells() int { return Count(l.Chosen) }

// Runs returns the number of chosen repetitions of a group.
func (l *List) Runs(group string) int {
	return Count(words.Only(l.Chosen, func(p Part) bool { return p.Group == group }))
}

// Missing returns the chosen cells that are not in there.
func (l *List) Missing(there []Part) []Part { return without(slices.Clone(l.Chosen), there) }

// Gaps names the cells that are not listed though their repetition is between the first and the last of all groups: commands
// for parts of a run chose different cells. It is "" if there are none. Groups of imported runs do not count: a table has
// repetitions of its own.
func (l *List) Gaps(imported ...string) string {
	var all Repetitions
	listed := words.Only(slices.Concat(l.Chosen, l.LeftOut), func(p Part) bool { return !slices.Contains(imported, p.Group) })
	for _, p := range listed {
		all = all.union(p.Repetitions)
	}
	var whole []Part
	for _, p := range listed {
		whole = unite(whole, Part{Group: p.Group, Repetitions: Repetitions{{all[0][0], all[len(all)-1][1]}}})
	}
	return Cause{parts: without(whole, listed)}.Where()
}

// Count returns the number of cells in parts.
func Count(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Repetitions.Len()
	}
	return n
}

// cells returns the IDs of the cells.
func cells(parts []Part) (ids []string) {
	for _, p := range parts {
		for _, v := range p.Repetitions {
			for n := v[0]; n <= v[1]; n++ {
				ids = append(ids, fmt.Sprintf("%s/%03d", p.Group, n))
			}
		}
	}
	return ids
}

// unite adds p to parts. No two of the parts have the same group and reason.
func unite(parts []Part, p Part) []Part {
	// Try the last part first, because cells usually come group by group.
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Group == p.Group && parts[i].Reason == p.Reason {
			parts[i].Repetitions = parts[i].Repetitions.union(p.Repetitions)
			return parts
		}
	}
	return append(parts, p)
}

func without(parts, others []Part) (rest []Part) {
	for _, p := range parts {
		for _, o := range others {
			if o.Group == p.Group {
				p.Repetitions = p.Repetitions.minus(o.Repetitions)
			}
		}
		if len(p.Repetitions) > 0 {
			rest = append(rest, p)
		}
	}
	return rest
}

// maxRepetition is the largest repetition number that a file may contain; a suite has at most 10,000 repetitions.
const maxRepetition = 999_999

// Repetitions is a set of repetitions: ascending [first, last] ranges with gaps between them. As text, "000-029, 040".
type Repetitions [][2]int

// Len returns the number of repetitions.
func (r Repetitions) Len() (n int) {
	for _, v := range r {
		n += v[1] - v[0] + 1
	}
	return n
}

// Has reports whether repetition n is in the set.
func (r Repetitions) Has(n int) bool {
	k, _ := slices.BinarySearchFunc(r, n, func(v [2]int, n int) int { return cmp.Compare(v[1], n) })
	return k < len(r) && r[k][0] <= n
}

func (r Repetitions) union(other Repetitions) Repetitions {
	all := slices.Concat(r, other)
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var merged Repetitions
	for _, v := range all {
		if k := len(merged) - 1; k >= 0 && v[0] <= merged[k][1]+1 {
			merged[k][1] = max(merged[k][1], v[1])
		} else {
			merged = append(merged, v)
		}
	}
	return merged
}

func (r Repetitions) minus(other Repetitions) (rest Repetitions) {
	for _, v := range r {
		lo := v[0]
		for _, o := range other {
			if o[1] < lo || o[0] > v[1] {
				continue
			}
			if o[0] > lo {
				rest = append(rest, [2]int{lo, o[0] - 1})
			}
			lo = o[1] + 1
		}
		if lo <= v[1] {
			rest = append(rest, [2]int{lo, v[1]})
		}
	}
	return rest
}

// String returns, for example, "000-029, 040".
func (r Repetitions) String() string { return strings.Join(r.texts("-", "-"), ", ") }

// texts returns each range as text, its ends joined by and if they are all of it, and by to.
func (r Repetitions) texts(and, to string) (all []string) {
	for _, v := range r {
		text := fmt.Sprintf("%03d", v[0])
		switch v[1] - v[0] {
		case 0:
		case 1:
			text += fmt.Sprintf("%s%03d", and, v[1])
		default:
			text += fmt.Sprintf("%s%03d", to, v[1])
		}
		all = append(all, text)
	}
	return all
}

// MarshalText returns the text of String.
func (r Repetitions) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Repetitions) UnmarshalText(text []byte) error {
	*r = nil
	last := -2
	for part := range strings.SplitSeq(string(text), ", ") {
		first, end, isRange := strings.Cut(part, "-")
		if !isRange {
			end = first
		}
		lo, errLo := strconv.ParseUint(first, 10, 32)
		hi, errHi := strconv.ParseUint(end, 10, 32)
		if errLo != nil || errHi != nil || lo > hi || hi > maxRepetition || int(lo) <= last+1 {
			return fmt.Errorf("repetitions %.40q are not ascending numbers and ranges such as \"000-029, 040\"", text)
		}
		*r = append(*r, [2]int{int(lo), int(hi)})
		last = int(hi)
	}
	return nil
}

// encode returns the bytes of cells.json. The same cells give the same bytes, whatever commands chose them.
func (l *List) encode() ([]byte, error) {
	chosen := append([]Part{}, l.Chosen...) // not nil: a shard may have no cells
	sorted := List{Labels: l.Labels, Chosen: chosen, LeftOut: slices.Clone(l.LeftOut)}
	for _, parts := range [][]Part{sorted.Chosen, sorted.LeftOut} {
		slices.SortFunc(parts, func(a, b Part) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Reason, b.Reason)) })
	}
	return encodeFile(sorted)
}

// ReadList reads the list of cells of a results folder. The error is fs.ErrNotExist if there is none.
func ReadList(dir string) (*List, error) {
	data, err := readFile(dir, cellsFile)
	if err != nil {
		return nil, err
	}
	list := new(List)
	if err = json.Unmarshal(data, list); err == nil {
		err = list.check()
	}
	if err == nil { // a repeated key would hide missing cells
		if again, failed := list.encode(); failed != nil || !bytes.Equal(again, data) {
			err = errors.New("it is not in the form in which bench writes it")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a list of cells: %w; run the suite again with the same command", filepath.Join(dir, cellsFile), err)
	}
	return list, nil
}

func isName(s string) bool { return s != "" && words.FileName(unsafeName(s)) == s }

// check refuses a list that no command writes, because a cells.json may come from anywhere.
func (l *List) check() error {
	seen := map[string]bool{}
	for _, label := range l.Labels {
		if !isName(label) {
			return fmt.Errorf("label %.40q is not one as in the names of the records", label)
		}
		if seen[label] {
			return fmt.Errorf("label %.40q is listed twice", label)
		}
		seen[label] = true
	}
	for _, p := range slices.Concat(l.Chosen, l.LeftOut) {
		problem, label := p.split()
		switch {
		case !isName(problem) || !isName(label):
			return fmt.Errorf("group %.40q is not PROBLEM/LABEL as in the names of the records", p.Group)
		case len(p.Repetitions) == 0:
			return fmt.Errorf("group %.40q has no repetitions", p.Group)
		case seen[p.Group+"\x00"+p.Reason]:
			return fmt.Errorf("group %.40q is listed twice", p.Group)
		}
		if err := words.CheckText(p.Reason); err != nil { // reports show it
			return fmt.Errorf("the reason to leave out group %.40q %w", p.Group, err)
		}
		seen[p.Group+"\x00"+p.Reason] = true
	}
	return nil
}

// Failure is a failed cell with its error.
type Failure struct{ Cell, Error string }

// Cause is failures whose errors differ only in numbers: one mistake may fail many cells, each after another step.
type Cause struct {
	Error string   // of the first
	Cells []string // by problem, label and repetition

	parts []Part // Cells
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
		repetition, _ := strconv.Atoi(path.Base(f.Cell))
		all[i].parts = unite(all[i].parts, single(Group(f.Cell), repetition))
	}
	for i := range all {
		c := &all[i]
		slices.SortFunc(c.parts, func(a, b Part) int { return strings.Compare(a.Group, b.Group) })
		c.Cells = cells(c.parts)
	}
	return all
}

// numbers matches numbers that stand alone: the 1 of gp1 is part of a name.
var numbers = regexp.MustCompile(`[-+]?(\b[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|\bInf\b|\bNaN\b)`)

// Where lists the cells briefly: "beale/POP-BO (000 to 029), branin/POP-BO/003".
func (c Cause) Where() string {
	const most = 3 // groups listed, and ranges of repetitions listed for each
	var groups []string
	for _, p := range c.parts {
		group := fmt.Sprintf("%s (%s)", p.Group, shortList(p.Repetitions.texts(" and ", " to "), most))
		if p.Repetitions.Len() == 1 {
			group = fmt.Sprintf("%s/%v", p.Group, p.Repetitions)
		}
		groups = append(groups, group)
	}
	return shortList(groups, most)
}

func shortList(parts []string, most int) string {
	text := strings.Join(parts[:min(most, len(parts))], ", ")
	if more := len(parts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
