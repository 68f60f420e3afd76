package suite

import (
	"strings"
	"testing"

	"popbench/algorithms/popbo"
	"popbench/internal/check"
)

const discloseDemo = `
name: disclosed
steps: 4
repetitions: 2
problems:
  - {name: gp1, scale: raw}
algorithms:
  - {name: popbo, label: both, disclose: kernel-and-norm, settings: {norm_bound: 7}}
  - {name: popbo, label: kernel, disclose: kernel, settings: {norm_bound: 7}}
  - {name: popbo, label: none, settings: {norm_bound: 7}}
  - {name: random}
`

// Kernel and norm of a drawn function reach the algorithms that may know them, and the record says
// so.
func TestDisclose(t *testing.T) {
	bounds := map[float64]bool{}
	for _, c := range expand(t, discloseDemo) {
		trial := check.Must(c.Start(t.Context()))(t)
		truth, norm := trial.Problem.RKHS, trial.Header.Problem.Norm
		p, ok := trial.Algorithm.(*popbo.POPBO)
		if !ok {
			if norm != nil {
				t.Errorf("%s: the norm is known", c.ID())
			}
			continue
		}
		kernelKnown, normKnown := true, false
		switch c.Template.Algorithm.Label {
		case "both":
			normKnown = true
			bounds[truth.NormBound] = true
		case "none":
			kernelKnown = false
		}
		got := p.Config()
		check.Equal(t, c.ID()+": the kernel is known", got.Kernel.String() == truth.Kernel.String(), kernelKnown)
		check.Equal(t, c.ID()+": B", got.NormBound, map[bool]float64{true: truth.NormBound, false: 7}[normKnown])
		if kernelKnown != (norm != nil) || norm != nil && *norm != truth.Norm {
			t.Errorf("%s: the record's norm is %v, the truth %g", c.ID(), norm, truth.Norm)
		}
		how := trial.Header.Problem.OptimumHow
		check.That(t, how == trial.Problem.Optimum.How && how != "", "%s: the record says of the optimum: %q", c.ID(), how)
	}
	check.Equal(t, "norm bounds of two repetitions", len(bounds), 2)
}

// A suite with an impossible disclosure or scale is refused before a cell runs.
func TestDiscloseRefusals(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"gp1, scale: raw", "beale", "demo.yaml:8: algorithms[0].disclose: is kernel-and-norm, but beale is not drawn from an RKHS"},
		{"gp1, scale: raw", "gp1", `problem gp1: scale "std": a drawn function is not rescaled; give scale raw`},
	} {
		check.Error(t, test.new, refusal(Parse("demo.yaml", []byte(strings.Replace(discloseDemo, test.old, test.new, 1)), Catalogue{})), test.want)
	}
}
