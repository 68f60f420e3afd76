package paper

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// Means and standard errors as an independent reading of the published files has them, for the function of that table that
// is also here: Cross-in-Tray after 80 duels.
func TestFauvelScores(t *testing.T) {
	for rule, want := range map[string]string{
		"DTS":                "1.15 ± 0.13",
		"Thompson challenge": "1.34 ± 0.10",
		"Bivariate EI":       "1.35 ± 0.14",
		"KSS":                "0.76 ± 0.12",
		"MUC":                "1.20 ± 0.15",
		"Random duels":       "0.85 ± 0.13",
	} {
		s := FauvelScores("cross_in_tray", rule, 80)
		check.Equal(t, rule, fmt.Sprintf("%.2f ± %.2f", stats.Mean(s), stats.Std(s)/math.Sqrt(float64(len(s)))), want)
	}
	problems := map[string]bool{}
	for k := range fauvelScores() {
		problems[k.problem] = true
	}
	check.That(t, len(problems) == 18, "%d problems, want 18", len(problems))
	for p := range problems {
		first := FauvelScores(p, "MUC", 6)
		for _, rule := range []string{"MUC", "DTS", "KSS", "Thompson challenge", "Bivariate EI", "Random duels"} {
			for _, t0 := range []int{6, 20, 40, 60, 80} {
				check.Equal(t, p, len(FauvelScores(p, rule, t0)), 40)
			}
			if !slices.Equal(FauvelScores(p, rule, 6), first) || slices.Equal(FauvelScores(p, rule, 20), first) {
				t.Errorf("%s: the scores of %s after 6 duels are not those of all rules, or those after 20 are", p, rule)
			}
		}
	}
	for _, none := range [][]float64{FauvelScores("cross_in_tray", "Brochu EI", 6), FauvelScores("beale", "MUC", 80), FauvelScores("forrester", "MUC", 7)} {
		check.That(t, none == nil, "%v, want nothing", none)
	}
}
