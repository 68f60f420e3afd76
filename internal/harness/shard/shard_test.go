package shard

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
)

func TestSchedulerShard(t *testing.T) {
	for _, c := range []struct {
		env  string
		want string // the shard, or what the error begins with
	}{
		{"", ""},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_STEP=1", "1/8"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=8", "8/8"},
		{"SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_STEP=4", "3/5"},
		{"SLURM_ARRAY_TASK_ID=40 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3", "SLURM_ARRAY_TASK_ID = 40 makes this part 40/3"},
		{"SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3", `SLURM_ARRAY_TASK_ID = "x" is not a number`},
		{"JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=4", "1/4"},
		{"JOB_COMPLETION_INDEX=3 JOB_COMPLETIONS=4", "4/4"},
		{"JOB_COMPLETION_INDEX=4 JOB_COMPLETIONS=4", "JOB_COMPLETION_INDEX = 4 makes this part 5/4"},
		{"JOB_COMPLETION_INDEX=0", "JOB_COMPLETION_INDEX = 0, but JOB_COMPLETIONS is missing"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, _, err := Scheduler(func(name string) string { return env[name] })
		if got := s.String(); err == nil && got != c.want || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %s, %v; want %s", c.env, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "3", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3"} {
		if err := new(Shard).Set(bad); err == nil {
			t.Errorf("--shard %q is taken", bad)
		}
	}
}

// Together the shards have every cell exactly once, and every shard has an equal part of every
// algorithm on every problem.
func TestShardsPartition(t *testing.T) {
	const text = `{name: demo, steps: 3, repetitions: 12, problems: [{name: beale}, {name: levy13}], algorithms: [{name: popbo}, {name: random}]}`
	s, err := config.Parse("demo.yaml", []byte(text), suite.Catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := suite.Catalogue{}.Expand(s, new(suite.Fits), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 60} {
		seen := map[string]int{}
		for i := 1; i <= n; i++ {
			mine := Shard{i, n}.Of(cells)
			share := map[string]int{}
			for id := range mine {
				seen[id]++
				share[filepath.Dir(id)]++
			}
			for group, k := range share {
				if most := (12 + n - 1) / n; k > most {
					t.Errorf("part %d/%d has %d of 12 repetitions of %s, more than %d", i, n, k, group, most)
				}
			}
		}
		for _, c := range cells {
			if seen[c.ID()] != 1 {
				t.Errorf("of %d parts, %d have %s", n, seen[c.ID()], c.ID())
			}
		}
	}
}
