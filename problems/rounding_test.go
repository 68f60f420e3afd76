package problems

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	if len(ours) < 5*len(Names()) || len(ours) != len(others) {
		t.Fatalf("%d lines here, %d with GOAMD64=%s", len(ours), len(others), other)
	}
	for i := range ours {
		check.That(t, ours[i] == others[i], "%s\nwith GOAMD64=%s %s", ours[i], other, others[i])
	}
}

// bits returns a line for each number of every problem in every scale, of two
// instances of a drawn problem. The values at many points are hashed.
func bits(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range Names() {
		s := lookup(t, name)
		for _, scale := range Scales() {
			if s.CheckScale(scale) != nil {
				continue
			}
			for seed := range uint64(2) {
				if s.Optimum != nil && seed > 0 {
					continue
				}
				p := check.Must(s.Instance(scale, rand.New(rand.NewPCG(seed, 1))))(t)
				put := func(what string, v ...float64) {
					fmt.Fprintf(&b, "%s %s %d: %s %x\n", name, scale, seed, what, v)
				}
				put("scale", p.Shift, p.Factor)
				put("optimum", p.Optimum.Value)
				for _, x := range p.Optimum.X {
					put("value at the optimum", append([]float64{p.Value(x)}, x...)...)
				}
				u := uniform(t, p, 31)
				put("uniform", u.Mean, u.Std, u.BestMean, u.BestStd)
				if p.HasGrid() {
					g := p.Grid()
					put("grid", append([]float64{g.Mean, g.Std, g.Max}, g.ArgMax...)...)
				}
				if p.RKHS != nil {
					put("norm", p.RKHS.Norm, p.RKHS.NormBound)
				}
				h := fnv.New64a()
				r, x := rand.New(rand.NewPCG(seed, 2)), make([]float64, p.Box.Dim())
				for range 3000 {
					fmt.Fprintf(h, "%x ", math.Float64bits(p.Value(p.Box.Sample(x, r))))
				}
				fmt.Fprintf(&b, "%s %s %d: values %x\n", name, scale, seed, h.Sum64())
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
