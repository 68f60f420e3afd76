// Package inspect lists the problems, algorithms and suites that can be run, shows one of them whole, and
// evaluates problems at points.
package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"popbench/configs"
	"popbench/internal/strict"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// Listing is the output of bench list. Parts that were not requested are nil.
type Listing struct {
	Problems   []Problem       `json:"problems,omitempty"`
	Oracle     []suite.Setting `json:"oracle,omitempty"` // its keys
	Algorithms []Algorithm     `json:"algorithms,omitempty"`
	Suites     *Suites         `json:"suites,omitempty"`
	Papers     []Paper         `json:"papers,omitempty"`

	Page string `json:"-"` // the same for people
}

// Problem is a problem of the catalogue.
type Problem struct {
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Summary string    `json:"summary"`
	Dim     int       `json:"dim"`
	Box     space.Box `json:"box"`
	Optimum *Optimum  `json:"optimum,omitempty"` // nil if each instance has its own
	Source  string    `json:"source"`

	// If it is shown whole:
	Scales []problems.Scale `json:"scales,omitempty"`
	UsedBy []string         `json:"used_by,omitempty"` // names of built-in suites
	Code   string           `json:"code,omitempty"`    // where its Go function stands, file:line; "" if one is drawn for each repetition
}

// Optimum is the best value of a problem, as its source defines it.
type Optimum struct {
	Sense string      `json:"sense"`           // minimum | maximum
	Value *float64    `json:"value,omitempty"` // nil if it is unknown
	X     [][]float64 `json:"x,omitempty"`
	How   string      `json:"how,omitempty"`
}

// Algorithm is an algorithm of the catalogue.
type Algorithm struct {
	Name     string          `json:"name"`
	Learns   []string        `json:"learns_from"` // winners, ties, values
	Settings []suite.Setting `json:"settings"`

	// If it is shown whole:
	Title  string   `json:"title,omitempty"`
	About  string   `json:"about,omitempty"` // what it does, in a sentence that begins with the title
	Paper  string   `json:"paper,omitempty"` // citation
	Can    []string `json:"can,omitzero"`    // what it can do besides
	UsedBy []string `json:"used_by,omitempty"`
}

// Paper is a paper whose experiments are built in.
type Paper struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"` // citation
	Claims int      `json:"claims"`
	Suites []string `json:"suites"` // names
}

// Suites are the suites that are part of the program, and the files of a folder that are not among them.
type Suites struct {
	BuiltIn []Suite `json:"built_in"`
	Dir     string  `json:"dir"`
	Files   []Suite `json:"files"`
}

// Suite is the summary of a suite file.
type Suite struct {
	File        string    `json:"file"`
	Name        string    `json:"name,omitempty"`
	Title       string    `json:"title,omitempty"`
	Problems    []string  `json:"problems,omitempty"`
	Algorithms  []string  `json:"algorithms,omitempty"` // labels
	Programs    []Program `json:"programs,omitempty"`   // of problems, then of algorithms
	Repetitions int       `json:"repetitions,omitempty"`
	Steps       int       `json:"steps,omitempty"`
	Error       string    `json:"error,omitempty"`    // why it cannot run
	Paper       string    `json:"paper,omitempty"`    // name of the paper whose experiment it is
	Citation    string    `json:"citation,omitempty"` // of that paper
	Cost        string    `json:"cost,omitempty"`     // what a run in the results folder took

	uses    map[string][]string // names of Problems and of Algorithms, each once
	methods []string            // labels; an algorithm with variants has one entry
}

// Program is a program of a suite's owner.
type Program struct {
	For     string   `json:"for"` // label of the problem or algorithm
	Command []string `json:"command"`
}

// The names of the parts of a listing.
const (
	Problems   = "problems"
	Oracle     = "oracle"
	Algorithms = "algorithms"
	SuiteFiles = "suites"
	Papers     = "papers"
)

// Parts are the names of a listing's parts, in order.
var Parts = []string{Problems, Oracle, Algorithms, SuiteFiles, Papers}

// configsDir is the folder whose suite files are listed beside the built-in suites, if bench starts where there is one.
const configsDir = "configs"

// List lists the given parts except papers.
func List(cat suite.Catalogue, parts []string) (Listing, error) {
	var l Listing
	var err error
	for _, part := range parts {
		switch part {
		case Problems:
			l.Problems = listProblems(cat)
		case Oracle:
			l.Oracle = suite.DescribeOracle()
		case Algorithms:
			l.Algorithms = words.Each(cat.Algorithms(), func(name string) Algorithm { return listAlgorithm(cat, name) })
		case SuiteFiles:
			l.Suites = &Suites{BuiltIn: BuiltIn(cat), Dir: configsDir}
			if l.Suites.Files, err = suiteFiles(cat, configsDir, configs.Suites()); errors.Is(err, fs.ErrNotExist) {
				err = nil // bench may be started in any folder
			}
		}
	}
	return l, err
}

// listAlgorithm describes an algorithm. What it learns from is unknown of an added one that cannot be built to find out.
func listAlgorithm(cat suite.Catalogue, name string) Algorithm {
	a := Algorithm{Name: name, Settings: suite.Describe(cat.Settings(name))}
	switch can, err := cat.Abilities(name); {
	case err != nil:
	case can.Values:
		a.Learns = []string{"values"}
	case can.Ties:
		a.Learns = []string{"winners", "ties"}
	default:
		a.Learns = []string{"winners"}
	}
	return a
}

// listProblems describes the problems of the catalogue by dimension.
func listProblems(cat suite.Catalogue) (list []Problem) {
	list = words.Each(cat.Problems(), func(name string) Problem { return listProblem(cat, name) })
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(a.Dim, b.Dim) })
	return list
}

func listProblem(cat suite.Catalogue, name string) Problem {
	s, _ := cat.Problem(name) // it has this name
	p := Problem{Name: s.Name, Title: s.Title, Summary: s.Summary, Dim: s.Box.Dim(), Box: s.Box, Source: s.Source}
	if s.Optimum == nil {
		return p
	}
	instance, err := s.Instance(problems.Raw, nil)
	if err != nil {
		panic(err) // a problem of a catalogue has instances
	}
	p.Optimum = &Optimum{Sense: sense(instance), X: s.Optimum.X, How: s.Optimum.How}
	if !s.Optimum.Unknown {
		p.Optimum.Value = &s.Optimum.Value
	}
	return p
}

// sense says whether the problem's source minimises or maximises it. Scaled values are
// always maximised.
func sense(p *problems.Problem) string {
	if p.Factor < 0 {
		return "minimum"
	}
	return "maximum"
}

// suiteFiles lists the suite files in a folder and its folders, without those that have the text of a known suite. A file
// that cannot run is listed with the reason.
func suiteFiles(cat suite.Catalogue, dir string, known []configs.Suite) ([]Suite, error) {
	files := []Suite{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || entry.IsDir() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		text, err := strict.ReadFile(path)
		switch {
		case err != nil:
			files = append(files, Suite{File: path, Error: err.Error()})
		case !slices.ContainsFunc(known, func(s configs.Suite) bool { return bytes.Equal(s.Text, text) }):
			files = append(files, listSuite(cat, path, text))
		}
		return nil
	})
	if err != nil {
		return files, fmt.Errorf("list: suites: %w", err)
	}
	return files, nil
}

// BuiltIn returns the suites that are part of the program.
func BuiltIn(cat suite.Catalogue) (list []Suite) {
	for _, s := range configs.Suites() {
		listed := listSuite(cat, s.Path, s.Text)
		listed.Paper = s.Paper
		list = append(list, listed)
	}
	return list
}

func listSuite(cat suite.Catalogue, path string, text []byte) Suite {
	listed := Suite{File: path}
	s, err := suite.Parse(path, text, cat)
	if err != nil {
		listed.Error = err.Error()
		return listed
	}
	listed.Name, listed.Title, listed.Repetitions, listed.Steps = s.Name, s.Title, s.Repetitions, s.Steps
	listed.uses = map[string][]string{}
	for _, p := range s.Problems {
		listed.Problems = append(listed.Problems, p.ID())
		listed.uses[Problems] = words.Include(listed.uses[Problems], p.Name)
		if p.External() {
			listed.Programs = append(listed.Programs, Program{p.ID(), p.Command})
		}
	}
	variants := map[string]int{}
	for _, a := range s.Algorithms {
		variants[a.Of]++
	}
	for _, a := range s.Algorithms {
		listed.Algorithms = append(listed.Algorithms, a.Label)
		switch n := variants[a.Label]; {
		case a.Of != "":
		case n > 0:
			listed.methods = append(listed.methods, fmt.Sprintf("%s and %s", a.Label, words.Count(n, "variant")))
		default:
			listed.methods = append(listed.methods, a.Label)
		}
		listed.uses[Algorithms] = words.Include(listed.uses[Algorithms], a.Name)
		if a.External() {
			listed.Programs = append(listed.Programs, Program{a.Label, a.Command})
		}
	}
	return listed
}

func (s Suite) name() string { return s.Name }

// Cells returns the number of runs of the suite.
func (s *Suite) Cells() int { return len(s.Problems) * len(s.Algorithms) * s.Repetitions }

// The widths of text. Lists have a line for each problem, which is longer than 80 characters.
const (
	listWidth  = 100
	thingWidth = 80
)

// sheet is a text for people, of sections that an empty line divides. Its lines have at most width characters.
type sheet struct {
	strings.Builder
	width int
}

func (s *sheet) section(head string) {
	if s.Len() > 0 {
		s.WriteString("\n")
	}
	s.WriteString(head + "\n")
}

// indented writes a text in as many lines as it needs.
func (s *sheet) indented(indent int, text string) {
	for _, line := range words.Wrap(text, s.width-indent) {
		fmt.Fprintf(s, "%*s%s\n", indent, "", line)
	}
}

// Text formats the listing for people.
func (l Listing) Text() string {
	s := sheet{width: listWidth}
	if l.Problems != nil {
		s.problems(l.Problems)
	}
	if l.Oracle != nil {
		s.section("ORACLE (the key oracle of a suite or of a problem; key = default, limits)")
		s.settings(2, l.Oracle)
	}
	if l.Algorithms != nil {
		s.section("ALGORITHMS (key = default, limits)")
	}
	for _, a := range l.Algorithms {
		learns := ""
		if a.Learns != nil {
			learns = fmt.Sprintf(" (learns from %s)", strings.Join(a.Learns, " and "))
		}
		fmt.Fprintf(&s, "  %s%s\n", a.Name, learns)
		s.settings(4, a.Settings)
	}
	if l.Suites != nil {
		s.suites(l.Suites)
	}
	if l.Papers != nil {
		s.section("PAPERS (bench reproduce --paper NAME)")
	}
	for _, p := range l.Papers {
		fmt.Fprintf(&s, "  %s\n", p.Name)
		s.indented(6, p.Title)
		s.indented(6, fmt.Sprintf("%d claims; suites %s", p.Claims, strings.Join(p.Suites, ", ")))
	}
	return s.String()
}

func (s *sheet) problems(list []Problem) {
	s.section("PROBLEMS (all are maximised; those with a minimum are negated)")
	nameWidth, boxWidth := 0, 0
	for _, p := range list {
		nameWidth = max(nameWidth, len(p.Name))
		boxWidth = max(boxWidth, len(BoxText(p.Box)))
	}
	for _, p := range list {
		fmt.Fprintf(s, "  %-*s  %2d-D  %-*s  %s\n", nameWidth, p.Name, p.Dim, boxWidth, BoxText(p.Box), p.Optimum.text())
		about := p.Title
		if p.Summary != "" {
			about += ": " + p.Summary
		}
		if p.Source != "" {
			about += ". " + p.Source
		}
		s.indented(6, about+".")
	}
}

// BoxText formats a box as "[0, 1]^3" or "[-5, 10] x [0, 15]", with at most three sides.
func BoxText(box space.Box) string { return boxText(box, 3) }

// boxText formats a box. If it has more than the given number of different sides, it has the first two.
func boxText(box space.Box, most int) string {
	var sides []string
	for i := range box.Lo {
		sides = append(sides, fmt.Sprintf("[%s, %s]", number(box.Lo[i]), number(box.Hi[i])))
	}
	d := len(sides)
	switch same := len(slices.Compact(slices.Clone(sides))) == 1; {
	case same && d > 1:
		return sides[0] + "^" + strconv.Itoa(d)
	case d > most:
		return fmt.Sprintf("%s x %s x ...", sides[0], sides[1])
	}
	return strings.Join(sides, " x ")
}

// text formats an optimum with its first point, in short.
func (o *Optimum) text() string {
	switch {
	case o == nil:
		return "each instance has its own"
	case o.Value == nil:
		return o.Sense + " unknown"
	}
	s := o.Sense + " " + number(*o.Value)
	if len(o.X) > 0 {
		s += " at " + pointText(o.X[0], mostCoordinates)
	}
	if n := len(o.X) - 1; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// mostCoordinates is how many coordinates of a point a list shows.
const mostCoordinates = 4

// pointText formats a point as "(3, 0.5)", with at most so many coordinates.
func pointText(x []float64, most int) string {
	parts := words.Each(x[:min(len(x), most)], number)
	if len(x) > most {
		parts = append(parts, "...")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// number formats v with six digits, for people.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// settings writes each key with its default as in a suite file, its limits, and what it means.
func (s *sheet) settings(indent int, settings []suite.Setting) {
	for _, one := range settings {
		line := one.Key + ":"
		if one.Default != nil {
			line = one.Key + " = " + valueText(one.Default)
		}
		switch {
		case one.Range != "" && one.Default == nil:
			line += " " + one.Range
		case one.Range != "":
			line += ", " + one.Range
		}
		fmt.Fprintf(s, "%*s%s\n", indent, "", line)
		for _, name := range slices.Sorted(maps.Keys(one.Presets)) {
			fmt.Fprintf(s, "%*spreset %s: %s\n", indent+4, "", name, valueText(one.Presets[name]))
		}
		s.indented(indent+4, one.Doc)
	}
}

// valueText formats the value of a setting as in a suite file.
func valueText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // settings are written to records as JSON
	}
	return string(text)
}

func (s *sheet) suites(list *Suites) {
	if len(list.BuiltIn) > 0 {
		s.section("SUITES (part of the program: bench run NAME)")
	}
	for _, one := range list.BuiltIn {
		s.suite(one.Name, &one)
	}
	switch {
	case len(list.BuiltIn) == 0:
		s.section(fmt.Sprintf("SUITES (files in %s)", words.Quote(list.Dir)))
	case len(list.Files) > 0:
		s.section(fmt.Sprintf("SUITES (other files in %s)", words.Quote(list.Dir)))
	default:
		s.section("bench list DIR shows the suite files of a folder.")
	}
	for _, one := range list.Files {
		s.suite(words.Quote(one.File), &one)
	}
}

// suite says what a suite runs.
func (s *sheet) suite(head string, u *Suite) {
	fmt.Fprintf(s, "  %s\n", head)
	if u.Error != "" {
		for line := range strings.Lines(u.Error) {
			fmt.Fprintf(s, "      cannot be run: %s\n", words.Cut(strings.TrimSuffix(line, "\n"), words.MaxLine))
		}
		return
	}
	if u.Title != "" {
		s.indented(6, u.Title)
	}
	s.indented(6, fmt.Sprintf("%d runs of %d steps: %s x %d repetitions of %s.", u.Cells(), u.Steps,
		strings.Join(u.Problems, ", "), u.Repetitions, strings.Join(u.methods, "; ")))
	for _, p := range u.Programs {
		fmt.Fprintf(s, "      %s is a program: %s\n", p.For, words.Cut(words.Command(p.Command), words.MaxLine))
	}
}
