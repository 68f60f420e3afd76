package suite

import (
	"strings"
	"testing"

	"popbench/algorithms/popbo"
)

const grantDemo = `
name: granted
steps: 4
repetitions: 2
problems:
  - {name: gp1, scale: raw}
algorithms:
  - {name: popbo, label: both, settings: {grant: kernel-and-norm, norm_bound: 7}}
  - {name: popbo, label: kernel, settings: {grant: kernel, norm_bound: 7}}
  - {name: popbo, label: none, settings: {norm_bound: 7}}
  - {name: random}
`

// What a drawn function is like reaches the algorithms that are to know it, and
// the record says so.
func TestGrant(t *testing.T) {
	bounds := map[float64]bool{}
	for _, c := range expand(t, grantDemo) {
		trial, err := c.Start()
		if err != nil {
			t.Fatal(err)
		}
		truth, norm := trial.Problem.RKHS, trial.Header.Problem.Norm
		p, ok := trial.Algorithm.(*popbo.POPBO)
		if !ok {
			if norm != nil {
				t.Errorf("%s: the norm is known", c.ID())
			}
			continue
		}
		kernelGranted, normGranted := true, false
		switch c.Template.Algorithm.Label {
		case "both":
			normGranted = true
			bounds[truth.NormBound] = true
		case "none":
			kernelGranted = false
		}
		got := p.Config()
		if same := got.Kernel.String() == truth.Kernel.String(); same != kernelGranted {
			t.Errorf("%s: the kernel is %v, the truth %v", c.ID(), got.Kernel, truth.Kernel)
		}
		if want := map[bool]float64{true: truth.NormBound, false: 7}[normGranted]; got.NormBound != want {
			t.Errorf("%s: B = %g, should be %g", c.ID(), got.NormBound, want)
		}
		if kernelGranted != (norm != nil) || norm != nil && *norm != truth.Norm {
			t.Errorf("%s: the record's norm is %v, the truth %g", c.ID(), norm, truth.Norm)
		}
		if how := trial.Header.Problem.OptimumHow; how != trial.Problem.Optimum.How || how == "" {
			t.Errorf("%s: the record says of the optimum: %q", c.ID(), how)
		}
		if got.Grant != "none" || !strings.Contains(string(trial.Header.Algorithm.Settings), `"grant":"`) {
			t.Errorf("%s: grant is %q in force; the record has %s", c.ID(), got.Grant, trial.Header.Algorithm.Settings)
		}
	}
	if len(bounds) != 2 {
		t.Errorf("two repetitions have %d norm bounds", len(bounds))
	}
}

// What cannot be granted or scaled is refused before anything is run.
func TestGrantRefusals(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"gp1, scale: raw", "beale", "settings: grant: beale is not drawn from an RKHS"},
		{"gp1, scale: raw", "gp1", `problem gp1: scale "std": the values of a drawn function are used as they are; give scale raw`},
	} {
		_, err := Expand(parse(t, strings.Replace(grantDemo, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.new, err)
		}
	}
}
