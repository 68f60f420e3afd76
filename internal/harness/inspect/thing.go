package inspect

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/nearest"
	"popbench/internal/printable"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/space"
	"popbench/suite"
)

// Folder returns the suites of the files in a folder of the user and its folders.
func Folder(cat suite.Catalogue, dir string) (Listing, error) {
	files, err := suiteFiles(cat, dir)
	return Listing{Suites: &Suites{BuiltIn: []Suite{}, Dir: dir, Files: files}}, err
}

// File returns the suite of a file of the user.
func File(cat suite.Catalogue, path string, text []byte) (Listing, error) {
	if _, err := suite.Parse(path, text, cat); err != nil {
		return Listing{}, err
	}
	s := listSuite(cat, path, text)
	s.own = true
	return Listing{Suites: &Suites{BuiltIn: []Suite{}, Dir: filepath.Dir(path), Files: []Suite{s}}}, nil
}

// Find returns every problem, algorithm, suite and paper with a name, of one part or, if part is "", of all.
func Find(cat suite.Catalogue, part, name string, papers []Paper) (Listing, error) {
	var l Listing
	in := func(p string) bool { return part == "" || part == p }
	own := BuiltIn(cat)
	known := map[string][]string{Problems: cat.Problems(), Algorithms: cat.Algorithms()}
	if in(Problems) && slices.Contains(known[Problems], name) {
		p, err := wholeProblem(cat, name, own)
		if err != nil {
			return l, err
		}
		l.Problems = []Problem{p}
	}
	if in(Algorithms) && slices.Contains(known[Algorithms], name) {
		l.Algorithms = []Algorithm{wholeAlgorithm(cat, name, own)}
	}
	for _, s := range own {
		known[SuiteFiles] = append(known[SuiteFiles], s.Name)
		if in(SuiteFiles) && s.Name == name {
			if i := slices.IndexFunc(papers, func(p Paper) bool { return p.Name == s.Paper }); i >= 0 {
				s.Citation = papers[i].Title
			}
			l.Suites = &Suites{BuiltIn: []Suite{s}, Files: []Suite{}}
		}
	}
	for _, p := range papers {
		known[Papers] = append(known[Papers], p.Name)
		if in(Papers) && p.Name == name {
			l.Papers = []Paper{p}
		}
	}
	if l.Problems == nil && l.Algorithms == nil && l.Suites == nil && l.Papers == nil {
		var names []string
		kind := "name"
		for _, p := range Parts {
			if in(p) {
				names = append(names, known[p]...)
			}
		}
		if part != "" {
			kind = strings.TrimSuffix(part, "s")
		} else {
			names = append(names, Parts...)
		}
		return l, fmt.Errorf("unknown %s %q; %s", kind, printable.Cut(name, 40), nearest.Hint(name, names, "bench list shows what there is"))
	}
	return l, nil
}

// All returns every problem and algorithm of a catalogue whole.
func All(cat suite.Catalogue) (l Listing, err error) {
	own := BuiltIn(cat)
	for _, name := range cat.Problems() {
		p, err := wholeProblem(cat, name, own)
		if err != nil {
			return l, err
		}
		l.Problems = append(l.Problems, p)
	}
	for _, name := range cat.Algorithms() {
		l.Algorithms = append(l.Algorithms, wholeAlgorithm(cat, name, own))
	}
	return l, nil
}

func wholeProblem(cat suite.Catalogue, name string, own []Suite) (Problem, error) {
	spec, err := cat.Problem(name)
	if err != nil {
		return Problem{}, err
	}
	p, err := listProblem(spec)
	if err != nil {
		return p, err
	}
	p.ProblemDetails = &ProblemDetails{Code: code(spec), UsedBy: usedBy(own, func(u uses) []string { return u.problems }, name)}
	for _, scale := range problems.Scales() {
		if spec.CheckScale(scale) == nil {
			p.Scales = append(p.Scales, scale)
		}
	}
	return p, nil
}

// code returns where the Go function that evaluates a problem stands: a path in the repository if it is one of package
// problems, else in the file system of whoever compiled the program.
func code(spec *problems.Spec) string {
	function, file, line := spec.Code()
	if function == "" {
		return ""
	}
	file = strings.ReplaceAll(file, `\`, "/")
	if strings.HasPrefix(function, reflect.TypeFor[problems.Spec]().PkgPath()+".") {
		file = "problems/" + path.Base(file)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// usedBy returns the suites that use a problem or an algorithm of a name.
func usedBy(own []Suite, of func(uses) []string, name string) (suites []string) {
	for _, s := range own {
		if slices.Contains(of(s.uses), name) {
			suites = append(suites, s.Name)
		}
	}
	return suites
}

func wholeAlgorithm(cat suite.Catalogue, name string, own []Suite) Algorithm {
	a := listAlgorithm(cat, name)
	a.AlgorithmDetails = &AlgorithmDetails{Can: []string{}, UsedBy: usedBy(own, func(u uses) []string { return u.algorithms }, name)}
	can, err := cat.Abilities(name)
	if err != nil {
		return a // an added algorithm that cannot be built to find out
	}
	for _, ability := range []struct {
		has  bool
		text string
	}{
		{can.Arms, "search finite sets of arms"},
		{can.Belief, "estimate f with an interval"},
		{can.State, "be saved and continued"},
	} {
		if ability.has {
			a.Can = append(a.Can, ability.text)
		}
	}
	return a
}

// Whole formats things for people, each with all that there is to say of it.
func (l Listing) Whole() string {
	var parts []string
	for _, p := range l.Problems {
		parts = append(parts, p.whole())
	}
	for _, a := range l.Algorithms {
		parts = append(parts, a.whole())
	}
	if l.Suites != nil {
		for _, s := range slices.Concat(l.Suites.BuiltIn, l.Suites.Files) {
			parts = append(parts, s.whole())
		}
	}
	for _, p := range l.Papers {
		parts = append(parts, p.whole())
	}
	return strings.Join(parts, "\n")
}

// sheet is the text of one thing: rows of a key and what it is.
type sheet struct{ strings.Builder }

const keyWidth = 12

func (s *sheet) head(kind, name, title string) {
	fmt.Fprintf(s, "%s %s\n", strings.ToUpper(kind), name)
	s.row("title", title)
}

func (s *sheet) row(key, text string) {
	if text == "" {
		return
	}
	for _, line := range printable.Wrap(text, thingWidth-keyWidth-2) {
		fmt.Fprintf(s, "  %-*s%s\n", keyWidth, key, line)
		key = ""
	}
}

// command writes a command and what it does.
func (s *sheet) command(command, does string) {
	const width = 44
	if len(command) > width {
		fmt.Fprintf(s, "  %s\n", command)
		command = ""
	}
	fmt.Fprintf(s, "  %-*s  %s\n", width, command, does)
}

func (p Problem) whole() string {
	var s sheet
	s.head("problem", p.Name, p.Title)
	s.row("what", p.Summary)
	s.row("dimension", fmt.Sprint(p.Dim))
	s.row("box", wholeBox(p.Box))
	if o := p.Optimum; o == nil {
		s.row("optimum", "each instance has its own")
	} else {
		s.row("optimum", o.whole())
		s.row("known by", o.How)
	}
	s.row("source", p.Source)
	var scales []string
	for _, scale := range p.Scales {
		scales = append(scales, string(scale))
	}
	s.row("scales", strings.Join(scales, ", "))
	s.row("suites", strings.Join(p.UsedBy, ", "))
	s.row("formula", printable.Quote(p.Code))
	s.WriteString("\n")
	var centre []string
	for i := range p.Dim {
		centre = append(centre, number((p.Box.Lo[i]+p.Box.Hi[i])/2))
	}
	command := "bench eval " + p.Name + " " + strings.Join(centre[:min(3, p.Dim)], " ")
	if p.Dim > 3 {
		command += " ..."
	}
	s.command(command, "its value at a point")
	s.command("problems: ["+p.Name+"]", "in a suite")
	return s.String()
}

// wholeBox writes a box with all its sides.
func wholeBox(box space.Box) string {
	if text := BoxText(box); !strings.HasSuffix(text, "...") {
		return text
	}
	var sides []string
	for i := range box.Lo {
		sides = append(sides, fmt.Sprintf("[%s, %s]", number(box.Lo[i]), number(box.Hi[i])))
	}
	return strings.Join(sides, " x ")
}

// whole writes an optimum with all its points.
func (o Optimum) whole() string {
	if len(o.X) == 0 {
		return o.text()
	}
	var points []string
	for _, x := range o.X {
		var parts []string
		for _, v := range x {
			parts = append(parts, number(v))
		}
		points = append(points, "("+strings.Join(parts, ", ")+")")
	}
	return fmt.Sprintf("%s %s at %s", o.Sense, number(*o.Value), strings.Join(points, ", "))
}

func (a Algorithm) whole() string {
	var s sheet
	s.head("algorithm", a.Name, a.Title)
	s.row("what", a.About)
	s.row("paper", a.Paper)
	s.row("learns from", strings.Join(a.Learns, " and "))
	s.row("can also", strings.Join(a.Can, ", "))
	s.row("suites", strings.Join(a.UsedBy, ", "))
	if len(a.Settings) == 0 {
		s.row("settings", "none")
	} else {
		s.row("settings", "key = default, limits")
		writeSettings(&s.Builder, a.Settings, 4, thingWidth)
	}
	s.WriteString("\n")
	s.command("algorithms: ["+a.Name+"]", "in a suite")
	s.command("bench serve "+a.Name, "for a program in another language")
	return s.String()
}

func (u *Suite) whole() string {
	var s sheet
	s.head("suite", u.Name, u.Title)
	if u.Paper != "" {
		s.row("paper", u.Paper+": "+u.Citation)
	}
	s.row("problems", strings.Join(u.Problems, ", "))
	s.row("algorithms", strings.Join(u.methods, "; "))
	s.row("cells", fmt.Sprintf("%d: %s on %s, %d repetitions of %d steps",
		u.Cells(), words.Count(len(u.Algorithms), "algorithm"), words.Count(len(u.Problems), "problem"), u.Repetitions, u.Steps))
	for _, p := range u.Programs {
		s.row("program", fmt.Sprintf("%s: %s", p.For, printable.Cut(printable.Command(p.Command), printable.MaxLine)))
	}
	s.row("cost", u.Cost)
	s.row("file", printable.Quote(u.File))
	s.WriteString("\n")
	if u.own {
		s.command("bench run "+printable.ShellQuote(u.File), "run it")
	} else {
		s.command("bench run "+u.Name, "run it")
	}
	s.command("bench report results/"+u.Name, "make tables and figures")
	if !u.own {
		s.command("bench list "+u.Name+" --text", "print its file, with comments")
	}
	if u.Paper != "" {
		s.command("bench reproduce --only "+u.Name+paperFlag(u.Paper), "check the claims about it")
	}
	return s.String()
}

// paperFlag is the flag of bench reproduce that selects a paper; it is not needed for the first of all suites' papers.
func paperFlag(paper string) string {
	if paper == configs.Paper()[0].Paper {
		return ""
	}
	return " --paper " + paper
}

func (p Paper) whole() string {
	var s sheet
	s.head("paper", p.Name, p.Title)
	s.row("claims", fmt.Sprint(p.Claims))
	s.row("suites", strings.Join(p.Suites, ", "))
	s.WriteString("\n")
	s.command("bench reproduce"+paperFlag(p.Name), "run them and check the claims")
	return s.String()
}
