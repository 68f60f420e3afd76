package runner

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/record"
	"popbench/suite"
)

// How many times as fast as one worker sixteen are that start the cells in the runner's order, if each cell takes as long
// as in the results folders of POPBENCH_RESULTS. At the end some workers have nothing left to do.
func BenchmarkSixteenWorkers(b *testing.B) {
	results := os.Getenv("POPBENCH_RESULTS")
	if results == "" {
		b.Skip("POPBENCH_RESULTS names no folder of bench reproduce")
	}
	files := check.Must(filepath.Glob(filepath.Join(results, "*", "suite.yaml")))(b)
	check.Ensure(b, files != nil, "%s has no results folders", results)
	for _, file := range files {
		s := check.Must(suite.Load(file, suite.Catalogue{}))(b)
		b.Run(s.Name, func(b *testing.B) {
			cells := check.Must(s.Expand(nil, nil))(b)
			var total float64
			busy := make([]float64, 16) // of each worker, until when
			for range b.N {
				total = 0
				clear(busy)
				for _, c := range inTurns(cells) {
					seconds := record.ReadSeconds(filepath.Dir(file), c.ID())
					total += seconds
					busy[slices.Index(busy, slices.Min(busy))] += seconds
				}
			}
			b.ReportMetric(float64(len(cells)), "cells")
			b.ReportMetric(total/slices.Max(busy), "times-as-fast")
		})
	}
}
