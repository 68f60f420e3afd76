package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/shard"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// After a killed merge, the folder lists what is missing, and the merge can be continued.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	exe, demo := benchtest.Program(t), demoSuite(t, "60")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part, "--only", "beale")
	}
	midway := 0
	for try := 0; midway < check.Few(1, 3); try++ {
		into := filepath.Join(dir, strconv.Itoa(try))
		cmd := exec.Command(exe, "merge", into, out+".shard-001-of-002", out+".shard-002-of-002")
		check.OK(t, cmd.Start())
		for range 10_000 { // wait for its first record, at most ten seconds
			if some, _ := filepath.Glob(filepath.Join(into, "records", "*", "*", "*.jsonl")); len(some) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		reader := check.Must(record.Open(into))(t)
		found := check.Must(reader.Each(func(*record.Record, *record.Timing) error { return nil }))(t)
		missing := record.Count(found.Missing())
		if found.Records+missing != 120 {
			t.Errorf("%d records, and %d that are said to be missing of 120", found.Records, missing)
		}
		if missing > 0 {
			midway++
			if text, _, err := bench(t, "report", "--format", "text", into); err != nil || !strings.Contains(text, fmt.Sprintf("of the 120 cells that cells.json lists %d ha", missing)) {
				t.Errorf("%v: the report does not say so:\n%.300s", err, text)
			}
			done(t, "merge", into, out+".shard-001-of-002", out+".shard-002-of-002")
			if text := done(t, "report", "--format", "text", into); strings.Contains(text, "Not complete") {
				t.Errorf("complete, and the report says\n%.300s", text)
			}
		}
		if try == 50 {
			t.Fatal("no kill hit a merge midway: the test shows nothing")
		}
	}
}

// Shards by two programs are merged if a flag allows it. Every command that reads the result
// says that it is a mixture.
func TestMixture(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	demo := demoSuite(t, "4")
	out := filepath.Join(t.TempDir(), "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part)
	}
	second := (shard.Shard{I: 2, N: 2}).Folder(out)
	results := check.Must(reporttest.ReadDir(second))(t)
	for _, r := range results.Records {
		r.Header.Platform, r.Header.Arithmetic = "linux/amd64/v9", ""
		check.OK(t, record.WriteFile(record.RecordPath(second, r.Header.Cell), r))
	}
	if _, _, err := bench(t, "merge", out); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "linux/amd64/v9") || !strings.Contains(err.Error(), "--allow-mixture") {
		t.Errorf("merged two programs: %v", err)
	}
	done(t, "merge", out, "--allow-mixture")
	for _, args := range [][]string{{"report", "--format", "text", out}, {"report", "--sheet", "profile", out}} {
		if text := done(t, args...); !strings.Contains(text, "! A mixture: the records are not of one program: ") {
			t.Errorf("bench %v does not say that it is a mixture:\n%.400s", args, text)
		}
	}
	if _, _, err := bench(t, "compare", second, out, "--allow", "missing"); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "HEAD is itself a mixture") {
		t.Errorf("compared a mixture: %v", err)
	}
	if text := done(t, "compare", "--exact", out, out); !strings.Contains(text, "16 records identical") {
		t.Errorf("record by record: %s", text)
	}
	// A run does not continue there without the flag.
	check.OK(t, os.Remove(record.RecordPath(out, results.Records[0].Header.Cell)))
	if _, _, err := bench(t, "run", demo, "--out", out); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "7 records by popbench source") {
		t.Errorf("went on with another program's records: %v", err)
	}
	done(t, "run", demo, "--out", out, "--allow-mixture")
}

// The job scripts start bench with what the scheduler gives a job.
func TestJobScripts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a Unix shell")
	}
	for script, c := range map[string]struct{ env, args, want string }{
		"slurm": {"SLURM_CPUS_PER_TASK=2", "quick --out x", "run quick --workers 2 --out x"},
		"lsf":   {"LSB_DJOB_NUMPROC=2", "quick --out x", "run quick --workers 2 --out x"},
		"sge":   {"NSLOTS=2", "quick --out x", "run quick --workers 2 --out x"},
		"pbs":   {"PBS_ARRAY_INDEX=3 SUITE=quick PARTS=8 NCPUS=2 FLAGS=--force", "", "run quick --shard 3/8 --workers 2 --force"},
	} {
		cmd := exec.Command("sh", append([]string{filepath.Join(root, "scripts", script, "array.sh")}, strings.Fields(c.args)...)...)
		cmd.Env = append(strings.Fields(c.env), "BENCH=echo", "PATH="+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %v, %s; want %s", script, err, out, c.want)
		}
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	return check.Must(os.ReadFile(path))(t)
}
