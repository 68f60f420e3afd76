package verify

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/configs"
	"popbench/internal/analysis/document"
	"popbench/internal/analysis/paper"
	"popbench/internal/check"
	"popbench/internal/harness/config"
	"popbench/internal/harness/suite"
	"popbench/problems"
)

// POP-BO's paper has 28 claims. No field of a claim is blank, and no two claims have one name.
func TestClaimsAreComplete(t *testing.T) {
	want := strings.Fields("gp1d-1 gp1d-2 gp1d-3 gp1d-4 gp1d-5 gp1d-6 gp1d-7 time-1 tf-1 tf-2 tf-3 gp12-1 gp12-2 gp12-3 gp7-1 gp7-2 gp7-3 ack-1 ack-2 th2-1 th2-2 th4-1 th4-2 th4-3 reg-1 reg-2 hyp-1 hyp-2")
	var got []string
	for _, c := range LookupStudy(POPBO).Claims() {
		got = append(got, c.ID)
	}
	check.That(t, slices.Equal(got, want), "the claims are %v", got)
	named := map[string]bool{}
	for _, study := range Studies() {
		check.That(t, study.Paper != "" && len(study.Claims()) != 0,
			"%s: cited as %q, with %d claims", study.Name, study.Paper, len(study.Claims()))
		for _, c := range study.Claims() {
			check.That(t, !named[c.ID], "two claims are called %s", c.ID)
			named[c.ID] = true
			for what, text := range map[string]string{"place": c.Where, "short name": string(c.Short), "statement": string(c.Says), "reading": string(c.Read)} {
				check.That(t, text != "", "%s has no %s", c.ID, what)
			}
			check.That(t, len(c.Parts) != 0, "%s has no parts", c.ID)
			check.That(t, len(c.Known) != 0 && !slices.Contains(c.Known, ""), "%s says of nothing how it is known", c.ID)
			for _, part := range slices.Concat(c.Parts, c.Beside) {
				check.That(t, part.What != "", "%s: a part has no name: %+v", c.ID, part)
				check.That(t, part.of != nil, "%s: %s is computed by nothing", c.ID, part.What)
				check.That(t, len(part.samples) != 0, "%s: %s has no samples", c.ID, part.What)
				check.That(t, part.Region.Lo < part.Region.Hi,
					"%s: %s has the empty region %+v", c.ID, part.What, part.Region)
			}
		}
	}
}

// The suite file of every check has its problem and its algorithms, and as many steps as the claim says. Every suite of
// another paper than POP-BO's has a claim.
func TestClaimsAreOnThePapersSuites(t *testing.T) {
	duels := regexp.MustCompile(`([0-9]+) duels`)
	for _, study := range Studies() {
		embedded := configs.Paper()
		if study.Name != POPBO {
			embedded = configs.PaperNamed(study.Name)
		}
		files := map[string]*config.Suite{}
		for _, f := range embedded {
			s, err := config.Parse(f.Path, f.Text, suite.Catalogue{})
			if err != nil {
				t.Fatal(err)
			}
			files[s.Name] = s
			if study.Name != POPBO && !slices.Contains(study.SortedSuites(), s.Name) {
				t.Errorf("%s: no claim is about %s", study.Name, s.Name)
			}
		}
		for _, c := range study.Claims() {
			for _, check := range slices.Concat(c.Parts, c.Beside) {
				for _, s := range check.samples {
					file := files[s.suite]
					if file == nil {
						t.Errorf("%s: there is no suite %s", c.ID, s.suite)
						continue
					}
					if !slices.ContainsFunc(file.Problems, func(p config.Problem) bool { return p.ID() == s.problem }) {
						t.Errorf("%s: %s has no problem %s", c.ID, s.suite, s.problem)
					}
					for _, q := range s.quantities {
						if !slices.ContainsFunc(file.Algorithms, func(a config.Algorithm) bool { return a.Label == q.label }) {
							t.Errorf("%s: %s has no algorithm %s", c.ID, s.suite, q.label)
						}
					}
				}
			}
			for _, m := range duels.FindAllStringSubmatch(string(c.Read), -1) {
				if file := files[c.Parts[0].samples[0].suite]; file != nil && m[1] != strconv.Itoa(file.Steps) {
					t.Errorf("%s is about %s duels, %s has %d", c.ID, m[1], file.Name, file.Steps)
				}
			}
		}
	}
}

// The statistics of claims on finite sets are what their names say.
func TestChecksOfMetrics(t *testing.T) {
	p, q := place{"s", "p"}, place{"s", "q"}
	for _, c := range []struct {
		check Check
		means [][]float64
		want  float64
		name  document.Text
	}{
		{quotient(preference, "a", "b", below(1), p, q), [][]float64{{2, 1}, {4, 0.5}}, 4, "preference regret: a / b"},
		{excess(latePreference, "a", "b", below(0), p), [][]float64{{0.25, 0.5}}, -0.25, "preference regret a step, last 50: a − b"},
		{against(preference, "a", p, q, below(1)), [][]float64{{3}, {4}}, 0.75, "preference regret of a: p / q"},
	} {
		if got := c.check.of(c.means); math.Abs(got-c.want) > 1e-15 || c.check.What != c.name {
			t.Errorf("%s is %v, should be %s, %v", c.check.What, got, c.name, c.want)
		}
	}
}

// Slight is the difference that the paper calls slight on Bukin.
func TestSlightIsThePapers(t *testing.T) {
	gap := (tableFinal("bukin6", popbo) - tableFinal("bukin6", qeubo)) / uniformMean(t, "bukin6")
	check.That(t, gap <= Slight && gap >= Slight-0.001,
		"the paper's gap is %.4f of a random point's suboptimality, Slight is %g", gap, Slight)
}

// The notes name exactly the cells that are no better than a random point.
func TestWeakRivalsAreThePapers(t *testing.T) {
	weak := map[string][]string{}
	for _, row := range paper.Lookup("test-functions").Rows {
		u := uniformMean(t, row.Problem)
		for _, m := range baselines {
			if tableFinal(row.Problem, m) >= u {
				weak[m] = append(weak[m], row.Problem)
			}
		}
	}
	if !slices.Equal(weak[dts], []string{"beale", "branin", "eggholder", "levy13"}) || !slices.Equal(weak[sgp], []string{"branin"}) || !slices.Equal(weak[qeubo], []string{"eggholder"}) {
		t.Errorf("%v", weak)
	}
}

// uniformMean estimates the suboptimality of a random point, in units of the function's
// standard deviation, to about 0.3 %.
func uniformMean(t *testing.T, name string) float64 {
	t.Helper()
	spec, err := problems.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instance(problems.Standardise, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	const n = 100_000
	sum := 0.0
	x := make([]float64, p.Box.Dim())
	for range n {
		for i := range x {
			x[i] = p.Box.Lo[i] + r.Float64()*(p.Box.Hi[i]-p.Box.Lo[i])
		}
		sum += p.Optimum.Value - p.Value(x)
	}
	return sum / n
}

// The paper's column is the same statistic of the paper's numbers. It agrees with hand
// calculations from the table and the curve, where a random point's suboptimality is 1.
func TestPapersNumbers(t *testing.T) {
	check.Sequential(t)
	got := verdicts(asClaimed.evidence())
	curve := paper.LookupGrowth("gp-1d").Regret
	for _, c := range []struct {
		id   string
		part int // also of those beside the claim
		want float64
	}{
		{"gp1d-2", 0, 0.6559658896440037},
		{"reg-2", 0, 0.6559658896440037},
		{"reg-1", 0, least(curve, 0.5)},
		{"reg-1", 1, curve[1] / 2},
		{"reg-2", 1, 0.526903073483516}, // from step 10 on
		{"gp1d-3", 0, 2.5},
		{"gp1d-3", 1, 2.5},
		{"time-1", 0, 0.09},
		{"tf-1", 0, 0.008 - 0.84}, // Beale, DTS
		{"tf-2", 0, 0.92 - 0.59},
		{"tf-2", 2 + 2, 0.92 - 1.27}, // Bukin; the second lowest of the others is SGP's
		{"tf-3", 3, (0.008 + 0.31 + 0.92 + 1.38 + 1.83 + 1.22 + 0.35) / 7},
		{"gp12-3", 0, 18},
		{"gp7-3", 0, 11},
		{"th2-1", 0, 2},
	} {
		o := got[c.id]
		v := slices.Concat(o.Parts, o.Beside)[c.part].Printed
		check.That(t, math.Abs(v-c.want) <= 1e-9, "%s, part %d: the paper's number is %v, not %v", c.id, c.part, v, c.want)
	}
}

// least R_t / (R_1 t^p) of a curve from step 2 on.
func least(curve []float64, p float64) float64 {
	v := math.Inf(1)
	for i := 1; i < len(curve); i++ {
		v = min(v, curve[i]/math.Pow(float64(i+1), p))
	}
	return v
}
