package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// Below each environment of testdata/scheduler.golden stands the shard that it means, or why it means none.
func TestSchedulerShard(t *testing.T) {
	check.GoldenLines(t, "scheduler.golden", func(line string) string {
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
			for id := range (Shard{i, n}).of(cells) {
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

// A slash at the end is not of the name, and a folder that is no shard's has no others.
func TestNamesOfFolders(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	second := Shard{2, 3}
	check.OK(t, os.Mkdir(second.Folder(out), 0o777))
	check.Same(t, "begun", check.Must(begunShards(out+"/"))(t), []Shard{second})
	check.Error(t, "another number", (Shard{1, 2}).fits(out), "out has shards of 3, and this is part 1/2; to repeat part i, give --shard i/3, else ")
	check.OK(t, errors.Join((Shard{1, 3}).fits(out), (Shard{1, 1}).fits(out), (Shard{1, 2}).fits(out+"2")))
	check.Error(t, "two missing", check.Err(findShards(out)), "run part 1/3 first")
	j := job{RunOptions: RunOptions{Suite: "demo.yaml", Out: out + "/", Shard: second}, text: []byte(demo)}
	check.OK(t, new(App).expand(&j))
	check.Equal(t, "where a shard runs", j.Out, second.Folder(out))
	check.Equal(t, "missing of others", missingShards([]string{second.Folder(out), out}), "")
}
