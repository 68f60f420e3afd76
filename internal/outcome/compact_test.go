package outcome_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

const reference = "../../results/reference"

// compacted returns a folder with the reference records, compact.
func compacted(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "compact")
	found := check.Must(record.WriteCompact(dir, check.Must(record.Open(reference))(t)))(t)
	check.Equal(t, "compact records", found.Records, len(check.Must(reporttest.ReadDir(reference))(t).Records))
	return dir
}

// Compact records give the metrics of all runs, and their work and certificates, bit for bit.
func TestCompactRecordsKeepTheOutcomes(t *testing.T) {
	collected := func(dir string) *outcome.Results {
		return check.Must(outcome.Collect(check.Must(record.Open(dir))(t)))(t)
	}
	full, compact := collected(reference), collected(compacted(t))
	check.Equal(t, "groups", len(compact.Groups), len(full.Groups))
	totals := 0
	for i := range full.Groups {
		g, c := full.Groups[i], compact.Groups[i]
		check.Equal(t, "runs of "+g.Name()+", "+g.Algorithm.Label, len(c.Runs), len(g.Runs))
		for k := range g.Runs {
			for _, m := range outcome.Measures {
				a, b := math.Float64bits(m.Final(g.Runs[k])), math.Float64bits(m.Final(c.Runs[k]))
				check.That(t, a == b, "%s of %s, %s, run %d: got the bits %x, want %x", m.Name, g.Name(), g.Algorithm.Label, k, b, a)
			}
			for _, m := range g.Algorithm.Metrics {
				a, b := g.Runs[k].Total(m.Name), c.Runs[k].Total(m.Name)
				switch m.Kind {
				case record.Work:
					check.Equal(t, "sum of "+m.Name, b.Sum, a.Sum)
					totals++
				case record.Certificate:
					check.Equal(t, "maximum of "+m.Name, b.Max, a.Max)
					totals++
				}
			}
		}
	}
	check.That(t, totals > 0, "no algorithm counts work")
}

func TestDamagedCompactRecords(t *testing.T) {
	dir := compacted(t)
	path := check.Must(filepath.Glob(filepath.Join(dir, "records", "*", "*")))(t)[0]
	data := check.Must(os.ReadFile(path))(t)
	moved := filepath.Join(filepath.Dir(path), "other.jsonl.gz")
	for _, c := range []struct {
		data     []byte
		at, want string
	}{
		{data[:len(data)/2], path, "cannot be read"},
		{slices.Concat(data, data), path, "comes after that of repetition"},
		{data, moved, "whose file is"},
	} {
		check.OK(t, os.Remove(path))
		check.OK(t, os.WriteFile(c.at, c.data, 0o666))
		issues := check.Must(reporttest.ReadDir(dir))(t).Issues
		check.That(t, len(issues) != 0, "no issue, want %q", c.want)
		check.Contains(t, "first issue", issues[0].What, c.want)
		check.OK(t, os.Rename(c.at, path))
	}
}
