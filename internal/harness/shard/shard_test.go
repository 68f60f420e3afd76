package shard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
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
		check.Equal(t, "--shard "+bad+" is taken", new(Shard).Set(bad) == nil, false)
	}
}

// Together the shards have every cell exactly once, and every shard has an equal part of every
// algorithm on every problem.
func TestShardsPartition(t *testing.T) {
	const text = `{name: demo, steps: 3, repetitions: 12, problems: [{name: beale}, {name: levy13}], algorithms: [{name: popbo}, {name: random}]}`
	s := check.Must(suite.Parse("demo.yaml", []byte(text), suite.Catalogue{}))(t)
	cells := check.Must(s.Expand(nil, nil))(t)
	for _, n := range []int{1, 2, 3, 4, 5, 7, 60} {
		seen := map[string]int{}
		for i := 1; i <= n; i++ {
			share := map[string]int{}
			for id := range (Shard{i, n}).Of(cells) {
				seen[id]++
				share[filepath.Dir(id)]++
			}
			for group, k := range share {
				check.That(t, k <= (12+n-1)/n, "part %d/%d has %d of 12 repetitions of %s", i, n, k, group)
			}
		}
		for _, c := range cells {
			check.Equal(t, "parts that have "+c.ID(), seen[c.ID()], 1)
		}
	}
}

// The shards of a folder are found by their names, whatever characters these have, and only all of them.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "res[u]lt*")
	check.Error(t, "none", check.Err(Find(out)), "there is no "+out+".shard-i-of-n; make the shards with bench run --shard i/n --out ")
	var all []string
	for i := 1; i <= 3; i++ {
		all = append(all, Shard{i, 3}.Folder(out))
	}
	for _, name := range []string{all[2], all[0], filepath.Join(dir, "result.shard-1-of-2"), out + ".shard-1-of-2.txt", out + "2.shard-2-of-2"} {
		check.OK(t, os.Mkdir(name, 0o777))
	}
	check.Error(t, "one missing", check.Err(Find(out)), "there is no "+all[1]+"; run part 2/3 first")
	check.Same(t, "begun", check.Must(Begun(out+"/"))(t), []Shard{{1, 3}, {3, 3}})
	check.OK(t, os.Mkdir(all[1], 0o777))
	check.Same(t, "found", check.Must(Find(out))(t), all)
	check.Equal(t, "missing of all", Missing(all), "")
	check.Equal(t, "missing of two", Missing(all[:2]), "these are 2 of 3 shards; give all of them to have all cells")
	check.Equal(t, "missing of others", Missing([]string{all[0], out}), "")
	check.OK(t, os.Mkdir(Shard{1, 2}.Folder(out), 0o777))
	check.Error(t, "two numbers", check.Err(Find(out)), "has shards of 2 and of 3; name those to merge")
}
