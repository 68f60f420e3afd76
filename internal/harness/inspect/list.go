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
	"popbench/internal/printable"
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
	*ProblemDetails
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
	*AlgorithmDetails
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

	uses    uses
	own     bool     // a file of the user
	methods []string // labels; an algorithm with variants has one entry

	builtIn bool // a file that is part of the program
}

// uses has the names of problems and algorithms in a suite, each once.
type uses struct{ problems, algorithms []string }

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
			l.Problems, err = listProblems(cat)
		case Oracle:
			l.Oracle = suite.DescribeOracle()
		case Algorithms:
			for _, name := range cat.Algorithms() {
				l.Algorithms = append(l.Algorithms, listAlgorithm(cat, name))
			}
		case SuiteFiles:
			l.Suites, err = listSuites(cat)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

func listAlgorithm(cat suite.Catalogue, name string) Algorithm {
	return Algorithm{Name: name, Learns: learns(cat, name), Settings: suite.Describe(cat.Settings(name))}
}

// learns returns what the algorithm learns from; nil if the algorithm is an added one that cannot be built to find out.
func learns(cat suite.Catalogue, name string) []string {
	can, err := cat.Abilities(name)
	switch {
	case err != nil:
		return nil
	case can.Values:
		return []string{"values"}
	case can.Ties:
		return []string{"winners", "ties"}
	}
	return []string{"winners"}
}

func listProblems(cat suite.Catalogue) ([]Problem, error) {
	var list []Problem
	for _, name := range cat.Problems() {
		s, err := cat.Problem(name)
		if err != nil {
			return nil, err
		}
		p, err := listProblem(s)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(a.Dim, b.Dim) })
	return list, nil
}

func listProblem(s *problems.Spec) (Problem, error) {
	p := Problem{Name: s.Name, Title: s.Title, Summary: s.Summary, Dim: s.Box.Dim(), Box: s.Box, Source: s.Source}
	if s.Optimum == nil {
		return p, nil
	}
	instance, err := s.Instance(problems.Raw, nil)
	if err != nil {
		return p, err
	}
	p.Optimum = &Optimum{Sense: sense(instance), X: s.Optimum.X, How: s.Optimum.How}
	if !s.Optimum.Unknown {
		p.Optimum.Value = &s.Optimum.Value
	}
	return p, nil
}

// sense says whether the problem's source minimises or maximises it. Scaled values are
// always maximised.
func sense(p *problems.Problem) string {
	if p.Factor < 0 {
		return "minimum"
	}
	return "maximum"
}

// listSuites lists the built-in suites, and the suite files in configsDir that are not built in.
func listSuites(cat suite.Catalogue) (*Suites, error) {
	list := &Suites{BuiltIn: BuiltIn(cat), Dir: configsDir, Files: []Suite{}}
	files, err := suiteFiles(cat, configsDir)
	for _, s := range files {
		if !s.builtIn {
			list.Files = append(list.Files, s)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil // bench may be started in any folder
	}
	return list, err
}

// suiteFiles lists the suite files in a folder and its folders. A file that cannot run is listed with the reason.
func suiteFiles(cat suite.Catalogue, dir string) (files []Suite, err error) {
	files = []Suite{}
	own := configs.Suites()
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		text, err := strict.ReadFile(path)
		if err != nil {
			files = append(files, Suite{File: path, Error: err.Error()})
			return nil
		}
		s := listSuite(cat, path, text)
		s.builtIn = slices.ContainsFunc(own, func(s configs.Suite) bool { return bytes.Equal(s.Text, text) })
		files = append(files, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list: suites: %w", err)
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

// listSuite summarises a suite file.
func listSuite(cat suite.Catalogue, path string, text []byte) Suite {
	listed := Suite{File: path}
	s, err := suite.Parse(path, text, cat)
	if err != nil {
		listed.Error = err.Error()
		return listed
	}
	listed.Name, listed.Title, listed.Repetitions, listed.Steps = s.Name, s.Title, s.Repetitions, s.Steps
	for _, p := range s.Problems {
		listed.Problems = append(listed.Problems, p.ID())
		listed.uses.problems = words.Include(listed.uses.problems, p.Name)
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
		listed.uses.algorithms = words.Include(listed.uses.algorithms, a.Name)
		if a.External() {
			listed.Programs = append(listed.Programs, Program{a.Label, a.Command})
		}
	}
	return listed
}

// Cells returns the number of runs of the suite.
func (s *Suite) Cells() int { return len(s.Problems) * len(s.Algorithms) * s.Repetitions }

// The widths of text. Lists have a line for each problem, which is longer than 80 characters.
const (
	listWidth  = 100
	thingWidth = 80
)

// Text formats the listing for people.
func (l Listing) Text() string {
	var parts []string
	if l.Problems != nil {
		parts = append(parts, problemsText(l.Problems))
	}
	if l.Oracle != nil {
		var b strings.Builder
		b.WriteString("ORACLE (the key oracle of a suite or of a problem; key = default, limits)\n")
		writeSettings(&b, l.Oracle, 2, listWidth)
		parts = append(parts, b.String())
	}
	if l.Algorithms != nil {
		parts = append(parts, algorithmsText(l.Algorithms))
	}
	if l.Suites != nil {
		parts = append(parts, suitesText(*l.Suites))
	}
	if l.Papers != nil {
		parts = append(parts, papersText(l.Papers))
	}
	return strings.Join(parts, "\n")
}

func problemsText(list []Problem) string {
	var b strings.Builder
	b.WriteString("PROBLEMS (all are maximised; those with a minimum are negated)\n")
	nameWidth, boxWidth := 0, 0
	for _, p := range list {
		nameWidth = max(nameWidth, len(p.Name))
		boxWidth = max(boxWidth, len(BoxText(p.Box)))
	}
	for _, p := range list {
		optimum := "each instance has its own"
		if p.Optimum != nil {
			optimum = p.Optimum.text()
		}
		fmt.Fprintf(&b, "  %-*s  %2d-D  %-*s  %s\n", nameWidth, p.Name, p.Dim, boxWidth, BoxText(p.Box), optimum)
		writeIndented(&b, p.about(), 6, listWidth)
	}
	return b.String()
}

// about returns the problem's title, what makes it hard, and its source.
func (p Problem) about() string {
	text := p.Title
	if p.Summary != "" {
		text += ": " + p.Summary
	}
	if p.Source != "" {
		text += ". " + p.Source
	}
	return text + "."
}

func writeIndented(b *strings.Builder, text string, indent, width int) {
	for _, line := range printable.Wrap(text, width-indent) {
		fmt.Fprintf(b, "%*s%s\n", indent, "", line)
	}
}

// BoxText formats a box as "[0, 1]^3" or "[-5, 10] x [0, 15]", with at most three sides.
func BoxText(box space.Box) string {
	side := func(i int) string { return fmt.Sprintf("[%s, %s]", number(box.Lo[i]), number(box.Hi[i])) }
	d := box.Dim()
	same := true
	sides := make([]string, d)
	for i := range sides {
		sides[i] = side(i)
		same = same && sides[i] == sides[0]
	}
	switch {
	case d == 1:
		return sides[0]
	case same:
		return sides[0] + "^" + strconv.Itoa(d)
	case d > 3:
		return fmt.Sprintf("%s x %s x ...", sides[0], sides[1])
	}
	return strings.Join(sides, " x ")
}

func (o Optimum) text() string {
	if o.Value == nil {
		return o.Sense + " unknown"
	}
	s := o.Sense + " " + number(*o.Value)
	if len(o.X) > 0 {
		s += " at " + pointText(o.X[0])
	}
	if n := len(o.X) - 1; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// pointText formats a point as "(3, 0.5)", with at most four coordinates.
func pointText(x []float64) string {
	const most = 4
	var parts []string
	for _, v := range x[:min(len(x), most)] {
		parts = append(parts, number(v))
	}
	if len(x) > most {
		parts = append(parts, "...")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// number formats v with six digits, for people.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func algorithmsText(list []Algorithm) string {
	var b strings.Builder
	b.WriteString("ALGORITHMS (key = default, limits)\n")
	for _, a := range list {
		fmt.Fprintf(&b, "  %s", a.Name)
		if a.Learns != nil {
			fmt.Fprintf(&b, " (learns from %s)", strings.Join(a.Learns, " and "))
		}
		b.WriteString("\n")
		writeSettings(&b, a.Settings, 4, listWidth)
	}
	return b.String()
}

// writeSettings writes a line for each key, and what it means.
func writeSettings(b *strings.Builder, settings []suite.Setting, indent, width int) {
	for _, s := range settings {
		line := settingText(s)
		switch {
		case s.Range != "" && s.Default == nil:
			line += " " + s.Range
		case s.Range != "":
			line += ", " + s.Range
		}
		fmt.Fprintf(b, "%*s%s\n", indent, "", line)
		for _, name := range slices.Sorted(maps.Keys(s.Presets)) {
			fmt.Fprintf(b, "%*spreset %s: %s\n", indent+4, "", name, valueText(s.Presets[name]))
		}
		writeIndented(b, s.Doc, indent+4, width)
	}
}

// settingText formats a key with its default as in a suite file.
func settingText(s suite.Setting) string {
	if s.Default == nil {
		return s.Key + ":"
	}
	return s.Key + " = " + valueText(s.Default)
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

func suitesText(list Suites) string {
	var b strings.Builder
	if len(list.BuiltIn) > 0 {
		b.WriteString("SUITES (part of the program: bench run NAME)\n")
	}
	for _, s := range list.BuiltIn {
		fmt.Fprintf(&b, "  %s\n", s.Name)
		s.write(&b, 6, listWidth)
	}
	switch {
	case len(list.BuiltIn) == 0:
		fmt.Fprintf(&b, "SUITES (files in %s)\n", printable.Quote(list.Dir))
	case len(list.Files) > 0:
		fmt.Fprintf(&b, "\nSUITES (other files in %s)\n", printable.Quote(list.Dir))
	default:
		b.WriteString("\nbench list DIR shows the suite files of a folder.\n")
	}
	for _, s := range list.Files {
		fmt.Fprintf(&b, "  %s\n", printable.Quote(s.File))
		s.write(&b, 6, listWidth)
	}
	return b.String()
}

// write says what the suite runs.
func (s *Suite) write(b *strings.Builder, indent, width int) {
	if s.Error != "" {
		for line := range strings.Lines(s.Error) {
			fmt.Fprintf(b, "%*scannot be run: %s\n", indent, "", printable.Cut(strings.TrimSuffix(line, "\n"), printable.MaxLine))
		}
		return
	}
	if s.Title != "" {
		writeIndented(b, s.Title, indent, width)
	}
	writeIndented(b, fmt.Sprintf("%d runs of %d steps: %s x %d repetitions of %s.", s.Cells(), s.Steps,
		strings.Join(s.Problems, ", "), s.Repetitions, strings.Join(s.methods, "; ")), indent, width)
	for _, p := range s.Programs {
		fmt.Fprintf(b, "%*s%s is a program: %s\n", indent, "", p.For, printable.Cut(printable.Command(p.Command), printable.MaxLine))
	}
}

// AlgorithmDetails is what a listing adds if it shows an algorithm whole.
type AlgorithmDetails struct {
	Title  string   `json:"title,omitempty"`
	About  string   `json:"about,omitempty"` // what it does, in a sentence that begins with the title
	Paper  string   `json:"paper,omitempty"` // citation
	Can    []string `json:"can"`             // what it can do besides
	UsedBy []string `json:"used_by,omitempty"`
}

// Paper is a paper whose experiments are built in.
type Paper struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"` // citation
	Claims int      `json:"claims"`
	Suites []string `json:"suites"` // names
}

// ProblemDetails is what a listing adds if it shows a problem whole.
type ProblemDetails struct {
	Scales []problems.Scale `json:"scales"`
	UsedBy []string         `json:"used_by,omitempty"` // names of built-in suites
	Code   string           `json:"code,omitempty"`    // where its Go function stands, file:line; "" if one is drawn for each repetition
}

func papersText(list []Paper) string {
	var b strings.Builder
	b.WriteString("PAPERS (bench reproduce --paper NAME)\n")
	for _, p := range list {
		fmt.Fprintf(&b, "  %s\n", p.Name)
		writeIndented(&b, p.Title, 6, listWidth)
		writeIndented(&b, fmt.Sprintf("%d claims; suites %s", p.Claims, strings.Join(p.Suites, ", ")), 6, listWidth)
	}
	return b.String()
}
