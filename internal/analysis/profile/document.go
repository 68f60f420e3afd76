package profile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/math/stats"
)

// Document puts the profile into words.
func (p *Profile) Document() *document.Document {
	d := &document.Document{
		Title:    "How soon the targets are reached: " + p.Suite,
		Facts:    []document.Fact{{Name: "Runs", Value: fmt.Sprintf("%s of %s, up to %d steps", strings.Join(p.Algorithms, ", "), strings.Join(p.titles(), ", "), p.Steps)}},
		Warnings: p.Warnings, Notes: p.Notes,
	}
	d.Sheets = []document.Sheet{p.ertSheet(), p.runtimeSheet()}
	if len(p.Algorithms) > 1 {
		d.Sheets = append(d.Sheets, p.performanceSheet(), p.rankSheet())
	}
	return d
}

func (p *Profile) titles() (all []string) {
	for i := range p.Problems {
		all = append(all, p.Problems[i].Title)
	}
	return all
}

func (p *Profile) ertSheet() document.Sheet {
	s := document.Sheet{ID: "ert", Title: "Expected running time",
		Caption: "Steps of all runs over the number of runs that reach the target: what it takes on average if a run that does not is started anew; its 95 % bootstrap interval; how many runs reach it. " + p.targetText(),
		Columns: []document.Column{{Title: "Problem", Head: true}, {Title: "Algorithm", Head: true}}}
	for _, t := range p.Options.Targets {
		s.Columns = append(s.Columns, document.Column{Title: strconv.FormatFloat(t, 'g', -1, 64)})
	}
	for i := range p.Problems {
		for a, o := range p.Problems[i].Outcomes {
			row := cells(p.Problems[i].Title, p.Algorithms[a])
			for _, t := range o.Targets {
				row = append(row, document.Cell{Text: t.text()})
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

func (p *Profile) targetText() string {
	text := "Targets: suboptimality of the reported point, over that of a uniform random point in the mean."
	if p.Options.Absolute {
		text = "Targets: suboptimality of the reported point, in the unit of the objective."
	}
	if p.Options.First {
		return text + " A target is reached at the first step whose reported point is as good; later ones may be worse."
	}
	return text + " A target is reached at the step from which on all reported points are as good: nobody tells an algorithm that one is."
}

// text is "12 [9, 17], 28/30", "—, 0/30" if no run reaches the target.
func (t *Target) text() string {
	reached := fmt.Sprintf("%d/%d", t.Reached.Count, t.Reached.N)
	if math.IsInf(t.ERT, 1) {
		return "—, " + reached
	}
	text := steps(t.ERT)
	if !math.IsNaN(t.CI.Lo) {
		text += fmt.Sprintf(" [%s, %s]", steps(t.CI.Lo), steps(t.CI.Hi))
	}
	return text + ", " + reached
}

func steps(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// shown is how many steps the table of a runtime profile has.
const shown = 6

func (p *Profile) runtimeSheet() document.Sheet {
	s := document.Sheet{ID: "runtime", Title: "Runtime profile",
		Caption: fmt.Sprintf("Share of all problems, targets and runs whose target is reached after so many steps. Area: the mean of it over steps 1 to %d.", p.Steps),
		Columns: []document.Column{{Title: "Algorithm", Head: true}}}
	var at []int
	for k := range shown {
		if t := max(1, (k+1)*p.Steps/shown); len(at) == 0 || t > at[len(at)-1] {
			at = append(at, t)
			s.Columns = append(s.Columns, document.Column{Title: fmt.Sprintf("Step %d", t)})
		}
	}
	s.Columns = append(s.Columns, document.Column{Title: "Area"})
	for a, label := range p.Algorithms {
		row := cells(label)
		for _, t := range at {
			row = append(row, document.Cell{Text: percent(p.Runtimes[a].By[t-1])})
		}
		s.Rows = append(s.Rows, append(row, document.Cell{Text: percent(p.Runtimes[a].Area)}))
	}
	return s
}

// factors are the τ of the table of a performance profile.
var factors = []float64{1, 1.5, 2, 4, 8}

func (p *Profile) performanceSheet() document.Sheet {
	s := document.Sheet{ID: "performance", Title: "Performance profile",
		Caption: fmt.Sprintf("Share of %d pairs of a problem and a target on which the expected running time is at most so many times that of the quickest algorithm: at 1 it is the quickest. %s", len(p.Ratios), p.unreached()),
		Columns: []document.Column{{Title: "Algorithm", Head: true}}}
	for _, tau := range factors {
		s.Columns = append(s.Columns, document.Column{Title: "τ = " + strconv.FormatFloat(tau, 'g', -1, 64)})
	}
	s.Columns = append(s.Columns, document.Column{Title: "Ever"})
	for a, label := range p.Algorithms {
		row := cells(label)
		for _, tau := range append(factors[:len(factors):len(factors)], math.MaxFloat64) {
			row = append(row, document.Cell{Text: percent(stats.PerformanceProfile(p.Ratios, a, tau))})
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// unreached counts the pairs that no algorithm has reached.
func (p *Profile) unreached() string {
	n := 0
	for _, r := range p.Ratios {
		best := math.Inf(1)
		for _, v := range r {
			best = min(best, v)
		}
		if math.IsInf(best, 1) {
			n++
		}
	}
	return fmt.Sprintf("No algorithm reaches %d of them.", n)
}

func (p *Profile) rankSheet() document.Sheet {
	caption := fmt.Sprintf("Rank of the mean suboptimality after %d steps, averaged over %d problems; 1 is the best.", p.Steps, len(p.Problems))
	switch {
	case math.IsNaN(p.Ranks.P):
		caption += " There is nothing to test: that takes two problems or more, and ranks that are not all tied."
	case p.few:
		caption += " There are too few runs to say which ranks differ."
	default:
		caption += fmt.Sprintf(" Friedman's test of equal ranks: χ² = %.2f, p = %.3g; by Iman and Davenport, p = %.3g. Ranks differ at level %.2g if they are %.2f apart (Nemenyi's critical difference)", p.Ranks.ChiSquare, p.Ranks.P, p.Ranks.StatisticP, Alpha, p.Critical)
		if p.Ranks.P > Alpha {
			caption += ", but the test before that finds no difference at all"
		}
		caption += ". The problems are taken as a sample of those there are."
	}
	s := document.Sheet{ID: "ranks", Title: "Average rank", Caption: caption,
		Columns: []document.Column{{Title: "Algorithm", Head: true}, {Title: "Average rank"}, {Title: "Not told apart from", Words: true}}}
	for a, label := range p.Algorithms {
		var like []string
		for b, other := range p.Algorithms {
			if b != a && !p.Differ(a, b) {
				like = append(like, other)
			}
		}
		if like == nil {
			like = []string{"—"}
		}
		s.Rows = append(s.Rows, cells(label, strconv.FormatFloat(p.Ranks.Ranks[a], 'f', 2, 64), strings.Join(like, ", ")))
	}
	return s
}

func cells(texts ...string) []document.Cell {
	c := make([]document.Cell, len(texts))
	for i, t := range texts {
		c[i].Text = t
	}
	return c
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }
