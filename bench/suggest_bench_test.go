//go:build unix

package bench

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/harness/serve"
	"popbench/suite"
)

// BenchmarkSuggestState compares the CPU time of ten calls with a state, from the 96th comparison
// on, with that of the same ten steps of an algorithm that stays in memory.
func BenchmarkSuggestState(b *testing.B) {
	const before, steps = 95, 10
	limitGarbage() // as the program does
	for _, name := range (suite.Catalogue{}).Algorithms() {
		b.Run(name, func(b *testing.B) {
			var called, stepped time.Duration
			for b.Loop() {
				e := check.Must(serve.ReadExperiment(suite.Catalogue{}, name, []byte(experimentJSON(name, `"seed": 1`, nil))))(b)
				alg := check.Must(suite.Catalogue{}.Restore(name, e.State, e.Settings))(b)
				_, values := alg.(algorithms.ValueLearner)
				dir := b.TempDir()
				file, state := filepath.Join(dir, "experiment.json"), filepath.Join(dir, "state")
				var comparisons []algorithms.Comparison
				for t := range before + steps {
					s := check.Must(serve.Suggest(name, alg, t))(b)
					c := play(algorithms.Query{Points: s.Compare, New: len(s.New)}, t, values)
					comparisons = append(comparisons, c)
					began := cpuTime(b)
					check.OK(b, learn(alg, c, len(s.New)))
					if _, err := serve.Suggest(name, alg, t); err != nil {
						b.Fatal(err)
					}
					step := cpuTime(b) - began
					if t < before-1 { // the first call makes the state
						continue
					}
					check.OK(b, os.WriteFile(file, []byte(experimentJSON(name, `"seed": 1`, comparisons)), 0o666))
					began = cpuTime(b)
					check.OK(b, plain().run(b.Context(), io.Discard, io.Discard, []string{"suggest", "--state", state, file}))
					if t >= before {
						stepped += step
						called += cpuTime(b) - began
					}
				}
			}
			b.ReportMetric(float64(called.Milliseconds())/float64(b.N*steps), "ms/call")
			b.ReportMetric(float64(stepped.Milliseconds())/float64(b.N*steps), "ms/step")
			b.ReportMetric(float64(called)/float64(stepped), "ratio")
		})
	}
}

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	check.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
