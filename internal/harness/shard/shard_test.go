package shard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/suite"
)

// Below each environment of testdata/scheduler.golden stands the shard that it means, or why it means none.
func TestSchedulerShard(t *testing.T) {
	golden.Lines(t, "scheduler.golden", func(line string) string {
		env := map[string]string{}
		for _, pair := range strings.Fields(line) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, _, err := Scheduler(func(name string) string { return env[name] })
		if err != nil {
			return err.Error()
		}
		return s.String()
	})
	for _, bad := range []string{"", "3", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3"} {
		check.Equal(t, "--shard "+bad+" is taken", new(Shard).Set(bad) == nil, false)
	}
}

// Together the shards have every cell exactly once, and every shard has an equal part of every
// algorithm on every problem.
func TestShardsPartition(t *testing.T) {
	const text = `{name: demo, steps: 3, repetitions: 12, problems: [{name: beale}, {name: levy13}], algorithms: [{name: popbo}, {name: random}]}`
	cells := check.Must(check.Must(suite.Parse("demo.yaml", []byte(text), suite.Catalogue{}))(t).Expand(nil, nil))(t)
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
