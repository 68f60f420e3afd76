package paper

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
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
	tex := check.Must(os.ReadFile("testdata/statements.tex"))(t)
	said := map[string]string{}
	for line := range strings.Lines(string(tex)) {
		name, text, _ := strings.Cut(line, ": ")
		said[name] += text
	}
	// number returns the number that a pattern finds in the text on an experiment, or 0.
	number := func(name, pattern string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(said[name])
		if m == nil {
			return 0
		}
		return check.Must(strconv.ParseFloat(m[1], 64))(t)
	}
	for _, e := range Experiments() {
		name := e.Name
		check.That(t, LookupExperiment(name) == e, "%s is not found by its name", name)
		for what, is := range map[string][2]float64{
			"runs":    {float64(e.Runs), number(name, `(?:We sampled|We run|over) \$?(\d+)\$? (?:instances|runs|randomly)`)},
			"band":    {e.Band, number(name, `\\pm([0-9.]+)`)},
			"seconds": {e.StepSeconds, number(name, `only \$([0-9.]+)\$ seconds`)},
		} {
			check.That(t, is[0] == is[1], "%s: %s: %g, the paper says %g", name, what, is[0], is[1])
		}
		steps := number(name, `(?:for|after) \$?(\d+)\$? steps`)
		if e.StepsFrom != "" {
			steps = float64(len(LookupGrowth(name).Regret))
		}
		check.That(t, float64(e.Steps) == steps, "%s: %d steps, the paper says %g", name, e.Steps, steps)
		check.That(t, e.Title != "", "%s has no title", name)
		check.That(t, e.Section != "", "%s has no section", name)
		check.That(t, slices.Contains(e.Methods, Own), "%s: methods %v, want %v among them", name, e.Methods, Own)
		check.Equal(t, name+": names the machine of its times", e.Machine != "", e.StepSeconds > 0)
	}
	var cells []string
	for _, m := range regexp.MustCompile(`\$\\?[a-z]*\{+([0-9.]+)\}+\$|\$([0-9.]+)\$`).FindAllStringSubmatch(said["times"], -1) {
		cells = append(cells, m[1]+m[2])
	}
	for i, v := range Times().Ratio {
		if got, err := strconv.ParseFloat(cells[i], 64); err != nil || got != v || len(cells) != len(Times().Methods) {
			t.Errorf("%s: %g, the paper prints %v", Times().Methods[i], v, cells)
		}
	}
	for _, part := range []string{"Intel64 Family 6 Model 142 Stepping 12", "1803"} {
		if m := LookupExperiment("gp-12d").Machine; !strings.Contains(m, part) || !strings.Contains(said["machine"], part) {
			t.Errorf("the machine is %q, the paper says %q", m, said["machine"])
		}
	}
	check.That(t, LookupExperiment("no such experiment") == nil, "an experiment that is not there was found")
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
