package problems

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
)

// The scales that other programs publish have the error rates that they state, but for Shekel's function, whose scales are
// wrong. results/paper/qeubo-2023/README.md has the table.
func TestPublishedScales(t *testing.T) {
	check.OnlyLong(t) // the problems, links and ranks have references of their own
	var published struct {
		Scales []struct {
			Source, Problem string
			Link            Link
			Each, Wrong     bool
			Top             float64
			Rates, Scales   []float64
		}
	}
	check.Read(t, "testdata/published_scales.json", &published)
	const n = 1 << 18 // the rates are right to about 0.003
	percent := func(format string, rates []float64) string {
		var s []string
		for _, r := range rates {
			s = append(s, fmt.Sprintf(format, 100*r))
		}
		return strings.Join(s, ", ")
	}
	table := "| program | problem | noise | best | scales | errors stated, % | errors, % |\n|---|---|---|---|---|---|---|\n"
	values := map[string][]float64{}
	for _, p := range published.Scales {
		if values[p.Problem] == nil {
			v := check.Must(instance(t, p.Problem, Raw).sample(t.Context(), n, stream(8)))(t)
			slices.Sort(v)
			values[p.Problem] = v
		}
		top := values[p.Problem][n-int(n*p.Top/100):]
		noise, factor := string(p.Link), 1.0
		if p.Each {
			noise, factor = noise+" on each utility", math.Sqrt2
		}
		var rates []float64
		var scales []string
		for i, scale := range p.Scales {
			scales = append(scales, fmt.Sprintf("%.4f", scale))
			m, r := Model{Link: p.Link, Scale: scale * factor}, stream(9)
			var sum float64
			for range n {
				_, _, worse := m.Duel(math.Abs(top[r.IntN(len(top))] - top[r.IntN(len(top))]))
				sum += worse
			}
			rate := sum / n
			rates = append(rates, rate)
			check.That(t, (math.Abs(rate-p.Rates[i]) < 0.006) != p.Wrong,
				"%s, %s, %s: the scale %g misjudges %.4f of the pairs, should be %g (wrong: %v)", p.Source, p.Problem, noise, scale, rate, p.Rates[i], p.Wrong)
		}
		table += fmt.Sprintf("| %s | `%s` | %s | %g %% | %s | %s | %s |\n", p.Source, p.Problem, noise, p.Top, strings.Join(scales, ", "), percent("%g", p.Rates), percent("%.1f", rates))
	}
	page := check.Must(os.ReadFile("../results/paper/qeubo-2023/README.md"))(t)
	check.That(t, strings.Contains(string(page), table), "results/paper/qeubo-2023/README.md does not have the table of published scales, which is\n%s", table)
}
