//go:build unix

package popbo

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"popbench/algorithms/algotest"
	"popbench/algorithms/internal/confset"
	"popbench/internal/check"
)

// cost is the processor time and the work of some steps. What processor time is measured in does not depend on what else
// the machine does.
type cost struct {
	cpu   time.Duration
	work  confset.Work
	steps int
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	check.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// add measures steps of p.
func (c *cost) add(b *testing.B, p *POPBO, steps int, step func(i int)) {
	work := p.Model().spent()
	b.StartTimer() // takes a while, as StopTimer does
	start := cpuTime(b)
	for i := range steps {
		step(i)
	}
	c.cpu += cpuTime(b) - start
	b.StopTimer()
	c.work, c.steps = c.work.Plus(p.Model().spent().Since(work)), c.steps+steps
}

func (c *cost) report(b *testing.B) {
	for unit, n := range map[string]int{"newton": c.work.Newton, "solves": c.work.Solves} {
		b.ReportMetric(float64(n)/float64(c.steps), unit+"/step")
	}
	b.ReportMetric(float64(c.work.Failures), "failures")
}

// Whole runs as in the benchmark, with Ask, Tell and Recommend at every step (docs/performance.md compares
// them with the authors' program). Each iteration has another instance and other comparisons.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		run  func(seed uint64) run
	}{
		{"beale-30-steps", testFunction(b, "beale", 4.5)},
		{"levy13-30-steps", testFunction(b, "levy13", 2)},
		{"gp1d-50-steps", drawn(b, 1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			var sum cost
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				r := c.run(uint64(i))
				p, rng := r.start(b, uint64(i))
				sum.add(b, p, r.steps, func(int) {
					algotest.Step(b, p, r.f, rng)
					check.OK(b, check.Err(p.Recommend()))
				})
				b.StartTimer()
			}
			b.ReportMetric(sum.cpu.Seconds()*1e3/float64(b.N), "cpu-ms/run")
			sum.report(b)
		})
	}
}

// The mean cost of ten steps (Ask, Recommend and Tell) up to step t of a run in two dimensions.
func BenchmarkStep(b *testing.B) {
	const steps = 10
	for _, name := range []string{"gp-2d", "branin"} {
		s := readLongRun(b, name)
		for _, t := range []int{50, 100, 199, 210, 400, 600, 800, 1000} {
			b.Run(fmt.Sprintf("%s/t=%d", name, t), func(b *testing.B) {
				var sum cost
				for b.Loop() {
					b.StopTimer()
					p := s.after(b, t-steps)
					sum.add(b, p, steps, func(i int) {
						check.OK(b, check.Err(p.Ask()))
						check.OK(b, check.Err(p.Recommend()))
						c := s.Comparisons[t-steps+i]
						tell(b, p, c.Winner, c.Points...)
					})
					b.StartTimer()
				}
				b.ReportMetric(sum.cpu.Seconds()*1e3/float64(sum.steps), "cpu-ms/step")
				sum.report(b)
			})
		}
	}
}
