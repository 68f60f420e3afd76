package paper

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

// Figures and tables are numbered by their place in the paper's source, whose order is in
// testdata/floats.tex.
func TestExhibitsAreThePapers(t *testing.T) {
	tex := check.Must(os.ReadFile("testdata/floats.tex"))(t)
	names := map[string]string{} // by label
	figures, tables := 0, 0
	for line := range strings.Lines(string(tex)) {
		switch {
		case strings.HasPrefix(line, `\begin{figure`):
			figures++
		case strings.HasPrefix(line, `\begin{table`):
			tables++
		case strings.HasPrefix(line, `\label{fig:`):
			names[strings.Trim(line[len(`\label`):], "{}\n")] = fmt.Sprintf("Fig. %d", figures)
		case strings.HasPrefix(line, `\label{tab:`):
			names[strings.Trim(line[len(`\label`):], "{}\n")] = fmt.Sprintf("Tab. %d", tables)
		}
	}
	shown := map[string]bool{}
	for _, x := range Experiments() {
		for _, e := range x.Exhibits {
			check.Equal(t, x.Name+": name of "+e.Label, e.Name, names[e.Label])
			check.Equal(t, x.Name+": "+e.Label+" has been shown", shown[e.Label], false)
			check.That(t, len(e.Shows) != 0, "%s: %s shows nothing", x.Name, e.Label)
			check.Equal(t, "name of "+e.Label+" in a text", Numbered("Sec. 6, "+e.Label+", and more"), "Sec. 6, "+e.Name+", and more")
			check.That(t, e.About != "", "%s: %s is about nothing", x.Name, e.Label)
			shown[e.Label] = true
		}
	}
	// All except the table of the theory's rates.
	check.That(t, len(shown) == len(names)-1 && !shown["tab:kern_spec_bounds"], "%d exhibits of %d", len(shown), len(names))
	check.Contains(t, "the source of the table of times", Times().Source, ", "+names["tab:comp_time"]+", ")
}

// The experiments agree with the paper's sentences.
func TestExperimentsAreThePapers(t *testing.T) {
	said := map[string]string{}
	for line := range strings.Lines(string(check.Must(os.ReadFile("testdata/statements.tex"))(t))) {
		name, text, _ := strings.Cut(line, ": ")
		said[name] += text
	}
	// number returns the number that a pattern finds in the text on an experiment, or 0.
	number := func(name, pattern string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(said[name])
		if m == nil {
			return 0
		}
		return float(t, m[1])
	}
	for _, e := range Experiments() {
		name := e.Name
		check.That(t, LookupExperiment(name) == e, "%s is not found by its name", name)
		check.Equal(t, name+": runs", float64(e.Runs), number(name, `(?:We sampled|We run|over) \$?(\d+)\$? (?:instances|runs|randomly)`))
		check.Equal(t, name+": band", e.Band, number(name, `\\pm([0-9.]+)`))
		check.Equal(t, name+": seconds", e.StepSeconds, number(name, `only \$([0-9.]+)\$ seconds`))
		steps := number(name, `(?:for|after) \$?(\d+)\$? steps`)
		if e.StepsFrom != "" {
			steps = float64(len(LookupGrowth(name).Regret))
		}
		check.Equal(t, name+": steps", float64(e.Steps), steps)
		check.That(t, e.Title != "" && e.Section != "", "%s has no title or no section", name)
		check.That(t, slices.Contains(e.Methods, Own), "%s: methods %v, want %v among them", name, e.Methods, Own)
		check.Equal(t, name+": names the machine of its times", e.Machine != "", e.StepSeconds > 0)
	}
	var ratios []float64
	for _, m := range regexp.MustCompile(`\$\\?[a-z]*\{+([0-9.]+)\}+\$|\$([0-9.]+)\$`).FindAllStringSubmatch(said["times"], -1) {
		ratios = append(ratios, float(t, m[1]+m[2]))
	}
	check.Same(t, "ratios of times", Times().Ratio, ratios)
	check.Equal(t, "methods with times", len(Times().Methods), len(ratios))
	const processor, version = "Intel64 Family 6 Model 142 Stepping 12", "1803"
	check.Contains(t, "the machine", LookupExperiment("gp-12d").Machine, processor, version)
	check.Contains(t, "the machine of the paper", said["machine"], processor, version)
}

// Labels become the numbers that readers of the paper see, also where one label begins with another.
func TestNumbered(t *testing.T) {
	for in, want := range map[string]string{
		"Sec. 6.1, fig:cumu_sim_r":                                                                "Sec. 6.1, Fig. 2",
		"fig:cumu_sim_reg_high_gp_dim12, fig:cumu_sim_reg_high_gp":                                "Fig. 3, Fig. 5",
		`App. "Details About the Results in Tab. subopt_testfunc", tab:subopt_testfunc`:           `App. "Details About the Results in Tab. 2", Tab. 2`,
		`App. "Scalability to higher dimension", fig:thermal_comfort_4D, paragraph "fig and tab"`: `App. "Scalability to higher dimension", Fig. 8, paragraph "fig and tab"`,
	} {
		check.Equal(t, in, Numbered(in), want)
	}
}

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
			check.That(t, slices.Equal(FauvelScores(p, rule, 6), first) && !slices.Equal(FauvelScores(p, rule, 20), first),
				"%s: the scores of %s after 6 duels are not those of all rules, or those after 20 are", p, rule)
		}
	}
	for _, none := range [][]float64{FauvelScores("cross_in_tray", "Brochu EI", 6), FauvelScores("beale", "MUC", 80), FauvelScores("forrester", "MUC", 7)} {
		check.That(t, none == nil, "%v, want nothing", none)
	}
}
