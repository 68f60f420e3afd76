package popbo_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"popbench/algorithms/popbo"
	"popbench/internal/check"
)

// Whole runs as in the benchmark, with Ask, Tell and Recommend at every step (docs/performance.md compares
// them with the authors' program). Each iteration has another instance and other comparisons.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		run  func(seed uint64) run
	}{
		{"beale-30-steps", func(uint64) run { return testFunction(b, "beale", 4.5) }},
		{"levy13-30-steps", func(uint64) run { return testFunction(b, "levy13", 2) }},
		{"gp1d-50-steps", func(seed uint64) run { return gp(b, 1, seed) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var newton, solves, failures, steps int
			var cpu time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				r := c.run(uint64(i))
				p, rng := r.start(b, uint64(i))
				b.StartTimer()
				before, _ := cpuTime()
				for range r.steps {
					r.step(b, p, rng, nil)
					check.OK(b, check.Err(p.Recommend()))
				}
				after, known := cpuTime()
				if !known {
					after = before
				}
				cpu += after - before
				work := p.Model().Work()
				newton, solves, failures, steps = newton+work.Newton, solves+work.Solves, failures+work.Failures, steps+r.steps
			}
			if cpu > 0 {
				b.ReportMetric(cpu.Seconds()*1e3/float64(b.N), "cpu-ms/run")
			}
			b.ReportMetric(float64(newton)/float64(steps), "newton/step")
			b.ReportMetric(float64(solves)/float64(steps), "solves/step")
			b.ReportMetric(float64(failures), "failures")
		})
	}
}

// The mean cost of ten steps (Ask, Recommend and Tell) up to step t of a run in two dimensions, and the
// exponent of t with which it grows from t = 210 on.
func BenchmarkStep(b *testing.B) {
	const steps = 10
	for _, name := range []string{"gp-2d", "branin"} {
		s := longRun(b, name)
		var lnT, lnCPU []float64
		for _, t := range []int{50, 100, 199, 210, 400, 600, 800, 1000} {
			b.Run(fmt.Sprintf("%s/t=%d", name, t), func(b *testing.B) {
				var work popbo.Work
				var cpu time.Duration
				for b.Loop() {
					b.StopTimer()
					p := after(b, s, t-steps)
					w := p.Model().Work()
					b.StartTimer()
					start, _ := cpuTime()
					for _, c := range s.Comparisons[t-steps : t] {
						check.OK(b, check.Err(p.Ask()))
						check.OK(b, check.Err(p.Recommend()))
						tellNext(b, p, c)
					}
					end, _ := cpuTime()
					cpu += end - start
					work = work.Plus(p.Model().Work().Since(w))
				}
				all := float64(b.N * steps)
				if cpu > 0 {
					b.ReportMetric(cpu.Seconds()*1e3/all, "cpu-ms/step")
					if t >= 210 {
						lnT, lnCPU = append(lnT, math.Log(float64(t))), append(lnCPU, math.Log(cpu.Seconds()/all))
					}
				}
				b.ReportMetric(float64(work.Solves)/all, "solves/step")
				b.ReportMetric(float64(work.Newton)/all, "newton/step")
				b.ReportMetric(float64(work.Dense)/all, "dense/step")
				b.ReportMetric(float64(work.Retries)/all, "retries/step")
			})
		}
		if len(lnT) > 1 {
			_, exponent := stat.LinearRegression(lnT, lnCPU, nil, false)
			b.Logf("%s: CPU time of a step grows as t^%.2f", name, exponent)
		}
	}
}
