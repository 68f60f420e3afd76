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
		{"SGE_TASK_ID=undefined SGE_TASK_FIRST=undefined SGE_TASK_LAST=undefined SGE_TASK_STEPSIZE=undefined", ""},
		{"SGE_TASK_ID=1 SGE_TASK_FIRST=1 SGE_TASK_LAST=8 SGE_TASK_STEPSIZE=1", "1/8"},
		{"SGE_TASK_ID=8 SGE_TASK_FIRST=1 SGE_TASK_LAST=8 SGE_TASK_STEPSIZE=1", "8/8"},
		{"SGE_TASK_ID=23 SGE_TASK_FIRST=3 SGE_TASK_LAST=30 SGE_TASK_STEPSIZE=10", "3/3"},
		{"SGE_TASK_ID=2 SGE_TASK_FIRST=1", `SGE_TASK_LAST = "" is not a number`},
		{"LSB_JOBID=77 LSB_JOBINDEX=0 LSB_JOBINDEX_END=0 LSB_JOBINDEX_STEP=0", ""},
		{"LSB_JOBINDEX=1 LSB_JOBINDEX_END=8 LSB_JOBINDEX_STEP=1", "1/8"},
		{"LSB_JOBINDEX=8 LSB_JOBINDEX_END=8", "8/8"},
		{"LSB_JOBINDEX=9 LSB_JOBINDEX_END=10 LSB_JOBINDEX_STEP=4", "3/3"},
		{"LSB_JOBINDEX=2", `LSB_JOBINDEX_END = "" is not a number`},
		{"PBS_ARRAY_INDEX=3 PBS_ARRAY_ID=77[].host", `PBS_ARRAY_INDEX = 3, but PBS does not tell a job the size of its array; give --shard "$PBS_ARRAY_INDEX/8"`},
		{"PBS_ARRAYID=3", `PBS_ARRAYID = 3, but PBS does not tell a job the size of its array; give --shard "$PBS_ARRAYID/8"`},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, _, err := Scheduler(func(name string) string { return env[name] })
		if got := s.String(); err == nil && got != c.want || err != nil && (c.want == "" || !strings.HasPrefix(err.Error(), c.want)) {
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
