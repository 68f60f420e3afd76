package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/run/runner"
	"popbench/record"
	"popbench/suite"
)

const manyRuns = "{name: many, seed: 1, steps: 30, repetitions: %d, problems: [beale, branin], algorithms: [{name: popbo, label: A}, " +
	"{name: popbo, label: B}, {name: popbo, label: C}, {name: popbo, label: D}, {name: popbo, label: E}]}"

// oneRecord keeps the last record.
type oneRecord struct {
	*record.Record
	*record.Timing
}

func (s *oneRecord) Put(r *record.Record, t *record.Timing) error {
	s.Record, s.Timing = r, t
	return nil
}

// manyRecords writes a results folder with ten groups of the given number of runs, and a suite
// file. All runs on a problem have the same steps.
func manyRecords(t *testing.T, runs int) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "many")
	file = dir + ".yaml"
	text := fmt.Sprintf(manyRuns, runs)
	check.OK(t, os.WriteFile(file, []byte(text), 0o666))
	cells := check.Must(check.Must(suite.Load(file, suite.Catalogue{}))(t).Expand(nil, nil))(t)
	var list record.List
	examples := map[string]*oneRecord{}
	for _, c := range cells {
		list.Add(record.Group(c.ID()), c.Repetition)
		p := c.Template.Problem.Name
		if examples[p] == nil {
			examples[p] = &oneRecord{}
			check.OK(t, runner.Run(t.Context(), []suite.Cell{c}, examples[p].Put, runner.Options{}))
		}
		r, timing := *examples[p].Record, *examples[p].Timing
		h := c.Header()
		h.Problem = r.Header.Problem
		h.Algorithm.Feedback, h.Algorithm.Metrics = r.Header.Algorithm.Feedback, r.Header.Algorithm.Metrics
		r.Header, timing.Cell = h, h.Cell
		data := check.Must(record.Encode(&r))(t)
		seconds := check.Must(json.Marshal(timing))(t)
		for path, data := range map[string][]byte{record.RecordPath(dir, h.Cell): data, record.TimingPath(dir, h.Cell): seconds} {
			check.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
			check.OK(t, os.WriteFile(path, data, 0o666)) // unlike a run, without waiting for the disk
		}
	}
	folder := check.Must(record.Create(dir))(t)
	defer folder.Close()
	check.OK(t, folder.PutList(list, []byte(text)))
	return dir, file
}

// Peak memory hardly depends on the number of cells: one more takes at most 8 kB. Both numbers are large, because that of a
// few hundred is below what peakOf allows for garbage. POPBENCH_MEMORY_CELLS sets the larger one.
func TestMemory(t *testing.T) {
	const most = 8 // kB for each further cell; whole records of 30 steps that are kept take 32 or more
	check.OnlyLong(t)
	if runtime.GOOS != "linux" {
		t.Skip("it reads the peak from /proc")
	}
	cells := 4000
	if n, err := strconv.Atoi(os.Getenv("POPBENCH_MEMORY_CELLS")); err == nil {
		cells = n
	}
	exe := benchtest.Program(t)
	var dirs, files [2]string
	few := cells / 4
	for i, n := range []int{few, cells} {
		dirs[i], files[i] = manyRecords(t, n/10)
	}
	for _, line := range []string{"run FILE --out DIR", "merge DIR.merged DIR", "compare DIR DIR", "compare --exact DIR DIR", "report DIR --sheet profile", "report DIR"} {
		t.Run(line, func(t *testing.T) {
			// A peak varies with the machine's other work: the least of up to three.
			peak, each := [2]int{math.MaxInt, math.MaxInt}, math.Inf(1)
			for try := 0; try < 3 && each > most; try++ {
				for i := range dirs {
					args := strings.Fields(strings.NewReplacer("FILE", files[i], "DIR", dirs[i]).Replace(line))
					peak[i] = min(peak[i], peakOf(t, exec.Command(exe, args...)))
				}
				each = float64(peak[1]-peak[0]) / float64(cells-few)
				t.Logf("%d kB with %d cells, %d kB with %d: %.1f kB for each more", peak[0], few, peak[1], cells, each)
			}
			check.That(t, each <= most, "each further cell takes %.1f kB", each)
		})
	}
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// peakOf runs the command and returns its peak memory, in kB. The value that the system reports afterwards includes the
// process that it was forked from. Above 32 MB garbage is collected at once: for a user up to 96 MB of it are in the peak,
// which would vary by more than what a thousand cells take.
func peakOf(t *testing.T, cmd *exec.Cmd) (peak int) {
	t.Helper()
	var log bytes.Buffer
	cmd.Stderr, cmd.Env = &log, append(os.Environ(), "GOMEMLIMIT=32MiB")
	check.OK(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil || peak == 0 {
				t.Fatalf("%v: %v, peak %d\n%s", cmd.Args, err, peak, &log)
			}
			return peak
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if m := highWater.FindSubmatch(status); m != nil && strings.Contains(string(status), "Name:\tbench.exe\n") {
				kB, _ := strconv.Atoi(string(m[1]))
				peak = max(peak, kB)
			}
		}
	}
}
