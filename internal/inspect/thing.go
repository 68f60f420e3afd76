package inspect

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"popbench/configs"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/suite"
)

// Folder returns the suites of the files in a folder of the user and its folders.
func Folder(cat suite.Catalogue, dir string) (Listing, error) {
	files, err := suiteFiles(cat, dir, nil)
	return Listing{Suites: &Suites{BuiltIn: []Suite{}, Dir: dir, Files: files}}, err
}

// File returns the suite of a file of the user.
func File(cat suite.Catalogue, path string, text []byte) (Listing, error) {
	if _, err := suite.Parse(path, text, cat); err != nil {
		return Listing{}, err
	}
	return Listing{Suites: &Suites{BuiltIn: []Suite{}, Dir: filepath.Dir(path), Files: []Suite{listSuite(cat, path, text)}}}, nil
}

// Find returns every problem, algorithm, suite and paper with a name, of one part or, if part is "", of all.
func Find(cat suite.Catalogue, part, name string, papers []Paper) (Listing, error) {
	var l Listing
	in := func(p string) bool { return part == "" || part == p }
	own := BuiltIn(cat)
	known := map[string][]string{Problems: cat.Problems(), Algorithms: cat.Algorithms()}
	if in(Problems) && slices.Contains(known[Problems], name) {
		l.Problems = []Problem{wholeProblem(cat, name, own)}
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
		return l, fmt.Errorf("unknown %s %q; %s", kind, words.Cut(name, 40), words.Hint(name, names, "bench list shows what there is"))
	}
	return l, nil
}

// All returns every problem and algorithm of a catalogue whole.
func All(cat suite.Catalogue) Listing {
	own := BuiltIn(cat)
	return Listing{
		Problems:   words.Each(cat.Problems(), func(name string) Problem { return wholeProblem(cat, name, own) }),
		Algorithms: words.Each(cat.Algorithms(), func(name string) Algorithm { return wholeAlgorithm(cat, name, own) }),
	}
}

func wholeProblem(cat suite.Catalogue, name string, own []Suite) Problem {
	spec, _ := cat.Problem(name) // it has one of this name
	p := listProblem(cat, name)
	p.Code, p.UsedBy = code(spec), usedBy(own, Problems, name)
	p.Scales = words.Only(problems.Scales(), func(scale problems.Scale) bool { return spec.CheckScale(scale) == nil })
	return p
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

func usedBy(own []Suite, part, name string) []string {
	return words.Each(words.Only(own, func(s Suite) bool { return slices.Contains(s.uses[part], name) }), Suite.name)
}

func wholeAlgorithm(cat suite.Catalogue, name string, own []Suite) Algorithm {
	a := listAlgorithm(cat, name)
	a.Can, a.UsedBy = []string{}, usedBy(own, Algorithms, name)
	can, _ := cat.Abilities(name) // none of an added algorithm that cannot be built to find out
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
	s := sheet{width: thingWidth}
	for _, p := range l.Problems {
		s.wholeProblem(&p)
	}
	for _, a := range l.Algorithms {
		s.wholeAlgorithm(&a)
	}
	if l.Suites != nil {
		for _, u := range l.Suites.BuiltIn {
			s.wholeSuite(&u, u.Name)
		}
		for _, u := range l.Suites.Files {
			s.wholeSuite(&u, u.File)
		}
	}
	for _, p := range l.Papers {
		s.head("PAPER", p.Name, p.Title)
		s.row("claims", fmt.Sprint(p.Claims))
		s.row("suites", strings.Join(p.Suites, ", "))
		s.WriteString("\n")
		s.command("bench reproduce"+paperFlag(p.Name), "run them and check the claims")
	}
	return s.String()
}

const keyWidth = 12

func (s *sheet) head(kind, name, title string) {
	s.section(kind + " " + name)
	s.row("title", title)
}

// row writes a key and what it is, unless that is "".
func (s *sheet) row(key, text string) {
	if text == "" {
		return
	}
	for _, line := range words.Wrap(text, s.width-keyWidth-2) {
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

func (s *sheet) wholeProblem(p *Problem) {
	s.head("PROBLEM", p.Name, p.Title)
	s.row("what", p.Summary)
	s.row("dimension", fmt.Sprint(p.Dim))
	s.row("box", boxText(p.Box, p.Dim))
	optimum, how := p.Optimum.text(), ""
	if o := p.Optimum; o != nil {
		how = o.How
		if len(o.X) > 0 {
			points := words.Each(o.X, func(x []float64) string { return pointText(x, len(x)) })
			optimum = fmt.Sprintf("%s %s at %s", o.Sense, number(*o.Value), strings.Join(points, ", "))
		}
	}
	s.row("optimum", optimum)
	s.row("known by", how)
	s.row("source", p.Source)
	s.row("scales", strings.Join(scaleNames(p.Scales), ", "))
	s.row("suites", strings.Join(p.UsedBy, ", "))
	s.row("formula", words.Quote(p.Code))
	s.WriteString("\n")
	command := "bench eval " + p.Name
	for i := range min(3, p.Dim) {
		command += " " + number((p.Box.Lo[i]+p.Box.Hi[i])/2)
	}
	if p.Dim > 3 {
		command += " ..."
	}
	s.command(command, "its value at a point")
	s.command("problems: ["+p.Name+"]", "in a suite")
}

func (s *sheet) wholeAlgorithm(a *Algorithm) {
	s.head("ALGORITHM", a.Name, a.Title)
	s.row("what", a.About)
	s.row("paper", a.Paper)
	s.row("learns from", strings.Join(a.Learns, " and "))
	s.row("can also", strings.Join(a.Can, ", "))
	s.row("suites", strings.Join(a.UsedBy, ", "))
	if len(a.Settings) == 0 {
		s.row("settings", "none")
	} else {
		s.row("settings", "key = default, limits")
		s.settings(4, a.Settings)
	}
	s.WriteString("\n")
	s.command("algorithms: ["+a.Name+"]", "in a suite")
	s.command("bench serve "+a.Name, "for a program in another language")
}

// wholeSuite writes a suite that bench run knows by a name or a file.
func (s *sheet) wholeSuite(u *Suite, by string) {
	s.head("SUITE", u.Name, u.Title)
	if u.Paper != "" {
		s.row("paper", u.Paper+": "+u.Citation)
	}
	s.row("problems", strings.Join(u.Problems, ", "))
	s.row("algorithms", strings.Join(u.methods, "; "))
	s.row("cells", fmt.Sprintf("%d: %s on %s, %d repetitions of %d steps",
		u.Cells(), words.Count(len(u.Algorithms), "algorithm"), words.Count(len(u.Problems), "problem"), u.Repetitions, u.Steps))
	for _, p := range u.Programs {
		s.row("program", fmt.Sprintf("%s: %s", p.For, words.Cut(words.Command(p.Command), words.MaxLine)))
	}
	s.row("cost", u.Cost)
	s.row("file", words.Quote(u.File))
	s.WriteString("\n")
	s.command("bench run "+words.ShellQuote(by), "run it")
	s.command("bench report results/"+u.Name, "make tables and figures")
	if by == u.Name {
		s.command("bench list "+u.Name+" --text", "print its file, with comments")
	}
	if u.Paper != "" {
		s.command("bench reproduce --only "+u.Name+paperFlag(u.Paper), "check the claims about it")
	}
}

// paperFlag is the flag of bench reproduce that selects a paper; it is not needed for the first of all suites' papers.
func paperFlag(paper string) string {
	if paper == configs.Paper()[0].Paper {
		return ""
	}
	return " --paper " + paper
}
