package suite

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/problems"
	"popbench/record"
)

// oracles is a suite with an oracle for its problems. A name alone stands for an entry.
func oracles(oracle, problems, algorithms string) string {
	for _, list := range []*string{&problems, &algorithms} {
		if !strings.Contains(*list, "{") {
			*list = "{name: " + *list + "}"
		}
	}
	return fmt.Sprintf("name: oracles\nseed: 3\nsteps: 5\nrepetitions: 4\noracle: %s\nproblems: [%s]\nalgorithms: [%s]\n", oracle, problems, algorithms)
}

// trials starts all cells of a suite.
func trials(t *testing.T, text string) []*Trial {
	t.Helper()
	var all []*Trial
	for _, c := range expand(t, text) {
		trial := check.Must(c.Start(t.Context()))(t)
		check.OK(t, trial.Header.Check())
		all = append(all, trial)
	}
	return all
}

// Each model reaches the oracle and the record: from the answers to one query, by the probability that its better point
// loses or that there is a tie.
func TestModelsReachTheOracle(t *testing.T) {
	x, y := []float64{-math.Pi, 12.275}, []float64{0, 10} // the optimum of Branin and another point
	for oracle, m := range map[string]problems.Model{
		"noiseless":                         {Link: problems.Noiseless},
		"{model: flip, error_rate: 0.3}":    {Link: problems.Flip, ErrorRate: 0.3},
		"{scale: 2}":                        {Link: problems.Logistic, Scale: 2},
		"{model: probit, scale: 2}":         {Link: problems.Probit, Scale: 2},
		"{model: noiseless, jnd: 100}":      {Link: problems.Noiseless, JND: 100},
		"{scale: 2, jnd: 0.5}":              {Link: problems.Logistic, Scale: 2, JND: 0.5},
		"{scale: 2, jnd: 0.01, ties: hard}": {Link: problems.Logistic, Scale: 2, JND: 0.01, Hard: true},
	} {
		trial := trials(t, oracles(oracle, "branin", "random"))[0]
		const n = 4000
		var lost, tied, d float64
		for range n {
			a := check.Must(trial.Answer(t.Context(), [][]float64{x, y}))(t)
			if d = a.Utility[0] - a.Utility[1]; a.Tie {
				tied++
			} else if a.Winner == 1 {
				lost++
			}
		}
		_, tie, lose := m.Duel(d)
		for what, v := range map[string][2]float64{"lost": {lost, lose}, "tied": {tied, tie}} {
			check.Near(t, v[0], n*v[1], 5*math.Sqrt(n*v[1]*(1-v[1]))+1e-9, "%s: how often the better point %s", oracle, what)
		}
		o := trial.Header.Oracle
		check.That(t, o != nil && o.Model == string(m.Link), "%s: the record has %+v", oracle, o)
	}
}

// A scale drawn in each repetition is the same for its algorithms, in the range, and another in the next one.
func TestDrawnScales(t *testing.T) {
	seen := map[float64]int{}
	for _, trial := range trials(t, oracles("{model: probit, scale: {lo: 0.01, hi: 100}}", "{name: branin}, {name: beale}", "{name: random}, {name: random, label: again}")) {
		o := trial.Header.Oracle
		check.That(t, o.Scale >= 0.01 && o.Scale <= 100 && *o.ScaleRange == record.ScaleRange{Lo: 0.01, Hi: 100}, "%s: %+v", trial.Header.Cell, o)
		seen[o.Scale]++
	}
	check.Equal(t, "scales", len(seen), 8)
	for scale, n := range seen {
		check.Equal(t, fmt.Sprint("algorithms with scale ", scale), n, 2)
	}
}

// A computed scale is that of the problem, or of each function where they differ; on a finite set it is exact.
func TestComputedScales(t *testing.T) {
	scales := func(problem string) map[float64]*record.Calibration {
		found := map[float64]*record.Calibration{}
		for _, trial := range trials(t, oracles("{error_rate: 0.2, on: top-10%, points: 500}", problem, "{name: random}, {name: random, label: again}")) {
			found[trial.Header.Oracle.Scale] = trial.Header.Oracle.Calibration
		}
		return found
	}
	found := scales("branin")
	check.Equal(t, "scales of branin", len(found), 1)
	for scale, c := range found {
		want := record.Calibration{ErrorRate: 0.2, On: "top-10%", Status: "converged", Bracket: c.Bracket, Points: 500, Top: 50, Pairs: 1225, Iterations: c.Iterations}
		check.That(t, *c == want && c.Bracket.Lo <= scale && scale <= c.Bracket.Hi && c.Bracket.Hi < c.Bracket.Lo*(1+1e-11),
			"scale %v: %+v, bracket %+v", scale, c, c.Bracket)
	}
	check.Equal(t, "scales of gp1", len(scales("{name: gp1, scale: raw}")), 4)
	for _, c := range scales("{name: branin, scale: raw, label: grid, arms: {grid: [10, 8]}}") {
		check.That(t, c.Exact && c.Points == 80 && c.Top == 8 && c.Pairs == 28, "on arms: %+v", c)
	}
	_, err := expand(t, oracles("{error_rate: 0.2, points: 150}", "branin", "random"))[0].Start(t.Context())
	check.Contains(t, "error", fmt.Sprint(err), "oracle: the top 1 % of 150 points are 1; give a share that has two or more")
}

// An interrupted computation of a scale is not kept.
func TestComputedScaleAfterAnInterruption(t *testing.T) {
	c := expand(t, oracles("{error_rate: 0.2, points: 2000}", "branin", "random"))[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.That(t, check.Err(c.Start(ctx)) != nil, "it was not interrupted")
	check.Must(c.Start(t.Context()))(t)
}

// The oracle of the suite answers the pilot, whose ties are left out.
func TestPilotOfAnOracle(t *testing.T) {
	for oracle, want := range map[string]int{"noiseless": 30, "{model: noiseless, jnd: 100}": 0} {
		trial := trials(t, oracles(oracle, "branin", "{name: random, pilot: 30}"))[0]
		pilot := check.Must(trial.Algorithm.(algorithms.Resumable).State())(t).Pilot
		check.Equal(t, oracle+": comparisons", len(pilot), want)
		for _, c := range pilot {
			check.That(t, trial.Problem.Value(c.Points[c.Winner]) >= trial.Problem.Value(c.Points[1-c.Winner]), "%s: the worse point of %v won", oracle, c.Points)
		}
	}
}

// Cells whose algorithm cannot use the oracle's answers are undefined, with the reason.
func TestUnusableOracles(t *testing.T) {
	const ties, values = "the oracle's answers may be ties, from which it does not learn", "value observations have the noise of a logistic oracle without ties; this one's model is "
	for _, c := range []struct{ oracle, algorithm, want string }{
		{"{jnd: 0.1}", "random", ""},
		{"{jnd: 0.1}", "popbo", ties},
		// Its pilot has ties only.
		{"{jnd: 100}", "{name: popbo, pilot: 3, settings: {fit_lengthscale: isotropic, refit_every: 0}}", ties},
		{"{model: noiseless, jnd: 0.1}", "qeubo", ties},
		{"{jnd: 0.1}", "gpucb", values + "logistic with scale 1, ties within 0.1"},
		{"probit", "gpucb", values + "probit with scale 1"},
		{"noiseless", "gpucb", values + "noiseless"},
		{"{scale: 3}", "gpucb", ""},
		{"probit", "popbo", ""},
	} {
		_, err := expand(t, oracles(c.oracle, "beale", c.algorithm))[0].Start(t.Context())
		check.Says(t, c.algorithm+" on "+c.oracle, err, c.want)
		check.Equal(t, c.algorithm+" on "+c.oracle+": undefined", algorithms.IsUndefined(err), c.want != "")
	}
	trial := trials(t, oracles("probit", "beale", "random"))[0]
	_, err := trial.Answer(t.Context(), [][]float64{{0, 0}, {1, 1}, {2, 2}})
	check.That(t, algorithms.IsUndefined(err), "a query of three points: %v", err)
}
