package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/shard"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

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
