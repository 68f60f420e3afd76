package profile

import (
	"math"
	"slices"

	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// Performance is the name of the figure of a performance profile.
const Performance = "profile-performance"

// Charts are the profile as distribution functions: of the steps to all targets, of the steps to [outcome.Target] in units
// of the dimension + 1 (a data profile), and, of several algorithms, of the expected running times relative to the quickest
// (a performance profile). order is the order of the lines, styles are by label.
func (p *Profile) Charts(order []int, styles map[string]int) []*chart.Shares {
	targets := document.Textf("Targets: %s of $U$, the mean suboptimality of a random point; reached is where every later recommendation is as good.",
		words.List(words.Each(p.Options.Targets, func(v float64) string { return document.Short(v).String() })))
	if !p.Options.Metric.Rule {
		targets = document.Plain(p.targetText())
	}
	targets += p.aboutBestFound()
	where := words.Count(len(p.Problems), "problem")
	all := &chart.Shares{Name: "profile-targets", Title: "Targets reached", What: "share of problems, targets, runs", Axis: "step", To: float64(p.Steps),
		About: document.Textf("Share of all pairs of a target and a run on %s that are reached after each step. ", where) + targets}
	charts := []*chart.Shares{all}
	data := &chart.Shares{Name: "profile-data", Title: "Data profile", What: "share of problems and runs", Axis: "steps / (dimension + 1)"}
	k := slices.Index(p.Options.Targets, outcome.Target)
	if k >= 0 && p.Options.relative() {
		data.About = document.Textf("Share of runs on %s in which the %s falls to $U/10$ and stays there, by the steps relative to the dimension (Moré and Wild 2009).",
			where, p.Options.Metric.Title) + p.aboutBestFound()
		for _, problem := range p.Problems {
			data.To = max(data.To, float64(p.Steps)/float64(problem.Dimension+1))
		}
		charts = append(charts, data)
	}
	performance := &chart.Shares{Name: Performance, Title: "Performance profile", What: "share of problems and targets", Axis: "times the quickest",
		From: 1, To: 2, Log: true,
		About: document.Textf("Share of %d pairs of a problem and a target on which the expected running time is at most that many times that of the quickest algorithm (Dolan and Moré 2002): at 1 it is the quickest. %s",
			len(p.Ratios), p.unreached())}
	if len(p.Algorithms) > 1 {
		for _, row := range p.Ratios {
			for _, v := range row {
				if !math.IsInf(v, 1) {
					performance.To = max(performance.To, v)
				}
			}
		}
		charts = append(charts, performance)
	}
	for _, a := range order {
		var reached, relative []float64
		for _, problem := range p.Problems {
			for j, t := range problem.Outcomes[a].Targets {
				for _, attempt := range t.Attempts {
					steps := math.Inf(1)
					if attempt.Reached {
						steps = float64(attempt.Steps)
					}
					reached = append(reached, steps)
					if j == k {
						relative = append(relative, steps/float64(problem.Dimension+1))
					}
				}
			}
		}
		ratios := words.Each(p.Ratios, func(row []float64) float64 { return row[a] })
		label := p.Algorithms[a]
		all.Add(label, styles[label], reached)
		data.Add(label, styles[label], relative)
		performance.Add(label, styles[label], ratios)
	}
	return charts
}
