package problems

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The same program built with another GOAMD64, which applies to package math and gonum too.
func TestValuesDoNotDependOnGOAMD64(t *testing.T) {
	const variable = "POPBENCH_BITS" // where the other program writes them
	if path := os.Getenv(variable); path != "" {
		check.OK(t, os.WriteFile(path, []byte(bits(t)), 0o666))
		return
	}
	check.OnlyLong(t) // it builds a program; scripts/platforms compares records of both levels
	if runtime.GOARCH != "amd64" {
		t.Skip("for amd64 only")
	}
	other := "v3"
	if level := strings.TrimSpace(goTool(t, nil, "env", "GOAMD64")); level >= "v3" {
		other = "v1"
	}
	program, output := filepath.Join(t.TempDir(), "problems.test"), filepath.Join(t.TempDir(), "bits")
	goTool(t, []string{"GOAMD64=" + other}, "test", "-c", "-o", program, ".")
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"="+output)
	if out, err := cmd.CombinedOutput(); strings.Contains(string(out), "microarchitecture support") {
		t.Skipf("this processor is older than %s", other)
	} else if err != nil {
		t.Fatalf("GOAMD64=%s: %v: %s", other, err, out)
	}
	theirs := check.Must(os.ReadFile(output))(t)
	ours, others := strings.Split(bits(t), "\n"), strings.Split(string(theirs), "\n")
	if len(ours) < 3*len(Names()) || len(ours) != len(others) {
		t.Fatalf("%d lines here, %d with GOAMD64=%s", len(ours), len(others), other)
	}
	for i := range ours {
		check.That(t, ours[i] == others[i], "%s\nwith GOAMD64=%s %s", ours[i], other, others[i])
	}
}

// bits returns a line for every problem in every scale, and for two instances of a drawn one: a hash of all its numbers.
func bits(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range Names() {
		s, seeds := lookup(t, name), uint64(1)
		if s.Optimum == nil {
			seeds = 2
		}
		for _, scale := range slices.DeleteFunc(Scales(), func(scale Scale) bool { return s.CheckScale(scale) != nil }) {
			for seed := range seeds {
				p := check.Must(s.Instance(scale, stream(seed)))(t)
				h := fnv.New64a()
				fmt.Fprintf(h, "%x %x %x %v %v", p.Shift, p.Factor, p.Optimum.Value, uniform(t, p, 31), p.Grid())
				if p.RKHS != nil {
					fmt.Fprintf(h, " %x %x", p.RKHS.Norm, p.RKHS.NormBound)
				}
				for _, x := range p.Optimum.X {
					fmt.Fprintf(h, " %x %x", p.Value(x), x)
				}
				r, x := stream(seed), make([]float64, p.Box.Dim())
				for range 3000 {
					fmt.Fprintf(h, " %x", p.Value(p.Box.Sample(x, r)))
				}
				fmt.Fprintf(&b, "%s %s %d: %x\n", name, scale, seed, h.Sum64())
			}
		}
	}
	return b.String()
}

// goTool returns the output of the go command, stdout and stderr.
func goTool(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v: %.2000s", args[0], err, out)
	}
	return string(out)
}
