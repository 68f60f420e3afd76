package duelling_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/algotest"
	"popbench/algorithms/baselines/ginop"
	"popbench/algorithms/baselines/maxminlcb"
	"popbench/algorithms/baselines/mrlpf"
	"popbench/algorithms/baselines/pfts"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/arms/armstest"
	"popbench/algorithms/internal/utility"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/kernel"
	"popbench/space"
)

// The methods are held to the reference values of armstest as algorithms: by Ask and Tell.

// settingsOf returns the settings of a data set with an estimator by its name there.
func settingsOf(s armstest.Dataset, rho2, lambda float64, estimator string) settings.Duelling {
	c := settings.DefaultDuelling()
	family := map[string]string{"se": "se-half", "matern52": "matern52"}[s.Kernel]
	c.Kernel = kernel.Config{Family: family, Variance: s.Variance, Lengthscale: []float64{s.Lengthscale}}
	c.Estimator = map[string]string{"ridge": "ridge", "published_sum": "published-sum", "published_mean": "published-mean"}[estimator]
	c.Lambda, c.NoiseVariance = lambda, rho2
	return c
}

func setup(t *testing.T, arms [][]float64, steps int, seed uint64) algorithms.Setup {
	t.Helper()
	domain := check.Must(space.NewArms(arms))(t)
	return algorithms.Setup{Domain: domain, Start: arms[0], Rand: rng.Stream(seed, "duelling"), Steps: steps}
}

// tellAll tells a all answers of a data set.
func tellAll(t *testing.T, a algorithms.Algorithm, s armstest.Dataset) {
	t.Helper()
	for i := range s.A {
		check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{s.Arms[s.A[i]], s.Arms[s.B[i]]}, New: 2}, 1-s.Y[i]))
	}
}

// ask returns the arms of the next query.
func ask(t *testing.T, a algorithms.Algorithm, domain space.Domain) [2]int {
	t.Helper()
	q := check.Must(a.Ask())(t)
	arms := domain.(*space.Arms)
	return [2]int{arms.Index(q.Points[0]), arms.Index(q.Points[1])}
}

func TestReferences(t *testing.T) {
	var file struct {
		States []struct {
			Set       int
			MaxMinLCB []struct {
				Preset, Estimator, Width, Candidates, Follower string
				Beta                                           float64
				Leaders                                        []int
				Followers                                      [][]int
			}
			POPBO [][3]float64 `json:"pfts_popbo"`
		}
		Transcripts []struct { // of MR-LPF
			armstest.Dataset
			Beta, Rho2, Lambda float64
			Estimator, Mode    string
			Rounds             []struct {
				N             int
				First, Second []int
				FirstWon      []int `json:"first_won"`
			}
			Recommend int
		}
	}
	armstest.Read(t, "selection.json", &file)
	check.That(t, len(file.States) == 17 && len(file.Transcripts) == 4, "%d states and %d transcripts, want 17 and 4", len(file.States), len(file.Transcripts))
	sets := armstest.References(t)
	games, advantages := 0, 0
	for _, state := range file.States {
		s := sets[state.Set]
		if _, err := space.NewArms(s.Arms); err != nil {
			continue // two arms have equal features
		}
		start := setup(t, s.Arms, 0, 1)
		for _, g := range state.MaxMinLCB {
			cfg := maxminlcb.Default()
			cfg.Duelling, cfg.Width, cfg.Beta.Factor, cfg.Candidates = settingsOf(s.Dataset, s.Rho2, s.Lambda, g.Estimator), g.Width, g.Beta, g.Candidates
			if g.Follower == "not the leader" {
				cfg.SelfDuels = "last"
			}
			if g.Preset == "pfts" {
				cfg.Ties = "first-index"
			}
			a := check.Must(maxminlcb.New(start, cfg))(t)
			tellAll(t, a, s.Dataset)
			pair := ask(t, a, start.Domain)
			at := slices.Index(g.Leaders, pair[0])
			check.That(t, at >= 0 && slices.Contains(g.Followers[max(at, 0)], pair[1]),
				"set %d, %s: duel %v, want leader of %v and follower of %v", state.Set, g.Preset, pair, g.Leaders, g.Followers)
			games++
		}
		for _, v := range state.POPBO {
			n := len(s.A) - 1
			if n < 0 || s.A[n] != int(v[0]) && s.B[n] != int(v[0]) {
				continue // the rule compares with the last point only
			}
			if s.B[n] != int(v[0]) {
				s.A, s.B, s.Y = slices.Clone(s.A), slices.Clone(s.B), slices.Clone(s.Y)
				s.A[n], s.B[n], s.Y[n] = s.B[n], s.A[n], 1-s.Y[n]
			}
			cfg := pfts.Default()
			cfg.Duelling, cfg.Rule = settingsOf(s.Dataset, s.Rho2, s.Lambda, "published_mean"), "ucb"
			a := check.Must(pfts.New(start, cfg))(t)
			tellAll(t, a, s.Dataset)
			check.Equal(t, fmt.Sprintf("set %d: duel", state.Set), ask(t, a, start.Domain), [2]int{int(v[0]), int(v[1])})
			advantages++
		}
	}
	check.That(t, games >= 80 && advantages >= 10, "%d games and %d advantages; the references have more", games, advantages)
	for i, c := range file.Transcripts {
		cfg := mrlpf.Default()
		cfg.Duelling, cfg.Beta.Factor, cfg.Recommendation = settingsOf(c.Dataset, c.Rho2, c.Lambda, c.Estimator), c.Beta, mrlpf.RuleLastRound
		if c.Mode == "published" {
			cfg.Ties, cfg.InitialSpread = "first-index", "zero"
		}
		start := setup(t, c.Arms, c.T, 1)
		a := check.Must(mrlpf.New(start, cfg))(t)
		for r, round := range c.Rounds {
			for q := range round.N {
				pair, want := ask(t, a, start.Domain), [2]int{round.First[q], round.Second[q]}
				check.Equal(t, "the metric of the round", metrics(a)["round"], float64(r+1))
				if pair != want && pair != [2]int{want[1], want[0]} {
					t.Fatalf("transcript %d, round %d, query %d: %v, want %v", i, r, q, pair, want)
				}
				check.OK(t, a.Tell(algorithms.Query{Points: [][]float64{c.Arms[want[0]], c.Arms[want[1]]}, New: 2}, 1-round.FirstWon[q]))
			}
		}
		check.Same(t, "the recommendation", check.Must(a.Recommend())(t)[0].X, c.Arms[c.Recommend])
	}
}

// methods have all presets and estimators, for runs on the same arms.
func methods(t *testing.T) map[string]algotest.Factory {
	t.Helper()
	all := map[string]algotest.Factory{}
	for _, name := range []string{"default", "paper", "authors-code", "pfts", "pfts-popbo"} {
		var mm maxminlcb.Config
		if mm.UsePreset(name) {
			all["maxminlcb "+mm.Preset] = algotest.With(maxminlcb.New, mm)
		}
		var mr mrlpf.Config
		if mr.UsePreset(name) {
			all["mrlpf "+mr.Preset] = algotest.With(mrlpf.New, mr)
		}
		var ts pfts.Config
		if ts.UsePreset(name) {
			all["pfts "+ts.Preset] = algotest.With(pfts.New, ts)
		}
	}
	check.Equal(t, "presets", len(all), 3*4)
	for _, estimator := range []string{"ball", "published-gd"} {
		c := maxminlcb.Default()
		c.Estimator, c.NormBound = estimator, 3
		all["maxminlcb "+estimator] = algotest.With(maxminlcb.New, c)
	}
	popbo := pfts.Default()
	popbo.Rule, popbo.Scale, popbo.SelfDuels = "ucb", "theory", "forbid"
	all["pfts ucb random"] = algotest.With(pfts.New, popbo)
	return all
}

// play takes n steps on a utility of the features with a logistic oracle, and ties if a is to learn some.
func play(t *testing.T, a algorithms.Algorithm, n int, utility func(x []float64) float64, ties bool, after func(q algorithms.Query)) {
	t.Helper()
	r := rng.Stream(3, "duelling", "oracle")
	for range n {
		q := check.Must(a.Ask())(t)
		winner := 0
		if u := r.Float64(); u < 1/(1+math.Exp(utility(q.Points[0])-utility(q.Points[1]))) {
			winner = 1
		}
		if ties && r.IntN(4) == 0 {
			check.OK(t, a.(algorithms.TieLearner).TellTie(q))
		} else {
			check.OK(t, a.Tell(q, winner))
		}
		after(q)
	}
}

// A tie says that neither arm is better than the other.
func TestTiesAreEven(t *testing.T) {
	all := methods(t)
	all["ginop"] = algotest.With(ginop.New, ginop.Default())
	believers := 0
	for name, begin := range all {
		s := setup(t, line(2), 1, 5)
		s.Known.Kernel = &kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{0.3}}
		a := check.Must(begin(s))(t)
		check.OK(t, a.(algorithms.TieLearner).TellTie(algorithms.Query{Points: [][]float64{{0}, {1}}, New: 1}))
		if b, ok := a.(algorithms.Believer); ok {
			believers++
			first, second := check.Must(b.Belief([]float64{0}))(t), check.Must(b.Belief([]float64{1}))(t)
			check.Near(t, first.Estimate, second.Estimate, 1e-9, "%s: estimates after a tie", name)
		}
	}
	check.That(t, believers > 8, "%d methods have beliefs", believers)
}

func bump(x []float64) float64 { return 5 * math.Exp(-8*(x[0]-0.3)*(x[0]-0.3)) }

// line returns n arms of one feature.
func line(n int) [][]float64 {
	arms := make([][]float64, n)
	for i := range arms {
		arms[i] = []float64{float64(i) / float64(n-1)}
	}
	return arms
}

func metrics(a algorithms.Algorithm) map[string]float64 {
	all := map[string]float64{}
	for _, m := range a.(algorithms.Instrumented).Metrics() {
		all[m.Name] = m.Value
	}
	return all
}

// TestCertificates: in whole runs, also with ties, every estimate has a duality gap of 1e-9 at most, self-duels are counted,
// and methods that solve their estimate find a good arm.
func TestCertificates(t *testing.T) {
	for name, begin := range methods(t) {
		t.Run(name, func(t *testing.T) {
			s := setup(t, line(20), 120, 5)
			s.Known.Kernel = &kernel.Config{Family: "matern52", Variance: 1, Lengthscale: []float64{0.3}}
			a := check.Must(begin(s))(t)
			var gap, newton float64
			self := 0
			play(t, a, 120, bump, true, func(q algorithms.Query) {
				if slices.Equal(q.Points[0], q.Points[1]) {
					self++
				}
				m := metrics(a)
				gap, newton = max(gap, m["duality_gap"]), newton+m["newton"]
				check.Equal(t, "self_duels", int(m["self_duels"]), self)
			})
			descent := name == "maxminlcb published-gd"
			check.That(t, (descent || gap <= 1e-9 && newton > 0) && (!descent || gap > 1e-9),
				"gap %g after %g Newton systems", gap, newton)
			recs := check.Must(a.Recommend())(t)
			check.That(t, bump(recs[0].X) >= 4 || descent, "recommends %v of utility %.3g; the largest is 5", recs[0].X, bump(recs[0].X))
		})
	}
}

// TestPermutation: with ties: random, a run does not depend on the order in which the domain has its arms.
func TestPermutation(t *testing.T) {
	arms := line(15)
	for name, begin := range methods(t) {
		firstIndex := slices.Contains([]string{"maxminlcb pfts", "mrlpf pfts", "mrlpf authors-code", "pfts authors-code", "pfts pfts-popbo"}, name)
		var runs [2][][][]float64
		for i := range runs {
			s := setup(t, arms, 40, 6)
			if i == 1 {
				moved := slices.Clone(arms)
				slices.Reverse(moved)
				s.Domain = setup(t, moved, 40, 6).Domain
			}
			a := check.Must(begin(s))(t)
			play(t, a, 40, bump, false, func(q algorithms.Query) {
				runs[i] = append(runs[i], append(q.Points, check.Must(a.Recommend())(t)[0].X))
			})
		}
		check.Equal(t, name+": the runs are the same", fmt.Sprint(runs[0]) == fmt.Sprint(runs[1]), !firstIndex)
	}
}

// TestSelfDuels: no method asks for one where they are forbidden, and the presets of published programs begin as those do.
func TestSelfDuels(t *testing.T) {
	mm, mr, ts := maxminlcb.Default(), mrlpf.Default(), pfts.Default()
	mm.SelfDuels, mm.Candidates, mr.SelfDuels, ts.SelfDuels = "forbid", "plausible", "forbid", "forbid"
	for name, begin := range map[string]algotest.Factory{
		"maxminlcb": algotest.With(maxminlcb.New, mm), "mrlpf": algotest.With(mrlpf.New, mr), "pfts": algotest.With(pfts.New, ts),
	} {
		a := check.Must(begin(setup(t, line(4), 150, 8)))(t)
		play(t, a, 150, func(x []float64) float64 { return 6 * x[0] }, false, func(q algorithms.Query) {
			check.That(t, !slices.Equal(q.Points[0], q.Points[1]), "%s compares %v with itself", name, q.Points[0])
		})
		err := check.Err(begin(setup(t, [][]float64{{1}}, 10, 1)))
		check.That(t, algorithms.IsUndefined(err), "%s, with one arm that must not duel itself: %v", name, err)
	}
	// On a box the search for the follower may end at the leader.
	for _, rule := range []string{"forbid", "last"} {
		mm := maxminlcb.Default()
		mm.SelfDuels, mm.Beta.Factor = rule, 0.1
		s := setup(t, line(4), 60, 8)
		s.Domain = space.Cube(1, 0, 1)
		a := check.Must(maxminlcb.New(s, mm))(t)
		play(t, a, 60, func(x []float64) float64 { return 10 * x[0] }, false, func(q algorithms.Query) {
			check.That(t, !slices.Equal(q.Points[0], q.Points[1]), "self_duels: %s: on a box it compares %v with itself", rule, q.Points[0])
		})
	}
	all := methods(t)
	for _, name := range []string{"maxminlcb pfts", "mrlpf pfts", "mrlpf authors-code"} {
		s := setup(t, [][]float64{{2}, {0}, {1}}, 30, 2)
		check.Equal(t, name+": the first arms", ask(t, check.Must(all[name](s))(t), s.Domain), [2]int{0, 0})
	}
}

// TestFittedKernel: a fitted kernel is that of a fit to the same duels alone, on arms and on a box. A known one is not
// fitted.
func TestFittedKernel(t *testing.T) {
	mm, mr, ts, gi := maxminlcb.Default(), mrlpf.Default(), pfts.Default(), ginop.Default()
	mm.Fit, mr.Fit, ts.Fit, gi.Fit = settings.FitMAP, settings.FitMAP, settings.FitMAP, settings.FitMAP
	for name, begin := range map[string]algotest.Factory{
		"maxminlcb": algotest.With(maxminlcb.New, mm), "mrlpf": algotest.With(mrlpf.New, mr), "pfts": algotest.With(pfts.New, ts), "ginop": algotest.With(ginop.New, gi),
	} {
		s := setup(t, line(12), 14, 8)
		for _, domain := range []space.Domain{s.Domain, space.Cube(1, -1, 3)} {
			s.Domain = domain
			a := check.Must(begin(s))(t)
			_, fit := utility.NewKernelFit(s, settings.FitMAP, kernel.Config{})
			play(t, a, 14, bump, false, func(algorithms.Query) {})
			for _, c := range check.Must(a.(algorithms.Resumable).State())(t).Comparisons {
				fit.Learn(c)
			}
			in, m := a.(algorithms.Informed).InForce(), metrics(a)
			check.That(t, in.Refitted, "%s has the kernel %v", name, in)
			check.Same(t, name+": the kernel", *in.Kernel, fit.Kernel)
			check.That(t, m["variance"] == in.Kernel.Variance && m["fit_failures"] == 0, "%s: metrics %v", name, m)
		}
		s.Known.Kernel = &kernel.Config{Family: "matern52", Variance: 2, Lengthscale: []float64{0.3}}
		in := check.Must(begin(s))(t).(algorithms.Informed).InForce()
		check.Equal(t, name+": the known kernel", fmt.Sprint(*in.Kernel, in.Refitted), fmt.Sprint(*s.Known.Kernel, false))
	}
}
