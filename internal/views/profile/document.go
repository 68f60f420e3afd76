package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/page/figure"
	"popbench/internal/words"
)

// Document puts the profile into words.
func (p *Profile) Document() *document.Document {
	titles := words.Each(p.Problems, func(p *Problem) string { return p.Name() })
	d := &document.Document{
		Title: document.Textf("How soon the targets are reached: %s", p.Suite),
		Facts: []document.Fact{{Name: "Runs",
			Value: document.Textf("%s of %s, up to %d steps", strings.Join(p.Algorithms, ", "), strings.Join(titles, ", "), p.Steps)}},
		Warnings: document.PlainAll(p.Warnings), Notes: document.PlainAll(p.Notes),
	}
	d.Add(p.ertSheet(), p.runtimeSheet())
	if len(p.Algorithms) > 1 {
		d.Add(p.performanceSheet(), p.rankSheet())
	}
	for i := range d.Sheets {
		d.Sheets[i].Caption += p.aboutBestFound()
	}
	return d
}

// algorithms is a table with a row for each algorithm, by its index.
func (p *Profile) algorithms(s document.Sheet, columns ...document.Column[int]) document.Sheet {
	rows := make([]int, len(p.Algorithms))
	for a := range rows {
		rows[a] = a
	}
	name := document.Names("Algorithm", func(a int) string { return p.Algorithms[a] })
	return document.Tabulate(s, rows, append([]document.Column[int]{name}, columns...)...)
}

func (p *Profile) ertSheet() document.Sheet {
	type row struct {
		problem, algorithm string
		targets            []Target
	}
	var rows []row
	for _, problem := range p.Problems {
		for a, o := range problem.Outcomes {
			rows = append(rows, row{problem.Name(), p.Algorithms[a], o.Targets})
		}
	}
	columns := []document.Column[row]{
		document.Names("Problem", func(r row) string { return r.problem }),
		document.Names("Algorithm", func(r row) string { return r.algorithm }),
	}
	for k, t := range p.Options.Targets {
		columns = append(columns, document.Cells(document.Textf("%g", t), func(r row) document.Cell {
			t := r.targets[k]
			return document.RunningTime(t.ERT, t.CI, t.Reached)
		}))
	}
	return document.Tabulate(document.Sheet{ID: "ert", Title: "Expected running time",
		Caption: "Steps of all runs divided by the number of runs that reach the target: the average cost if a run that does not reach it is started anew; its 95\u00a0% bootstrap interval; how many runs reach it. " +
			document.Plain(p.targetText())}, rows, columns...)
}

// aboutBestFound says which suboptimalities are against the best value found, with a space before it; "" if none are.
func (p *Profile) aboutBestFound() document.Text {
	return document.Plain(outcome.AboutBestFound(p.Problems, func(one *Problem) (string, *outcome.BestFound) { return one.Best() }))
}

func (p *Profile) targetText() string {
	what, all := p.Options.Metric.Title+" of a step", "all steps are as good."
	if p.Options.Metric.Rule {
		what = "suboptimality of the recommended point"
		all = "all recommended points are as good, since an algorithm cannot know that one is."
	}
	unit := ", divided by that of a uniform random point on average."
	switch {
	case p.Options.Metric.Unit == outcome.Probability:
		unit = ", as a probability."
	case !p.Options.Metric.Rule:
		unit = ", divided by the suboptimality of a uniform random point on average."
	}
	return "Targets: " + what + unit + " A target is reached at the step from which on " + all
}

const shown = 6

func (p *Profile) runtimeSheet() document.Sheet {
	var columns []document.Column[int]
	last := 0
	for k := range shown {
		if t := max(1, (k+1)*p.Steps/shown); t > last {
			last = t
			reached := func(a int) document.Cell { return document.Percent(p.Runtimes[a][t-1]) }
			columns = append(columns, document.Cells(document.Textf("Step %d", t), reached))
		}
	}
	return p.algorithms(document.Sheet{ID: "runtime", Title: "Runtime profile",
		Caption: "Share of all problems, targets and runs whose target is reached by that step."},
		append(columns, document.Column[int]{Title: "Area", About: document.Textf("Area: its mean over steps 1 to %d.", p.Steps),
			Of: func(a int) document.Cell { return document.Percent(stats.Mean(p.Runtimes[a])) }})...)
}

// factors are the τ of the table of a performance profile.
var factors = []float64{1, 1.5, 2, 4, 8}

func (p *Profile) performanceSheet() document.Sheet {
	column := func(title document.Text, tau float64) document.Column[int] {
		return document.Cells(title, func(a int) document.Cell { return document.Percent(stats.PerformanceProfile(p.Ratios, a, tau)) })
	}
	var columns []document.Column[int]
	for _, tau := range factors {
		columns = append(columns, column(document.Textf(`$\tau = %g$`, tau), tau))
	}
	return p.algorithms(document.Sheet{ID: "performance", Title: "Performance profile",
		Caption: document.Textf(`Share of %d pairs of a problem and a target on which the expected running time is at most $\tau$ times that of the quickest algorithm: at 1 it is the quickest. %s`,
			len(p.Ratios), p.unreached())},
		append(columns, column("Ever", math.MaxFloat64))...)
}

// unreached counts the pairs that no algorithm has reached.
func (p *Profile) unreached() string {
	n := stats.Count(p.Ratios, func(r []float64) bool { return math.IsInf(slices.Min(r), 1) })
	if n == 0 {
		return "Each is reached by some algorithm."
	}
	return fmt.Sprintf("No algorithm reaches %d of them.", n)
}

func (p *Profile) rankSheet() document.Sheet {
	return p.algorithms(document.Sheet{ID: "ranks", Title: "Average rank", Caption: AboutRanks(p.Options.Metric, p.Steps, len(p.Problems), &p.Ranks)},
		document.Column[int]{Title: "Average rank", Better: "lower is better", Of: func(a int) document.Cell { return document.Number(p.Ranks.Ranks[a], 2) }},
		document.Texts("Not clearly different from", func(a int) string {
			var like []string
			for b, other := range p.Algorithms {
				if b != a && !p.Ranks.Differ(a, b) {
					like = append(like, other)
				}
			}
			return cmp.Or(strings.Join(like, ", "), "none")
		}))
}

// AboutRanks says what the ranks by a metric after so many steps are, and what their tests find.
func AboutRanks(m *outcome.Measure, steps, problems int, r *judge.Ranks) document.Text {
	caption := document.Textf("Rank of the mean %s after %s, averaged over %s; 1 is the best. ",
		m.Title, words.Count(steps, "step"), words.Count(problems, "problem"))
	switch {
	case math.IsNaN(r.P):
		return caption + "A test needs two problems or more, and ranks that are not all tied."
	case r.Few:
		return caption + "There are too few runs to say which ranks differ."
	}
	caption += document.Textf("Friedman's test of equal ranks: χ² = %s, %s", document.Number(r.ChiSquare, 2), document.PSaid(r.P))
	if !math.IsInf(r.Statistic, 1) { // it is if all problems have the same ranks, be they only two
		caption += document.Textf("; by Iman and Davenport, %s", document.PSaid(r.StatisticP))
	}
	caption += document.Textf(". Ranks differ at level %.2g if they are %.2f apart (Nemenyi's critical difference)", judge.RankAlpha, r.Critical)
	if r.P > judge.RankAlpha {
		caption += document.Textf(" and Friedman's p is at most %.2g, so none differ here", judge.RankAlpha)
	}
	return caption + ". The problems count as a sample of all problems."
}

// Write writes the profile as text, markdown, latex or csv.
func (p *Profile) Write(w io.Writer, format string) error {
	switch format {
	case "markdown":
		return document.WriteMarkdown(w, p.Document())
	case "latex":
		return document.WriteLaTeX(w, p.Document())
	case "csv":
		return p.WriteCSV(w)
	}
	return document.WriteText(w, p.Document())
}

// Performance is the name of the figure of a performance profile.
const Performance = "profile-performance"

// Charts are the profile as distribution functions: of the steps to all targets, of the steps to [outcome.Target] in units
// of the dimension + 1 (a data profile), and, of several algorithms, of the expected running times relative to the quickest
// (a performance profile). order is the order of the lines, styles are by label.
func (p *Profile) Charts(order []int, styles map[string]int) []*figure.Shares {
	targets := document.Textf("Targets: %s of $U$, the mean suboptimality of a random point; reached is where every later recommendation is as good.",
		words.List(words.Each(p.Options.Targets, func(v float64) string { return document.Short(v).String() })))
	if !p.Options.Metric.Rule {
		targets = document.Plain(p.targetText())
	}
	targets += p.aboutBestFound()
	where := words.Count(len(p.Problems), "problem")
	all := &figure.Shares{Name: "profile-targets", Title: "Targets reached", What: "share of problems, targets, runs", Axis: "step", To: float64(p.Steps),
		About: document.Textf("Share of all pairs of a target and a run on %s that are reached after each step. ", where) + targets}
	charts := []*figure.Shares{all}
	data := &figure.Shares{Name: "profile-data", Title: "Data profile", What: "share of problems and runs", Axis: "steps / (dimension + 1)"}
	k := slices.Index(p.Options.Targets, outcome.Target)
	if k >= 0 && p.Options.relative() {
		data.About = document.Textf("Share of runs on %s in which the %s falls to $U/10$ and stays there, by the steps relative to the dimension (Moré and Wild 2009).",
			where, p.Options.Metric.Title) + p.aboutBestFound()
		for _, problem := range p.Problems {
			data.To = max(data.To, float64(p.Steps)/float64(len(problem.Problem.Lo)+1))
		}
		charts = append(charts, data)
	}
	performance := &figure.Shares{Name: Performance, Title: "Performance profile", What: "share of problems and targets", Axis: "times the quickest",
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
						relative = append(relative, steps/float64(len(problem.Problem.Lo)+1))
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

// WriteCSV writes every number in full precision, one per line:
//
//	ert          for a problem, algorithm and target, with its interval; n of "of" runs reach the target
//	runtime      share of problems, targets and runs reached after step x
//	performance  share of problems and targets with a ratio of at most x, at each x where it rises
//	rank         average rank of an algorithm
//	critical     the critical difference of two ranks
//	best-found   what stands for the unknown optimum of a problem, the best value of n runs
//
// Values that do not apply are empty; those never reached are inf.
func (p *Profile) WriteCSV(w io.Writer) error {
	type line struct {
		statistic, problem, algorithm string
		target, x, value              float64 // NaN if missing
		ci                            stats.Interval
		reached                       stats.Share
	}
	var lines []line
	none := stats.NoInterval()
	for _, problem := range p.Problems {
		for a, o := range problem.Outcomes {
			for k, t := range o.Targets {
				lines = append(lines, line{"ert", problem.Problem.Name, p.Algorithms[a], p.Options.Targets[k], math.NaN(), t.ERT, t.CI, t.Reached})
			}
		}
	}
	add := func(statistic, algorithm string, x, value float64) {
		lines = append(lines, line{statistic, "", algorithm, math.NaN(), x, value, none, stats.Share{}})
	}
	for a, label := range p.Algorithms {
		for t, v := range p.Runtimes[a] {
			add("runtime", label, float64(t+1), v)
		}
	}
	for a, label := range p.Algorithms {
		for _, tau := range p.rises(a) {
			add("performance", label, tau, stats.PerformanceProfile(p.Ratios, a, tau))
		}
	}
	for a, label := range p.Algorithms {
		add("rank", label, math.NaN(), p.Ranks.Ranks[a])
	}
	add("critical", "", math.NaN(), p.Ranks.Critical)
	for _, problem := range p.Problems {
		if b := problem.BestFound; b != nil {
			lines = append(lines, line{"best-found", problem.Problem.Name, "", math.NaN(), math.NaN(), b.Value, none, stats.Share{Count: b.Runs, N: b.Runs}})
		}
	}
	return document.WriteCSV(w, lines,
		document.WordsAt("statistic", func(l line) string { return l.statistic }),
		document.WordsAt("problem", func(l line) string { return l.problem }),
		document.WordsAt("algorithm", func(l line) string { return l.algorithm }),
		document.NumberAt("target", func(l line) float64 { return l.target }),
		document.NumberAt("x", func(l line) float64 { return l.x }),
		document.NumberAt("value", func(l line) float64 { return l.value }),
		document.Column[line]{Of: func(l line) document.Cell { return document.SignedInterval(l.ci) }},
		document.Column[line]{Key: "n", Of: func(l line) document.Cell { return document.Count(l.reached.Count).If(l.reached.N > 0) }},
		document.Column[line]{Key: "of", Of: func(l line) document.Cell { return document.Count(l.reached.N).If(l.reached.N > 0) }})
}

// rises returns the τ at which an algorithm's performance profile rises, and 1.
func (p *Profile) rises(algorithm int) []float64 {
	at := []float64{1}
	for _, r := range p.Ratios {
		if v := r[algorithm]; !math.IsInf(v, 1) {
			at = append(at, v)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}
