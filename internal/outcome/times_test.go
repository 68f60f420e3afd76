package outcome_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
)

func TestTimes(t *testing.T) {
	in := reporttest.Results(reporttest.Options{Problems: []string{"beale"}, Runs: 4, Steps: 5})
	delete(in.Timings, in.Records[2].Header.Cell)
	var steps []float64
	var total float64
	for _, v := range in.Timings {
		for k := range v.AskSeconds {
			steps = append(steps, v.AskSeconds[k]+v.TellSeconds[k])
			total += v.AskSeconds[k] + v.TellSeconds[k]
		}
	}
	slices.Sort(steps)
	got := outcome.NewTable(mustCollect(t, in)).Rows[0].Times
	check.Close(t, "median", got.StepMedian, steps[7])
	check.Close(t, "mean", got.Step, total/15)
	check.Close(t, "run", got.Run, total/3)
	check.Equal(t, "runs that were measured", got.Runs, 3)
}

func TestTimeTable(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale", "levy13"}, Algorithms: []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}, Runs: 4, Steps: 5}
	in := reporttest.Results(o)
	delete(in.Timings, "beale/SGP/002") // what it is compared with is then left out too
	table := outcome.NewTable(mustCollect(t, in)).Times
	for i, want := range []struct {
		label          string
		ratio, printed float64 // as reporttest has it, and the paper
		runs           int
	}{{"DTS", 1, 1, 8}, {"qEUBO", 0.2, 0.21, 8}, {"SGP", 0.08, 0.07, 7}, {"POP-BO", 0.1, 0.09, 8}, {"GP-UCB", 0.05, math.NaN(), 8}, {"Random", 0.001, math.NaN(), 8}} {
		row := table.Rows[i]
		check.That(t, row.Label == want.label && row.Runs == want.runs, "%s has %d runs, want %s with %d", row.Label, row.Runs, want.label, want.runs)
		check.Close(t, row.Label+" relative to DTS", row.Ratio.Value, want.ratio)
		ci := row.Ratio.CI // all runs have the same ratio
		check.That(t, i == 0 || math.Abs(ci.Lo-want.ratio) <= 1e-12 && math.Abs(ci.Hi-want.ratio) <= 1e-12, "%s: the interval is %v", row.Label, ci)
		check.That(t, row.Printed == want.printed || math.IsNaN(row.Printed) && math.IsNaN(want.printed), "%s: the paper prints %g", row.Label, row.Printed)
	}
	check.Equal(t, "measured in one run", table.Apart, "")

	// Intervals are of the ratio of totals, not of single runs.
	for i, rec := range in.Records {
		if v := in.Timings[rec.Header.Cell]; v != nil && rec.Header.Algorithm.Name == "popbo" {
			v.AskSeconds[0] += 0.05 * float64(i%3)
		}
	}
	ratio := outcome.NewTable(mustCollect(t, in)).Times.Rows[3].Ratio
	check.That(t, ratio.CI.Lo < ratio.Value && ratio.Value < ratio.CI.Hi && ratio.CI.Hi < 0.3, "ratio %+v", ratio)

	// On two machines, or side by side with a different number of others.
	for host, workers := range map[string]int{"there": 2, "here": 7} {
		in := reporttest.Results(o)
		v := in.Timings[in.Records[0].Header.Cell]
		v.Host, v.Workers = host, workers
		want := map[string]string{"there": "on 2 machines", "here": "2 runs at a time; Some CPU, 7 runs at a time"}[host]
		check.Contains(t, "why the times cannot be compared", outcome.NewTable(mustCollect(t, in)).Times.Apart, "not measured in one run", want)
	}

	// The method that others are relative to was not measured, or is not there.
	for cell := range in.Timings {
		if strings.Contains(cell, "/DTS/") {
			delete(in.Timings, cell)
		}
	}
	check.That(t, outcome.NewTable(mustCollect(t, in)).Times == nil, "a table of times relative to what was not measured")
	o.Algorithms = o.Algorithms[:3]
	check.That(t, outcome.NewTable(mustCollect(t, reporttest.Results(o))).Times == nil, "a table of times without DTS")
}
