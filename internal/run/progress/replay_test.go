package progress

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/record"
)

const fieldResults = "../../../results/field"

// The recordings in testdata are of runs with nothing else on the machine. To make one anew:
//
//	bench reproduce --out DIR
//	for suite in DIR/*/; do bench export $suite --format compact --out COMPACT/$(basename $suite); done
//	go test ./internal/run/progress -run TimeToGo -record reproduce=COMPACT
var recordFlag = flag.String("record", "", "write testdata/`NAME=FOLDER`.txt.gz from the compact results in FOLDER")

// run is a run of a recording.
type run struct {
	suite, group string
	Work
	seconds float64
}

// known has the runs that a test has read, for the next one.
var known = map[string][]run{}

// lines calls f with the lines of a compressed file until it returns false.
func lines(t *testing.T, path string, f func(line []byte) bool) {
	t.Helper()
	all := bufio.NewScanner(check.Must(gzip.NewReader(bytes.NewReader(check.Must(os.ReadFile(path))(t))))(t))
	all.Buffer(nil, 1<<20)
	for all.Scan() && f(all.Bytes()) {
	}
	check.OK(t, all.Err())
}

// timed returns the runs in compact results, one folder or several, in the order in which they began. A run ends when the
// next one begins on its worker.
func timed(t *testing.T, dir string) (runs []run) {
	t.Helper()
	if runs := known[dir]; runs != nil {
		return runs
	}
	defer func() { known[dir] = runs }()
	type span struct {
		run
		workers      int
		began, ended time.Time
	}
	var all []*span
	for _, depth := range []string{"", "*"} {
		for _, path := range check.Must(filepath.Glob(filepath.Join(dir, depth, "timing", "*", "*.jsonl.gz")))(t) {
			var h record.Header
			lines(t, strings.Replace(path, "timing", "records", 1), func(line []byte) bool {
				check.OK(t, json.Unmarshal(line, &h))
				return false
			})
			lines(t, path, func(line []byte) bool {
				var timing record.Timing
				check.OK(t, json.Unmarshal(line, &timing))
				began := check.Must(time.Parse(time.RFC3339, timing.Started))(t)
				steps := time.Duration(timing.Seconds() * float64(time.Second))
				all = append(all, &span{run{h.Suite, record.Group(h.Cell), WorkOf(&h), 0}, timing.Workers, began, began.Add(steps)})
				return true
			})
		}
	}
	slices.SortStableFunc(all, func(a, b *span) int { return a.began.Compare(b.began) })
	var running []*span
	for _, s := range all {
		if len(running) == s.workers {
			slices.SortStableFunc(running, func(a, b *span) int { return a.ended.Compare(b.ended) })
			if running[0].suite == s.suite { // else the report of a suite may lie between
				running[0].ended = s.began
			}
			running = running[1:]
		}
		running = append(running, s)
	}
	for _, s := range all {
		s.seconds = s.ended.Sub(s.began).Seconds()
		runs = append(runs, s.run)
	}
	return runs
}

// recorded returns the runs in testdata.
func recorded(t *testing.T, name string) (runs []run) {
	t.Helper()
	if runs := known[name]; runs != nil {
		return runs
	}
	defer func() { known[name] = runs }()
	path := "testdata/" + name + ".txt.gz"
	if of, dir, _ := strings.Cut(*recordFlag, "="); of == name {
		write(t, path, timed(t, dir))
	}
	var groups []run
	lines(t, path, func(line []byte) bool {
		var r run
		var group int
		_, err := fmt.Sscan(string(line), &group, &r.seconds)
		if fields, ok := strings.CutPrefix(string(line), "group "); ok {
			_, err = fmt.Sscan(fields, &r.suite, &r.group, &r.Algorithm, &r.Disclosed, &r.Dimension, &r.Arms, &r.Steps)
			groups = append(groups, r)
		} else {
			groups[group].seconds = r.seconds
			runs = append(runs, groups[group])
		}
		check.OK(t, err)
		return true
	})
	return runs
}

func write(t *testing.T, path string, runs []run) {
	t.Helper()
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	index := map[string]int{}
	for _, r := range runs {
		name := r.suite + " " + r.group
		i, ok := index[name]
		if !ok {
			i = len(index)
			index[name] = i
			fmt.Fprintln(w, "group", name, r.line())
		}
		fmt.Fprintf(w, "%d %.3g\n", i, r.seconds)
	}
	check.OK(t, cmp.Or(w.Close(), os.WriteFile(path, b.Bytes(), 0o644)))
}

// quick leaves one of thirty runs of each group, at least one, as --quick does.
func quick(runs []run) (left []run) {
	key := func(r run) string { return r.suite + " " + r.group }
	all, kept := map[string]int{}, map[string]int{}
	for _, r := range runs {
		all[key(r)]++
	}
	for _, r := range runs {
		if k := key(r); kept[k] < max(1, all[k]/30) {
			kept[k]++
			left = append(left, r)
		}
	}
	return left
}

// wrong replays the runs with so many workers, each run that many times as long. It returns by how much the time to go is
// wrong after one, two, ... nine tenths of the time, relative to the truth.
func wrong(runs []run, workers int, slower float64) (by []float64) {
	var suites []string
	groups := map[string][]Group{}
	for _, r := range runs {
		if groups[r.suite] == nil {
			suites = append(suites, r.suite)
		}
		i := slices.IndexFunc(groups[r.suite], func(g Group) bool { return g.Name == r.group })
		if i < 0 {
			i = len(groups[r.suite])
			groups[r.suite] = append(groups[r.suite], Group{Name: r.group, Work: r.Work})
		}
		groups[r.suite][i].Left++
	}
	m, _, clock := clocked(workers, len(suites))
	for _, suite := range suites {
		m.Expect(suite, groups[suite])
	}
	type told struct{ at, toGo time.Duration }
	var all []told
	for _, suite := range suites {
		m.Begin(suite, suite)
		began := *clock
		type end struct {
			run
			at time.Duration
		}
		var ends []end
		free := make([]time.Duration, workers) // when each worker is
		for _, r := range runs {
			if r.suite == suite {
				next := slices.Index(free, slices.Min(free))
				r.seconds *= slower
				free[next] += time.Duration(r.seconds * float64(time.Second))
				ends = append(ends, end{r, free[next]})
			}
		}
		slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.at, b.at) })
		for _, e := range ends {
			*clock = began.Add(e.at)
			m.Done(e.group, e.seconds)
			if d, ok := m.forecast.toGo(m.time()); ok {
				all = append(all, told{m.time(), d})
			}
		}
		m.End()
	}
	for i := 1; i < 10; i++ {
		at := m.time() * time.Duration(i) / 10
		last, _ := slices.BinarySearchFunc(all, at, func(t told, at time.Duration) int { return cmp.Compare(t.at, at) })
		by = append(by, float64(all[max(last-1, 0)].toGo)/float64(m.time()-at)-1) // what is read at that time
	}
	return by
}

// The time to go is right within 30 % from the first tenth of the time on, on a fast machine and on a slow one. The costs
// of maxminlcb-2024 are not in the program.
func TestTimeToGo(t *testing.T) {
	check.Sequential(t)
	for name, runs := range map[string][]run{
		"reproduce": recorded(t, "reproduce"), "maxminlcb-2024": recorded(t, "maxminlcb"), "field": timed(t, fieldResults),
	} {
		for what, runs := range map[string][]run{name: runs, name + " --quick": quick(runs)} {
			for _, slower := range []float64{1, 3} {
				by := wrong(runs, 2, slower)
				far := max(slices.Max(by), -slices.Min(by))
				t.Logf("%-24s ×%g: wrong by %.3f", what, slower, by)
				check.That(t, math.Round(100*far) <= 30, "%s: the time to go is wrong by up to %g %%, and may be by 30 %%", what, 100*far)
			}
		}
	}
}

// The costs in the program are those of the field of 2026-11-27, since results/field was made beside other work, and of a
// bench reproduce. Methods that fit a kernel after each answer in the field, but not or less often in most suites, have the
// costs of the field of 2026-11-23; so have random duels.
func TestCosts(t *testing.T) {
	type mean struct{ sum, n float64 }
	means := map[Work]mean{}
	add := func(runs []run, ok func(r run) bool) {
		for _, r := range runs {
			if m := means[r.Work]; ok(r) {
				means[r.Work] = mean{m.sum + r.seconds, m.n + 1}
			}
		}
	}
	before := func(r run) bool {
		return slices.Contains([]string{"maxminlcb", "mrlpf", "pfts", "popbo", "random"}, r.Algorithm)
	}
	add(recorded(t, "field-2026-11-27"), func(r run) bool { return !before(r) })
	add(recorded(t, "field-2026-11-23"), before)
	add(recorded(t, "reproduce"), func(run) bool { return true })
	var b strings.Builder
	for _, w := range slices.SortedFunc(maps.Keys(means), func(a, b Work) int { return cmp.Compare(a.line(), b.line()) }) {
		fmt.Fprintf(&b, "%s %.2g\n", w.line(), means[w].sum/means[w].n)
	}
	check.Golden(t, "../costs.txt", b.String())
	// The work that is the most alike is the same work, where there is some.
	for w, seconds := range costs() {
		check.Equal(t, w.line(), usual(w), seconds)
	}
	check.Equal(t, "an unknown algorithm", usual(Work{Algorithm: "x", Steps: 1}), 0)
}

// line is a line of costs.txt without the seconds.
func (w Work) line() string {
	return fmt.Sprintf("%s %s %d %d %d", w.Algorithm, w.Disclosed, w.Dimension, w.Arms, w.Steps)
}
