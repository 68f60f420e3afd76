package compare_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"popbench/internal/check"
	"popbench/internal/judge"
	"popbench/internal/views/compare"
	"popbench/record"
)

func reader(t *testing.T, dir string) *record.Reader {
	t.Helper()
	return check.Must(record.Open(dir))(t)
}

// A folder and its compact copy are the same, whichever is BASE, work counts included.
func TestCompactRecordsCompareAsTheSame(t *testing.T) {
	whole := "../../../results/reference"
	compact := filepath.Join(t.TempDir(), "compact")
	if _, err := record.WriteCompact(compact, reader(t, whole)); err != nil {
		t.Fatal(err)
	}
	for _, side := range [][2]string{{whole, compact}, {compact, whole}, {compact, compact}} {
		name := filepath.Base(side[0]) + " against " + filepath.Base(side[1])
		c, err := compare.Compare(reader(t, side[0]), reader(t, side[1]), compare.Default())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		costs := 0
		for i := range c.Rows {
			r := &c.Rows[i]
			if r.Verdict != judge.Same || r.Mean[0] != r.Mean[1] {
				t.Errorf("%s: %s, %s, %s: %s, means %v and %v", name, r.Problem, r.Algorithm, r.Metric, r.Verdict, r.Mean[0], r.Mean[1])
			}
			if r.Kind == compare.Cost {
				costs++
			}
		}
		check.Equal(t, name+": work counts are compared", costs > 20, true)
		if _, err := compare.Resample(reader(t, side[0]), reader(t, side[1]), compare.Default(), compare.PowerOptions{Runs: []int{6}, Draws: 3}, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Errorf("%s: power: %v", name, err)
		}
		check.Error(t, name+": exact", check.Err(compare.Exact(reader(t, side[0]), reader(t, side[1]))), "compact record")
	}
}
