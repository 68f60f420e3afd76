package claims

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/paper"
	"popbench/internal/words"
	"popbench/problems"
	"popbench/record"
	"popbench/suite"
)

// No field of a claim is blank, and no two claims have one name.
func TestClaimsAreComplete(t *testing.T) {
	named := map[string]bool{}
	for _, study := range Studies() {
		check.That(t, study.Paper != "" && len(study.Claims()) != 0, "%s: cited as %q, with %d claims", study.Name, study.Paper, len(study.Claims()))
		for _, c := range study.Claims() {
			check.That(t, !named[c.ID], "two claims are called %s", c.ID)
			named[c.ID] = true
			for what, text := range map[string]string{"place": c.Where, "short name": string(c.Short), "statement": string(c.Says), "reading": string(c.Read)} {
				check.That(t, text != "" && !strings.ContainsFunc(text, unicode.IsControl), "%s has no %s, or a tab in it: %q", c.ID, what, text)
			}
			check.That(t, len(c.Parts) != 0, "%s has no parts", c.ID)
			check.That(t, len(c.Known) != 0 && !slices.Contains(c.Known, ""), "%s says of nothing how it is known", c.ID)
			for _, part := range slices.Concat(c.Parts, c.Beside) {
				check.That(t, part.What != "", "%s: a part has no name: %+v", c.ID, part)
				check.That(t, part.Of != nil, "%s: %s is computed by nothing", c.ID, part.What)
				check.That(t, len(part.Samples) != 0, "%s: %s has no samples", c.ID, part.What)
				check.That(t, part.Region.Lo < part.Region.Hi, "%s: %s has the empty region %+v", c.ID, part.What, part.Region)
			}
		}
	}
}

// The suite file of every check has its problem and its algorithms, and as many steps as the claim says. Every suite of
// another paper than POP-BO's has a claim.
func TestClaimsAreOnThePapersSuites(t *testing.T) {
	duels := regexp.MustCompile(`([0-9]+) duels`)
	for _, study := range Studies() {
		files := map[string]*suite.Suite{}
		for _, f := range configs.PaperNamed(study.Name) {
			s := check.Must(suite.Parse(f.Path, f.Text, suite.Catalogue{}))(t)
			files[s.Name] = s
			check.That(t, study.Name == POPBO || slices.Contains(study.SortedSuites(), s.Name), "%s: no claim is about %s", study.Name, s.Name)
		}
		for _, c := range study.Claims() {
			for _, part := range slices.Concat(c.Parts, c.Beside) {
				for _, s := range part.Samples {
					file := files[s.Suite]
					if file == nil {
						t.Errorf("%s: configs has no suite %q of %s", c.ID, s.Suite, study.Name)
						continue
					}
					there := words.Each(file.Problems, suite.Problem.ID)
					check.That(t, slices.Contains(there, s.Problem), "%s: suite %s has no problem %q, but %q", c.ID, s.Suite, s.Problem, there)
					labels := words.Each(file.Algorithms, func(a suite.Algorithm) string { return a.Label })
					for _, q := range s.Quantities {
						check.That(t, slices.Contains(labels, q.Label), "%s: suite %s has no algorithm %q, but %q", c.ID, s.Suite, q.Label, labels)
						rules := []string{"", q.rule}
						run := outcome.NewRun(&record.Record{Steps: make([]record.Step, file.Steps)}, rules)
						if _, err := q.Of(&outcome.Group{Rules: rules}, run); err != nil {
							check.That(t, !strings.Contains(err.Error(), "the claim is about step"), "%s: suite %s: %v", c.ID, s.Suite, err)
						}
					}
				}
			}
			for _, m := range duels.FindAllStringSubmatch(string(c.Read), -1) {
				file := files[c.Parts[0].Samples[0].Suite]
				check.That(t, file == nil || m[1] == strconv.Itoa(file.Steps), "%s is about %s duels, its suite %+v", c.ID, m[1], file)
			}
		}
	}
}

// The golden has each statistic: of made-up means, of the paper's numbers in place of some of these, and what its quantities
// are in a made-up run, added up.
func TestStatistics(t *testing.T) {
	rec := &record.Record{Header: record.Header{Problem: record.Problem{Optimum: new(2.0), Uniform: &record.Uniform{Mean: 3}}}}
	seconds := make([]float64, 150)
	for k := range seconds {
		f := func(m int) float64 { return 2 - float64(k*m%13)/8 }
		step := record.Step{T: k + 1, Points: [][]float64{{float64(k % 5)}, {float64(k % 3)}}, New: 1, Utility: []float64{f(5), f(7)},
			Metrics: record.Metrics{{Name: "lengthscale_1", Value: 8}, {Name: "lengthscale_2", Value: 2}}}
		for m, rule := range []string{"selected", "max-mle", "min-uncertainty"} {
			step.Recommendations = append(step.Recommendations, record.Recommendation{Rule: rule, Utility: f(3 + m)})
		}
		rec.Steps, seconds[k] = append(rec.Steps, step), float64(k%5)/64
	}
	run := outcome.NewRun(rec, nil)
	run.Seconds = seconds
	group := &outcome.Group{Rules: []string{"selected", "max-mle", "min-uncertainty"}}
	check.GoldenWritten(t, "statistics.txt", func(w io.Writer) error {
		for _, study := range Studies() {
			for _, c := range study.Claims() {
				parts := slices.Concat(c.Parts, c.Beside)
				for _, part := range parts {
					parts = append(parts, part.Members...)
				}
				for _, part := range parts {
					var means [][]float64
					sum, missing := 0.0, 0
					for s, sample := range part.Samples {
						var m []float64
						for j, q := range sample.Quantities {
							m = append(m, 1.25+float64((5*s+3*j)%7)/4)
							if v, err := q.Of(group, run); err == nil {
								sum += float64(j+1) * v
							} else {
								missing++
							}
						}
						means = append(means, m)
					}
					for _, columns := range part.Published {
						var m []float64
						for _, column := range columns {
							m = append(m, stats.Mean(column))
						}
						means = append(means, m)
					}
					printed := math.NaN()
					if part.Printed != nil {
						printed = part.Printed(means)
					}
					fmt.Fprintf(w, "%s: %s %s is %.9g, in the paper %.9g; rank %d of %d, unit %g; quantities %.9g, without %d\n",
						c.ID, part.What, part.Note, part.Of(means), printed, part.Rank, len(part.Members), part.Unit(3), sum, missing)
				}
			}
		}
		return nil
	})
}

// Slight is the difference that the paper calls slight on Bukin.
func TestSlightIsThePapers(t *testing.T) {
	gap := (tableFinal("bukin6", popbo) - tableFinal("bukin6", qeubo)) / uniformMean(t, "bukin6")
	check.That(t, gap <= Slight && gap >= Slight-0.001, "the paper's gap is %.4f of a random point's suboptimality, Slight is %g", gap, Slight)
}

// A note names exactly the cells that are no better than a random point.
func TestWeakRivalsAreThePapers(t *testing.T) {
	weak := map[string][]string{}
	for _, row := range paper.Lookup("test-functions").Rows {
		for _, m := range baselines {
			if tableFinal(row.Problem, m) >= uniformMean(t, row.Problem) {
				weak[m] = append(weak[m], check.Must(problems.Lookup(row.Problem))(t).Title)
			}
		}
	}
	check.Contains(t, "the note", knownWeak, fmt.Sprintf(": DTS on %s, SGP on %s, qEUBO on %s.", words.List(weak[dts]), words.List(weak[sgp]), words.List(weak[qeubo])))
}

// uniformMean estimates the suboptimality of a random point, in units of the function's
// standard deviation, to about 0.3 %.
func uniformMean(t *testing.T, name string) float64 {
	t.Helper()
	p := check.Must(check.Must(problems.Lookup(name))(t).Instance(problems.Standardise, nil))(t)
	r := rand.New(rand.NewPCG(1, 1))
	const n = 100_000
	sum := 0.0
	x := make([]float64, p.Box.Dim())
	for range n {
		for i := range x {
			x[i] = p.Box.Lo[i] + r.Float64()*(p.Box.Hi[i]-p.Box.Lo[i])
		}
		sum += p.Optimum.Value - p.Value(x)
	}
	return sum / n
}

func TestRegions(t *testing.T) {
	at := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	nan := math.NaN()
	for _, c := range []struct {
		region  Region
		ci      stats.Interval
		in, out bool
		text    string
	}{
		{Below(1), at(0, 0.5), true, false, "< 1"},
		{Below(1), at(0, 1), false, false, "< 1"},
		{Below(1), at(1, 2), false, true, "< 1"},
		{AtMost(1), at(1, 1), true, false, "≤ 1"},
		{AtMost(1), at(1, 2), false, false, "≤ 1"},
		{Above(2.5), at(2.5, 3), false, false, "> 2.5"},
		{Above(2.5), at(2, 2.5), false, true, "> 2.5"},
		{AtLeast(1), at(1, 3), true, false, "≥ 1"},
		{Between(1.7, 2.1), at(1.7, 2.1), true, false, "1.7 to 2.1"},
		{Between(1.7, 2.1), at(1, 3), false, false, "1.7 to 2.1"},
		{Between(1.7, 2.1), at(2.2, 3), false, true, "1.7 to 2.1"},
		{Between(1.7, 2.1), at(nan, nan), false, false, "1.7 to 2.1"},
		{Below(0), at(nan, nan), false, false, "< 0"},
	} {
		check.Equal(t, fmt.Sprintf("whether %v is in %v, or outside", c.ci, c.region), [2]bool{c.region.Contains(c.ci), c.region.Misses(c.ci)}, [2]bool{c.in, c.out})
		check.Equal(t, "region", c.region.String(), c.text)
	}
}

func TestNumbersAreWrittenAsInThePaper(t *testing.T) {
	for v, want := range map[float64]string{2: "2.0", 0.92: "0.92", -1: "-1.0", 12.5: "12.5"} {
		check.Equal(t, "number", decimal(v), want)
	}
}
