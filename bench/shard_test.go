package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"popbench/internal/check"
)

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
		check.That(t, err == nil && strings.TrimSpace(string(out)) == c.want, "%s: %v, %s; want %s", script, err, out, c.want)
	}
}
