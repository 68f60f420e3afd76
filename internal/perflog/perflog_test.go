package perflog

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"popbench/internal/check"
)

// example returns a measurement with two passes: POP-BO and random search on Branin, two
// runs of twenty steps each, both timed.
func example() *Measurement {
	m := &Measurement{
		Suite: "demo", ConfigHash: "00ff", Version: "0.1.0+abcdef123456", Go: "go1.26.0", OS: "linux", Arch: "amd64", CPU: "Some (R) CPU: fast", Rounding: "0123",
	}
	for i := range 2 {
		cell := func(algorithm string, work ...Count) Cell {
			return Cell{Key: Key{Problem: "branin", Algorithm: algorithm, Dim: 2, T: 20}, Repetition: i, Queries: fmt.Sprintf("%015x%d", len(algorithm), i), Work: work}
		}
		m.Cells = append(m.Cells,
			cell("POP-BO%2C%20a", Count{"newton", 3000 + float64(i)}, Count{"solves", 303 + 2./3*float64(i)}),
			cell("Random"))
	}
	for pass := range 2 {
		slow := 1 + 0.5*float64(pass)
		row := func(algorithm string, t int, nanos, calibrations float64, work ...Count) Row {
			return Row{
				Key:   Key{Problem: "branin", Algorithm: algorithm, Dim: 2, T: t},
				Steps: 20, Nanos: nanos * slow, Calibrations: calibrations * slow, Bytes: 1024.5, Allocs: 7, Work: work,
			}
		}
		m.Passes = append(m.Passes, Pass{
			row("POP-BO%2C%20a", 10, 250_000, 2.5, Count{"newton", 100.05}, Count{"solves", 30}),
			row("POP-BO%2C%20a", 20, 1.0/3, 5, Count{"newton", 200}, Count{"solves", 1. / 3}),
			row("Random", 10, 2000, 0.02),
			row("Random", 20, 2000, 0.02),
		})
	}
	return m
}

func text(t *testing.T, m *Measurement) string {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, m.Write(&b))
	return b.String()
}

func TestFileGivesTheMeasurementAgain(t *testing.T) {
	want := example()
	file := text(t, want)
	check.Golden(t, "example.txt", file) // tests of other packages read this file
	for _, lines := range []string{"", "PASS\nok  \tpopbench\t1.2s\nBenchmarkOther-8 1 5 ns/op\n\n"} {
		check.Same(t, lines+" before the measurement", check.Must(Read("base.txt", []byte(lines+file)))(t), want)
	}
	cut := file[:strings.Index(file, "Benchmark")]
	check.Error(t, "cut off before the times", check.Err(Read("base.txt", []byte(cut))), "base.txt: it ends before the times; copy it again")
	want.Passes = nil
	only := check.Must(Read("base.txt", []byte(text(t, want))))(t)
	check.Equal(t, "cells and passes of counts only", [2]int{len(only.Cells), len(only.Passes)}, [2]int{4, 0})
}

// Below a change of the file, in which \n is a new line, stands the mistake that it makes.
func TestReadRefuses(t *testing.T) {
	good := text(t, example())
	check.GoldenLines(t, "mistakes.golden", func(line string) string {
		old, new, _ := strings.Cut(strings.ReplaceAll(line, `\n`, "\n"), " → ")
		check.Contains(t, "the file", good, old)
		return fmt.Sprint(check.Err(Read("base.txt", []byte(strings.Replace(good, old, new, 1)))))
	})
	old := regexp.MustCompile(`(?m)^Cell/.*\n`).ReplaceAllString(good, "")
	check.Error(t, "an old file", check.Err(Read("base.txt", []byte(old))), "base.txt: an earlier version wrote this file, without counts of cells; measure again")
	for _, v := range []float64{math.Inf(1), math.NaN()} { // a clock that stands still
		m := example()
		m.Passes[1][2].Calibrations = v
		check.Error(t, fmt.Sprint(v, " calibrations"), m.Check(), "pass 2: problem=branin/algorithm=Random/d=2/t=10", "too coarse")
	}
}
