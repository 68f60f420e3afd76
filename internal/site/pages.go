package site

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"popbench/internal/claims"
	"popbench/internal/inspect"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/paper"
	"popbench/internal/views/about"
	"popbench/internal/views/field"
	"popbench/internal/views/replay"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
	"popbench/suite"
)

// Summary says how many claims have which verdict.
func (s *study) Summary() string {
	n := map[judge.Verdict]int{}
	for _, c := range s.Claims {
		n[c.Is()]++
	}
	var parts []string
	for _, v := range judge.All() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v], v.Said(n[v])))
		}
	}
	return "Of " + words.Count(len(s.Claims), "claim") + " " + words.List(parts)
}

// Publication is the paper, nil if nothing else is known of it.
func (s *study) Publication() *paper.Publication { return paper.LookupPublication(s.Name) }

// Title is the title of the paper, or what is known of it.
func (s *study) Title() string {
	if of := s.Publication(); of != nil {
		return of.Title
	}
	title, _, _ := strings.Cut(s.Paper, " (results/")
	return title
}

func (b *builder) papers() error {
	for _, s := range b.known.studies {
		if claims.LookupStudy(s.Name) == nil {
			return fmt.Errorf("%s: there is no study %s", s.Folder, s.Name)
		}
		p := &Page{Path: "papers/" + s.Name + ".html", Title: s.Title(), Kind: "Papers"}
		for _, c := range s.Claims {
			p.Parts = append(p.Parts, Part{c.ID, c.ID + ": " + c.Short})
		}
		b.add(p, "paper", s)
	}
	b.add(&Page{Path: "papers/index.html", Title: "Papers", Kind: "Papers"}, "papers", b.known.studies)
	return nil
}

// standing is a method among the others of the field.
type standing struct {
	Label     string
	Page      string // of its method, from the folder of the pages of methods
	Ranks     []document.Cell
	Published string
	Step      document.Cell
}

// standings are the methods of the field by rank; with a name, only the forms of this method.
func (r *results) standings(name string) (all []standing) {
	for _, k := range r.ranks {
		of := r.methods[k.method]
		if k.oracle != r.oracles[0] || name != "" && of != name {
			continue
		}
		s := standing{Label: k.method, Page: of + ".html", Step: document.Seconds(r.stepTime(k.method))}
		for _, oracle := range r.oracles {
			cell := document.Words("")
			if i := slices.IndexFunc(r.ranks, func(o rank) bool { return o.method == k.method && o.oracle == oracle }); i >= 0 {
				o := &r.ranks[i]
				cell = document.Estimate(o.rank, stats.Interval{Lo: o.low, Hi: o.high})
			}
			s.Ranks = append(s.Ranks, cell)
		}
		if k.asPublished > 0 {
			s.Published = fmt.Sprintf("%.1f", k.asPublished)
		}
		all = append(all, s)
	}
	return all
}

// stepTime is the mean over the field's problems of the seconds that a step of a method takes.
func (r *results) stepTime(label string) float64 {
	sum, n := 0.0, 0
	for _, s := range r.scores {
		if s.method == label {
			sum, n = sum+s.stepTimes, n+1
		}
	}
	return sum / float64(max(n, 1))
}

// ranking is a table of standings.
type ranking struct {
	Oracles  []string
	Steps    int
	Problems int
	Rows     []standing
	To       string // the folder of the pages of methods
}

func (r *results) ranking(name, to string) ranking {
	return ranking{r.oracles, r.steps, r.ranks[0].problems, r.standings(name), to}
}

// method is an algorithm of the catalogue, with what the field says of it.
type method struct {
	inspect.Algorithm
	Paper   *paper.Publication
	Ranking ranking
}

func (b *builder) methods() {
	var all []*method
	for _, of := range b.listing.Algorithms {
		name := of.Name
		m := &method{Algorithm: of, Ranking: b.known.ranking(name, "")}
		m.Title, m.About, m.Paper = about.Method(name)
		m.Title, m.About = cmp.Or(m.Title, name), cmp.Or(m.About, "A method of package "+name+".")
		all = append(all, m)
		p := &Page{Path: "methods/" + name + ".html", Title: m.Title, Kind: "Methods"}
		for _, row := range m.Ranking.Rows {
			if strings.TrimSuffix(row.Label, field.TunedSuffix) != m.Title {
				p.Parts = append(p.Parts, Part{"field", row.Label})
			}
		}
		b.add(p, "method", m)
	}
	b.add(&Page{Path: "methods/index.html", Title: "Methods", Kind: "Methods"}, "methods", all)
}

// problem is one of the catalogue, with a picture and what the field says of it.
type problem struct {
	inspect.Problem
	BoxText string
	Points  []string
	Picture template.HTML
	Shows   string
	Fields  []scored
	Arms    int
}

// scored is how methods did on a problem of the field.
type scored struct {
	Label string
	Rows  []scoreRow
}

type scoreRow struct {
	Label, Page string
	Value       document.Cell
}

// shownScores is how many methods the page of a problem lists.
const shownScores = 5

func (r *results) scoresOn(name string) (all []scored) {
	of := map[string][]score{}
	for _, s := range r.scores {
		if r.named[s.problem] == name && s.ranked {
			of[s.problem] = append(of[s.problem], s)
		}
	}
	for _, label := range r.problems {
		if of[label] == nil {
			continue
		}
		slices.SortStableFunc(of[label], func(p, q score) int { return cmp.Compare(p.mean, q.mean) })
		one := scored{Label: label}
		for i, s := range of[label] {
			if i < shownScores || s.method == "Random" {
				one.Rows = append(one.Rows, scoreRow{s.method, r.methods[s.method] + ".html", document.Pair(s.mean, s.std)})
			}
		}
		all = append(all, one)
	}
	return all
}

func (b *builder) problems() error {
	var all []*problem
	for _, of := range b.listing.Problems {
		name := of.Name
		spec, err := b.catalogue.Problem(name)
		if err != nil {
			return err
		}
		p := &problem{Problem: of, BoxText: inspect.BoxText(spec.Box), Fields: b.known.scoresOn(name)}
		if spec.Arms != nil {
			p.Arms = spec.Arms.Len()
		}
		if p.Optimum != nil {
			for _, x := range p.Optimum.X {
				p.Points = append(p.Points, strings.Trim(strings.ReplaceAll(fmt.Sprintf("%.6g", x), " ", ", "), "[]"))
			}
		}
		if p.Picture, p.Shows, err = picture(spec); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, p)
		b.add(&Page{Path: "problems/" + name + ".html", Title: p.Title, Kind: "Problems"}, "problem", p)
	}
	b.add(&Page{Path: "problems/index.html", Title: "Problems", Kind: "Problems"}, "problems", all)
	return nil
}

// points of a picture along a coordinate.
const points = 101

// picture draws a problem on a box: in more than two dimensions the plane of the first two coordinates through the optimum,
// and nothing if the optimum is unknown. Of a drawn function it shows the draw of the first repetition with seed 1.
func picture(spec *problems.Spec) (template.HTML, string, error) {
	if spec.Arms != nil {
		return "", "", nil
	}
	p, err := suite.Instance(spec, problems.Raw, 1, 0)
	if err != nil {
		return "", "", err
	}
	d := p.Box.Dim()
	at := make([]float64, d)
	shows := ""
	if spec.Optimum == nil {
		shows = "The function of seed 1, repetition 0. "
	}
	if d > 2 {
		if len(p.Optimum.X) == 0 {
			return "", "", nil
		}
		copy(at, p.Optimum.X[0])
		shows += "The first two coordinates; the others are those of the optimum. "
	}
	shown := min(d, 2)
	plane := space.Box{Lo: p.Box.Lo[:shown], Hi: p.Box.Hi[:shown]}
	g := &record.Grid{Header: record.GridHeader{GridProblem: record.GridProblem{Lo: plane.Lo, Hi: plane.Hi}, Shape: slices.Repeat([]int{points}, shown)}}
	for row := range slices.Chunk(plane.Grid(points), points*shown) {
		var values []float64
		for x := range slices.Chunk(row, shown) {
			copy(at, x)
			f, err := p.EvaluateRaw(context.Background(), at)
			if err != nil {
				return "", "", err
			}
			values = append(values, p.Scaled(f)) // which is maximised
		}
		g.Values = append(g.Values, values)
	}
	drawn, legend := replay.Ground(g, spec.Title)
	return drawn, shows + legend, nil
}

// question is what a visitor may ask, with the page that answers it.
type question struct{ Text, Href, Answer string }

var questions = []question{
	{"Which method first?", fieldPage, "The field: ranks with intervals"},
	{"Is one better than another, and how sure is that?", fieldPage + "#pairs", "The field: all pairs"},
	{"What does a claim say, and why does it not hold?", "papers/popbo-2024.html", "The claims of POP-BO’s paper"},
	{"What does a step cost?", fieldPage + "#cost", "The field: cost"},
	{"How do I enter my method?", "docs/field.html#your-method-among-them", "Your method in the field"},
	{"How are the numbers made?", "docs/method.html", "The method"},
}

// intro is the part of the README that says what the project is, and what came out.
var intro = regexp.MustCompile(`(?s)^# [^\n]*\n\n(.*?)\n\n!\[.*?-->\n\n(.*?)\n\nAverage rank`)

// badges of a published README, below its title.
var badges = regexp.MustCompile(`^(# [^\n]*\n\n)(?:\[!\[[^\n]*\n)+\n`)

func withoutBadges(readme []byte) []byte { return badges.ReplaceAll(readme, []byte("$1")) }

// home makes the first page, from the README's first words and the numbers of the tree.
func (b *builder) home() error {
	text, err := fs.ReadFile(b.tree, "README.md")
	if err != nil {
		return err
	}
	m := intro.FindSubmatch(withoutBadges(text))
	if m == nil {
		return fmt.Errorf("README.md does not begin as it has to")
	}
	first, err := b.fragment("README.md", m[1])
	if err != nil {
		return err
	}
	came, err := b.fragment("README.md", m[2])
	if err != nil {
		return err
	}
	b.add(&Page{Path: "index.html", Title: "popbench"}, "home", struct {
		Intro, Claims template.HTML
		Questions     []question
		Ranking       ranking
		Studies       []*study
	}{first, came, questions, b.known.ranking("", "methods/"), b.known.studies})
	return nil
}
