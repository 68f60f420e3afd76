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

// If each cell takes as long as in the results folders of POPBENCH_RESULTS, 16 workers that start the cells in the
// runner's order are at least 14 times as fast as one, given ten cells for each worker. At the end some workers have
// nothing left to do; with fewer cells that costs more.
func TestSixteenWorkers(t *testing.T) {
	files := check.Must(filepath.Glob(filepath.Join(os.Getenv("POPBENCH_RESULTS"), "*", "suite.yaml")))(t)
	if os.Getenv("POPBENCH_RESULTS") == "" {
		t.Skip("POPBENCH_RESULTS names no folder of bench reproduce")
	}
	check.Ensure(t, files != nil, "POPBENCH_RESULTS has no results folders")
	for _, file := range files {
		s := check.Must(suite.Load(file, suite.Catalogue{}))(t)
		cells := check.Must(s.Expand(nil, nil))(t)
		var total float64
		busy := make([]float64, 16) // of each worker, until when
		for _, c := range inTurns(cells) {
			seconds := record.ReadSeconds(filepath.Dir(file), c.ID())
			total += seconds
			first := slices.Index(busy, slices.Min(busy))
			busy[first] += seconds
		}
		faster := total / slices.Max(busy)
		t.Logf("%-36s %5d cells %7.1f s %5.2f", s.Name, len(cells), total, faster)
		check.That(t, faster >= 14 || len(cells) < 10*len(busy), "%s: %.2f times as fast", s.Name, faster)
	}
}
