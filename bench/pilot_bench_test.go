package bench

import (
	"runtime"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/run/runner"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
	"popbench/suite"
)

// BenchmarkPilotCoverage measures how often the 95 % interval of thirty runs covers
// POP-BO's gap to random search: the mean over pilots of the difference of their
// suboptimality after the last step, with a pilot for each repetition and with one for
// all. Each iteration has another seed. docs/claims.md has the results.
func BenchmarkPilotCoverage(b *testing.B) {
	for _, problem := range []string{"beale", "eggholder"} {
		for _, per := range []string{suite.PerRepetition, suite.PerProblem} {
			b.Run(problem+"/per="+per, func(b *testing.B) {
				var gaps []*stats.Resampled
				var means []float64
				for seed := range b.N {
					gap := stats.Resample([]stats.Stratum{gapsToRandom(b, problem, per, uint64(seed+1))},
						func(m [][]float64) float64 { return m[0][0] - m[0][1] }, 2000)
					gaps, means = append(gaps, gap), append(means, gap.Value)
				}
				truth, covered := stats.Mean(means), 0
				for _, gap := range gaps {
					if ci := gap.Interval(stats.Level); ci.Lo <= truth && truth <= ci.Hi {
						covered++
					}
				}
				b.ReportMetric(100*float64(covered)/float64(b.N), "%covered")
				b.ReportMetric(truth, "gap")
				b.ReportMetric(stats.Std(means), "gap-std")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// gapsToRandom returns the suboptimality of thirty runs of POP-BO, as in the paper's
// table, and of random search.
func gapsToRandom(b *testing.B, problem, per string, seed uint64) stats.Stratum {
	s := check.Must(suite.Load(root+"/configs/paper/test-functions.yaml", suite.Catalogue{}))(b)
	s.Seed = seed
	s.Problems = slices.DeleteFunc(s.Problems, func(p suite.Problem) bool { return p.Name != problem })
	s.Algorithms = slices.DeleteFunc(s.Algorithms, func(a suite.Algorithm) bool { return a.Label != "POP-BO" && a.Label != "Random" })
	for i := range s.Algorithms {
		s.Algorithms[i].Pilot.Per = per
	}
	dir := b.TempDir()
	folder := check.Must(record.Create(dir))(b)
	defer folder.Close()
	check.OK(b, runner.Run(b.Context(), check.Must(s.Expand(nil, nil))(b), folder.Put, runner.Options{Workers: runtime.GOMAXPROCS(0)}))
	of := stats.Stratum{make([]float64, s.Repetitions), make([]float64, s.Repetitions)}
	for _, r := range check.Must(reporttest.ReadDir(dir))(b).Records {
		check.That(b, r.OK(), "%s: %s", r.Header.Cell, r.Footer.Error)
		j := 0
		if r.Header.Algorithm.Label == "Random" {
			j = 1
		}
		of[j][r.Header.Repetition] = *r.Header.Problem.Optimum - r.Steps[len(r.Steps)-1].Recommendations[0].Utility
	}
	return of
}
