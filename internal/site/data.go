package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"popbench/configs"
	"popbench/internal/page/document"
	"popbench/internal/views/verify"
	"popbench/suite"
)

// fieldPage is the page of the field, in the tree and in the site.
const fieldPage = "results/field/index.html"

// results are what the tree has of the field and of papers.
type results struct {
	ranks    []rank
	scores   []score
	studies  []*study
	methods  map[string]string // of the field's labels: the name of the method
	problems []string          // labels of the field's
	named    map[string]string // of these: the name in the catalogue
	oracles  []string          // of the ranks, in their order
	steps    int               // the last horizon
}

// rank is a line of ranks.csv, of the last horizon.
type rank struct {
	oracle, method               string
	steps, problems              int
	rank, low, high, asPublished float64
}

// score is a line of table.csv for the suboptimality after the last step.
type score struct {
	problem, method      string
	ranked               bool
	mean, std, stepTimes float64
}

// study is a paper with its verdicts.
type study struct {
	Name, Folder string
	verify.Written
	Tables []document.Link // pages of the tree about it
}

func read(tree fs.FS, catalogue suite.Catalogue) (*results, error) {
	r := &results{methods: map[string]string{}, named: map[string]string{}}
	file := configs.Field()
	s, err := suite.Parse(file.Path, file.Text, catalogue)
	if err != nil {
		return nil, err
	}
	for _, a := range s.Algorithms {
		r.methods[a.Label] = a.Name
	}
	for _, p := range s.Problems {
		r.problems = append(r.problems, p.ID())
		r.named[p.ID()] = p.Name
	}
	if err := table(tree, "results/field/ranks.csv", func(at func(string) string, number func(string) float64) {
		r.ranks = append(r.ranks, rank{at("oracle"), at("method"), int(number("steps")), int(number("problems")),
			number("rank"), number("ci_lo"), number("ci_hi"), number("published_rank")})
		r.steps = max(r.steps, int(number("steps")))
		if o := at("oracle"); !slices.Contains(r.oracles, o) {
			r.oracles = append(r.oracles, o)
		}
	}); err != nil {
		return nil, err
	}
	r.ranks = slices.DeleteFunc(r.ranks, func(k rank) bool { return k.steps != r.steps })
	if err := table(tree, "results/field/table.csv", func(at func(string) string, number func(string) float64) {
		if at("metric") == "suboptimality" {
			r.scores = append(r.scores, score{at("problem"), at("method"), at("ranked") == "true", number("mean"), number("std"), number("step_seconds")})
		}
	}); err != nil {
		return nil, err
	}
	found, _ := fs.Glob(tree, "results/paper/*/claims.json") // a valid pattern
	for _, name := range append([]string{"results/paper/claims.json"}, found...) {
		st := &study{Folder: path.Dir(name), Name: path.Base(path.Dir(name))}
		if st.Name == "paper" {
			st.Name = "popbo-2024"
		}
		data, err := fs.ReadFile(tree, name)
		if err == nil {
			err = json.Unmarshal(data, &st.Written)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pages, _ := fs.Glob(tree, st.Folder+"/*.md") // a valid pattern, too
		for _, page := range pages {
			st.Tables = append(st.Tables, document.Link{Text: strings.TrimSuffix(path.Base(page), ".md"), Href: "../" + htmlOf(page)})
		}
		r.studies = append(r.studies, st)
	}
	return r, nil
}

// table calls line for each line of a CSV file with a header. An empty cell is the number 0.
func table(tree fs.FS, name string, line func(at func(column string) string, number func(column string) float64)) error {
	data, err := tree.Open(name)
	if err != nil {
		return err
	}
	defer data.Close()
	in := document.NewCSVReader(data)
	columns, err := in.Line()
	var wrong error
	for err == nil {
		var cells []string
		if cells, err = in.Line(); err != nil {
			break
		}
		at := func(column string) string {
			if i := slices.Index(columns, column); i >= 0 {
				return cells[i]
			}
			wrong = fmt.Errorf("no column %s", column)
			return ""
		}
		line(at, func(column string) float64 {
			v, err := strconv.ParseFloat(at(column), 64)
			if err != nil && at(column) != "" {
				wrong = err
			}
			return v
		})
	}
	if err != io.EOF || wrong != nil {
		return fmt.Errorf("%s: %w", name, cmp.Or(wrong, err))
	}
	return nil
}

// htmlOf is the path in the site of a Markdown file.
func htmlOf(name string) string { return strings.TrimSuffix(name, ".md") + ".html" }
