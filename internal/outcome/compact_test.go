package outcome_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/compare"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

const reference = "../../results/reference"

// compacted returns a folder with the reference records, compact.
func compacted(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "compact")
	in := check.Must(record.Open(reference))(t)
	n := check.Must(record.WriteCompact(dir, in))(t)
	full := check.Must(reporttest.ReadDir(reference))(t)
	check.Equal(t, "compact records", n, len(full.Records))
	return dir
}

func collected(t *testing.T, dir string) *outcome.Results {
	t.Helper()
	in := check.Must(record.Open(dir))(t)
	return check.Must(outcome.Collect(in))(t)
}

// Compact records give the metrics of all runs, and their work and certificates, bit for bit.
func TestCompactRecordsKeepTheOutcomes(t *testing.T) {
	dir := compacted(t)
	full, compact := collected(t, reference), collected(t, dir)
	check.Equal(t, "groups", len(compact.Groups), len(full.Groups))
	totals := 0
	for i := range full.Groups {
		g, c := &full.Groups[i], &compact.Groups[i]
		check.Equal(t, "runs of "+g.Name()+", "+g.Algorithm.Label, len(c.Runs), len(g.Runs))
		for k := range g.Runs {
			for _, m := range outcome.Measures {
				a, b := m.Final(&g.Runs[k]), m.Final(&c.Runs[k])
				if math.Float64bits(a) != math.Float64bits(b) {
					t.Fatalf("%s of %s, %s, run %d: got %v, want %v", m.Name, g.Name(), g.Algorithm.Label, k, b, a)
				}
			}
			for _, m := range g.Algorithm.Metrics {
				a, b := g.Runs[k].Total(m.Name), c.Runs[k].Total(m.Name)
				switch {
				case m.Kind == record.Work:
					check.Equal(t, "sum of "+m.Name, b.Sum, a.Sum)
					totals++
				case m.Kind == record.Certificate:
					check.Equal(t, "maximum of "+m.Name, b.Max, a.Max)
					totals++
				}
			}
		}
	}
	check.Equal(t, "some algorithm counts work", totals > 0, true)
}

func TestCompactRecordsAreSmall(t *testing.T) {
	size := func(dir string) (n int64) {
		_ = filepath.WalkDir(filepath.Join(dir, "records"), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			n += info.Size()
			return err
		})
		return n
	}
	full, small := size(reference), size(compacted(t))
	check.Equal(t, "a tenth of the size or less", small > 0 && 10*small <= full, true)
}

// What needs more than a compact record has says so.
func TestCompactRecordsAreNotComparedExactly(t *testing.T) {
	dir := compacted(t)
	in, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = compare.Exact(in, in); err == nil || !strings.Contains(err.Error(), "compact record") {
		t.Errorf("got error %v", err)
	}
	check.Error(t, "a run into compact records", check.Err(record.Create(dir)), "compact")
}

func TestDamagedCompactRecords(t *testing.T) {
	dir := compacted(t)
	var path string
	_ = filepath.WalkDir(filepath.Join(dir, "records"), func(p string, d os.DirEntry, err error) error {
		if path == "" && !d.IsDir() {
			path = p
		}
		return err
	})
	data := check.Must(os.ReadFile(path))(t)
	issues := func(data []byte, at string) []record.Issue {
		t.Helper()
		check.OK(t, os.Remove(path))
		defer func() { _ = os.Rename(at, path) }()
		check.OK(t, os.WriteFile(at, data, 0o666))
		r := check.Must(reporttest.ReadDir(dir))(t)
		return r.Issues
	}
	if got := issues(data[:len(data)/2], path); len(got) != 1 || !strings.Contains(got[0].What, "cannot be read") {
		t.Errorf("half a file: %v", got)
	}
	if got := issues(slices.Concat(data, data), path); len(got) == 0 || !strings.Contains(got[0].What, "comes after that of repetition") {
		t.Errorf("each record twice: %v", got)
	}
	moved := filepath.Join(filepath.Dir(path), "other.jsonl.gz")
	if got := issues(data, moved); len(got) == 0 || !strings.Contains(got[0].What, "whose file is") {
		t.Errorf("a file of another name: %v", got)
	}
}
