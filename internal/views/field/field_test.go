package field_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/views/field"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// records are runs on equal terms but for POP-BO's, which have a pilot: four problems, the last a finite set.
func records() *reporttest.Folder {
	res := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin", "bukin6", "levy13"}, Algorithms: []string{"qeubo", "sgp", "dts", "random", "popbo"}, Runs: 8, Steps: 12, Paper: "none"})
	for _, r := range res.Records {
		h := &r.Header
		h.Problem.Source = "source of " + h.Problem.Name
		if h.Algorithm.Name != "popbo" {
			h.PilotComparisons, h.PilotPer = 0, record.PerProblem
		}
		if h.Problem.Name == "levy13" {
			h.Problem.Arms = &record.Arms{Count: 40, SHA256: strings.Repeat("a", 64)}
		}
		h.FirstDuels = 3
		for t := range 3 {
			r.Steps[t].Winner = t % 2
			r.Steps[t].Utility = []float64{float64(t) - 9, float64(h.Repetition%3) - 8}
		}
	}
	return res
}

// only keeps the records that keep accepts.
func only(res *reporttest.Folder, keep func(h *record.Header) bool) *reporttest.Folder {
	some := *res
	some.Records = slices.DeleteFunc(slices.Clone(res.Records), func(r *record.Record) bool { return !keep(&r.Header) })
	return &some
}

func compared(t *testing.T, in record.Source, mine ...string) *field.Field {
	t.Helper()
	return check.Must(field.New(in, mine))(t)
}

// written are the files of a field, by path.
func written(t *testing.T, f *field.Field) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, file := range check.Must(f.Files(nil))(t) {
		all[file.Path] = string(file.Data)
	}
	return all
}

func TestPilotsAreNotRanked(t *testing.T) {
	f := compared(t, records())
	check.Equal(t, "rankings", len(f.Levels[0].Rankings), 3)
	for _, r := range f.Levels[0].Rankings {
		check.That(t, !slices.Contains(r.Profile.Algorithms, "POP-BO") && len(r.Profile.Algorithms) == 4, "%s ranks %v", r.ID, r.Profile.Algorithms)
	}
	check.Equal(t, "the last method", f.Methods[4].Label, "POP-BO")
	check.Equal(t, "the best method", f.Methods[0].Label, "qEUBO") // it ends nearest to the optimum
	files := written(t, f)
	check.Golden(t, "pilots.txt", files["table.txt"])
	page := files["index.html"]
	check.Contains(t, "page", page, `<meta name="description" content="Average ranks`, `property="og:title"`, "An experiment of this project",
		"<b>SGP</b> takes one draw", "<h3>How to cite</h3>", "The 4 best methods by average rank, and random duels. Suboptimality")
	var places []string
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		places = append(places, m[1])
	}
	check.Equal(t, "tables and figures", strings.Join(places, " "), "ranks figure-ranks horizons figure-horizons kinds pairs outcome figure-curves runtime-all "+
		"figure-profile-targets-all figure-profile-data-all performance-all figure-profile-performance-all cost problems notes note-1 about")
	_, targets, _ := strings.Cut(page, `id="figure-profile-targets-all"`)
	targets, _, _ = strings.Cut(targets, "</figure>")
	check.Contains(t, "methods look as in every report", targets, "var(--fig-1,", "var(--fig-2,", "var(--fig-3,", "var(--fig-6,")
	check.Lacks(t, "methods look as in every report", targets, "var(--fig-0,")
}

// Sentences name an oracle that is not logistic by its model.
func TestOtherOracles(t *testing.T) {
	res := records()
	for _, r := range res.Records {
		if r.Header.Problem.Name == "beale" || r.Header.Problem.Name == "branin" {
			r.Header.Oracle = &record.Oracle{Model: "probit", Scale: 2}
		}
	}
	text := strings.Join(compared(t, res).Conclusion(), "\n")
	check.Contains(t, "conclusion", text, "With the oracle probit with scale 2, after 12 steps", "With answers that are 73\u00a0% right at one unit of utility, after 12 steps")
}

// A method without all problems is ranked only where it has all.
func TestMethodsThatLackProblems(t *testing.T) {
	f := compared(t, only(records(), func(h *record.Header) bool { return h.Algorithm.Label != "SGP" || h.Problem.Arms == nil }))
	for _, r := range f.Levels[0].Rankings {
		has := slices.Contains(r.Profile.Algorithms, "SGP")
		check.Equal(t, r.ID+" ranks SGP", has, r.ID == "boxes")
		check.Equal(t, r.ID+" names SGP as absent", slices.Contains(r.Absent, "SGP"), !has)
		check.Equal(t, r.ID+" problems", len(r.Profile.Problems), map[string]int{"all": 4, "boxes": 3, "arms": 1}[r.ID])
	}
	check.Equal(t, "the method after those of the first ranking", f.Methods[3].Label, "SGP")
	check.Contains(t, "caption", f.RankSheet().Caption.String(), "because some of these problems have no complete run of it: SGP")
}

// Compact records give the same page, and the same files beside it, but for the times, which they have per run.
func TestPageOfCompactRecords(t *testing.T) {
	dir := t.TempDir()
	folder := check.Must(record.Create(filepath.Join(dir, "full")))(t)
	for _, r := range only(records(), func(h *record.Header) bool { return h.Repetition < 3 && h.Problem.Name > "beale" }).Records {
		check.OK(t, folder.Put(r, nil))
	}
	check.OK(t, folder.Close())
	read := func(name string) *record.Reader { return check.Must(record.Open(filepath.Join(dir, name)))(t) }
	check.OK(t, check.Err(record.WriteCompact(filepath.Join(dir, "compact"), read("full"))))
	full, compact := written(t, compared(t, read("full"))), written(t, compared(t, read("compact")))
	for name, data := range full {
		check.That(t, compact[name] == data, "%s differs", name)
	}
}

// mineOf are the records of Random under another name, changed.
func mineOf(change func(r *record.Record)) *reporttest.Folder {
	res := only(records(), func(h *record.Header) bool {
		return h.Algorithm.Label == "Random" && h.Problem.Name != "beale" && h.Repetition < 6
	})
	for _, r := range res.Records {
		r.Header.Algorithm.Label = "Mine"
		if change != nil {
			change(r)
		}
		r.Header.Seal()
	}
	return res
}

func TestBesideTheField(t *testing.T) {
	joined := check.Must(field.Beside(records(), mineOf(nil)))(t)
	f := compared(t, joined, joined.Labels...)
	check.Equal(t, "problems", len(f.Problems), 3)
	all := f.Levels[0].Rankings[0]
	check.That(t, slices.Contains(all.Profile.Algorithms, "Mine") && len(all.Profile.Algorithms) == 5, "ranked: %v", all.Profile.Algorithms)
	for _, m := range f.Methods {
		for _, g := range m.Groups {
			check.Equal(t, m.Label+" runs", len(g.Runs), 6) // as many as of Mine
		}
	}
	check.Contains(t, "page", written(t, f)["index.html"], "<h1>Mine beside the field: ", "your algorithm")
}

// Programs of others stand on a sheet of their own, ranked over the runs that all of them have, with what failed.
func TestEntrants(t *testing.T) {
	entrant := func(label string, runs int) *reporttest.Folder {
		res := mineOf(func(r *record.Record) {
			r.Header.Algorithm.Label = label
			r.Header.Algorithm.Program = &record.Program{Command: []string{"x"}, Threads: 1, Name: strings.ToLower(label), Version: "1.2"}
		})
		return only(res, func(h *record.Header) bool { return h.Repetition < runs })
	}
	a, b := entrant("Alpha", 4), entrant("Beta", 3)
	failed := slices.IndexFunc(b.Records, func(r *record.Record) bool { return r.Header.Problem.Name == "branin" })
	b.Records[failed].Footer = record.Footer{Steps: 2, Status: record.Failed, Outcome: record.ProgramError, Error: "no fit"}
	b.Records[failed].Steps = b.Records[failed].Steps[:2]
	joined := check.Must(field.Beside(records(), a, b))(t)
	others := compared(t, joined, joined.Labels...)
	for _, m := range others.Methods {
		for _, g := range m.Groups {
			check.Equal(t, m.Label+" runs", len(g.Runs)+len(g.LeftOut), 3)
		}
	}
	f := compared(t, records())
	f.Enter(others, map[string]field.Entrant{"Alpha": {From: "examples/alpha", Checked: "12 cells run here"}})
	check.Equal(t, "ranked", len(f.Levels[0].Rankings[0].Profile.Algorithms), 4)
	files := written(t, f)
	check.Lacks(t, "numbers of the field", files["table.csv"], "Alpha", "Beta")
	check.Golden(t, "entrants.txt", files["table.txt"])
	check.Contains(t, "page", files["index.html"], "program of others", "Programs of others, each as published,", `id="figure-programs"`)
}

func TestRefuses(t *testing.T) {
	alone := only(records(), func(h *record.Header) bool { return h.Algorithm.Label == "SGP" })
	check.Error(t, "one method", check.Err(field.New(alone, nil)), "fewer than two methods")
	for _, c := range []struct {
		name   string
		change func(r *record.Record)
		want   string
	}{
		{"another seed", func(r *record.Record) { r.Header.Seed = 7 }, "seed is 7, in the field 20240705"},
		{"fewer first duels", func(r *record.Record) { r.Header.FirstDuels = 2 }, "first_duels is 2, in the field 3"},
		{"other answers", func(r *record.Record) { r.Steps[1].Winner = 1 - r.Steps[1].Winner }, "first duels or their answers differ"},
		{"another scale", func(r *record.Record) { r.Header.Problem.Scale = "raw" }, "scale is raw, in the field std"},
		{"another optimum", func(r *record.Record) { v := 9.0; r.Header.Problem.Optimum = &v }, "optimum is 9, in the field 1.25"},
		{"another box", func(r *record.Record) { r.Header.Problem.Lo = []float64{-6, 0} }, "box is"},
		{"other arms", func(r *record.Record) {
			r.Header.Problem.Arms = &record.Arms{Count: 40, SHA256: strings.Repeat("b", 64)}
		}, "SHA-256 of the arms is bbb"},
		{"another oracle", func(r *record.Record) { r.Header.Oracle = &record.Oracle{Model: "probit"} }, "oracle is"},
		{"another problem", func(r *record.Record) { r.Header.Problem.Name = "hartmann6" }, "no such problem"},
		{"a label of the field", func(r *record.Record) { r.Header.Algorithm.Label = "SGP" }, "the label SGP is there"},
		{"one in lower case", func(r *record.Record) { r.Header.Algorithm.Label = "sgp" }, "the label SGP is there"},
		{"better than the best", func(r *record.Record) { r.Steps[3].Recommendations[0].Utility = 1.26 }, "in step 4 it recommends a point of 1.26, and 1.25 is"},
	} {
		joined, err := field.Beside(records(), mineOf(c.change))
		if err == nil {
			_, err = field.New(joined, joined.Labels)
		}
		check.That(t, err != nil && strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "\n"), "%s: got %v, want %q", c.name, err, c.want)
	}
}

// twice are the records again with clearer answers on copies of the problems, and a tuned SGP, which ends as qEUBO does on
// the first oracle and as random duels do on the second. Random duels are the worst on every problem.
func twice() *reporttest.Folder {
	res := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin", "bukin6", "levy13", "eggholder", "holder_table", "cross_in_tray", "langermann", "ackley2"},
		Algorithms: []string{"qeubo", "sgp", "dts", "random"}, Runs: 6, Steps: 12, Paper: "none"})
	var all []*record.Record
	byCell := map[string]*record.Record{}
	for _, r := range res.Records {
		h := &r.Header
		h.Problem.Source = "source of " + h.Problem.Name
		h.PilotComparisons, h.PilotPer, h.FirstDuels = 0, record.PerProblem, 3
		h.Algorithm.Settings = []byte(`{"a":{"b":1},"c":"x"}`)
		if h.Problem.Arms != nil {
			continue
		}
		byCell[record.CellID(h.Problem.Name, h.Algorithm.Label, h.Repetition)] = r
		all = append(all, r)
	}
	for _, clear := range []bool{false, true} {
		for _, r := range slices.Clone(all) {
			h := &r.Header
			if h.Oracle != nil || h.Algorithm.Label == "SGP tuned" {
				continue
			}
			like := map[bool]string{false: "qEUBO", true: "Random"}[clear]
			copyOf := *r
			switch {
			case h.Algorithm.Label == "SGP":
				copyOf = *byCell[record.CellID(h.Problem.Name, like, h.Repetition)]
				copyOf.Header.Algorithm = h.Algorithm
				copyOf.Header.Algorithm.Label = "SGP tuned"
				copyOf.Header.Algorithm.Settings = []byte(`{"a":{"b":2},"c":"x","d":true}`)
			case !clear:
				continue
			}
			if clear {
				copyOf.Header.Problem.Name += " 95"
				copyOf.Header.Oracle = &record.Oracle{Model: "logistic", Scale: 0.3396}
			}
			copyOf.Header.Seal()
			all = append(all, &copyOf)
			if clear && h.Algorithm.Label == "SGP" { // as published
				again := *r
				again.Header.Problem.Name += " 95"
				again.Header.Oracle = copyOf.Header.Oracle
				again.Header.Seal()
				all = append(all, &again)
			}
		}
	}
	some := *res
	some.Records = all
	return &some
}

// The test of a pair counts problems of one function once: of n that all have the same winner, P is 2/2^n.
func TestFunctionsCountOnce(t *testing.T) {
	for _, c := range []struct {
		source string // of Branin
		want   float64
	}{{"source of branin", 0.125}, {"source of bukin6", 0.25}, {"", 0.125}} {
		in := only(records(), func(h *record.Header) bool { return h.Algorithm.Name == "qeubo" || h.Algorithm.Name == "random" })
		for _, r := range in.Records {
			if r.Header.Problem.Name == "branin" {
				r.Header.Problem.Source = c.source
			}
			for i := range r.Steps { // qEUBO is better everywhere
				for j := range r.Steps[i].Recommendations {
					r.Steps[i].Recommendations[j].Utility = map[string]float64{"qeubo": -1, "random": -2}[r.Header.Algorithm.Name]
				}
			}
		}
		s := compared(t, in).Levels[0].Standing[0]
		check.Equal(t, "P with Branin of "+c.source, s.P[0][1], c.want)
		check.Equal(t, "share of problems", s.Won[0][1], 1)
	}
}

// Methods are ranked for each oracle and after every horizon, the tuned form in place of the published one.
func TestOraclesAndTunedMethods(t *testing.T) {
	f := compared(t, twice())
	check.Equal(t, "oracles", len(f.Levels), 2)
	check.Equal(t, "their names", f.Levels[0].Name+"; "+f.Levels[1].Name, "73\u00a0% right; 95\u00a0% right")
	for i, l := range f.Levels {
		check.Equal(t, "horizons", len(l.Standing), 2)
		s := l.Standing[1]
		at := func(label string) int { return slices.Index(s.Methods, label) }
		check.That(t, at("SGP") < 0 && at("SGP tuned") >= 0, "%s ranks %v", l.Name, s.Methods)
		tuned, like := at("SGP tuned"), at([]string{"qEUBO", "Random"}[i])
		check.Near(t, s.Ranks.Ranks[tuned], s.Ranks.Ranks[like], 1e-9, "the rank of a method that ends as another")
		check.Equal(t, "the share of problems on which it is better", s.Won[tuned][like], 0.5)
		check.Equal(t, "the P value", s.P[tuned][like], 1.0)
		check.That(t, s.Published[tuned] >= 1 && s.Published[tuned] != s.Ranks.Ranks[tuned], "the published form would have rank %g", s.Published[tuned])
		for j, in := range s.Intervals {
			check.That(t, in.Lo <= s.Ranks.Ranks[j]+1e-9 && s.Ranks.Ranks[j]-1e-9 <= in.Hi, "%s: rank %g is outside %v", s.Methods[j], s.Ranks.Ranks[j], in)
		}
	}
	f.Tuned(&field.Tuning{Suite: "plan", Rule: "the least rank", Plan: "abc", Methods: []field.TunedMethod{{Label: "SGP", Chosen: 1,
		Variants: []field.Variant{{Label: "SGP", Rank: 1.75}, {Label: "SGP 2", Changes: "a.b: 2, d: true", Rank: 1.25}}}}})
	files := written(t, f)
	lines := strings.Split(files["ranks.csv"], "\n")
	check.Equal(t, "columns of the ranks", lines[0], "oracle,steps,problems,method,rank,ci_lo,ci_hi,published_rank")
	check.Equal(t, "ranks", len(lines), 1+2*2*4+1)
	s := f.Levels[1].Standing[0]
	best := s.Ranks.Order()[0]
	check.Equal(t, "the best with the second oracle", lines[9], fmt.Sprintf("95 %% right,10,%d,%s,%v,%v,%v,", len(f.Levels[1].Rankings[0].Profile.Problems),
		s.Methods[best], s.Ranks.Ranks[best], s.Intervals[best].Lo, s.Intervals[best].Hi))
	check.Contains(t, "page", files["index.html"], "ranks.csv", "and random duels, with answers 73\u00a0% right. Sub")
	check.Lacks(t, "page", files["index.html"], "SGP (not ranked)")
	check.Golden(t, "tuned.txt", files["table.txt"])
}

func TestChanges(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"a":{"b":1,"c":[1,2]},"d":"x"}`, `{"a":{"b":2,"c":[1,3]},"d":"y"}`, "a.b: 2, a.c: [1,3], d: y"},
		{`{"a":1,"b":2}`, `{"b":2,"c":3}`, "a: left out, c: 3"},
	} {
		check.Equal(t, c[1], field.Changes([]byte(c[0]), []byte(c[1])), c[2])
	}
}

// The variant of least average rank is chosen; of equal ones the first.
func TestChoose(t *testing.T) {
	results := check.Must(outcome.Collect(records()))(t)
	got := check.Must(field.Choose(results, "abc", [][]string{{"Random", "SGP", "qEUBO"}, {"qEUBO", "Random"}}))(t)
	check.Equal(t, "chosen", fmt.Sprint(got.Methods[0].Chosen, got.Methods[1].Chosen), "2 0")
	check.Equal(t, "ranks", fmt.Sprint(got.Methods[1].Variants[0].Rank, got.Methods[1].Variants[1].Rank), "1 2")
	check.Equal(t, "the file", string(check.Must(field.ReadTuning(got.Bytes()))(t).Bytes()), string(got.Bytes()))
	check.Equal(t, "of equal ones", check.Must(field.Choose(results, "abc", [][]string{{"SGP", "SGP"}}))(t).Methods[0].Chosen, 0)
	_, err := field.Choose(check.Must(outcome.Collect(only(records(), func(h *record.Header) bool {
		return h.Algorithm.Label != "SGP" || h.Problem.Name != "bukin6" || h.Repetition != 3
	})))(t), "abc", [][]string{{"Random", "SGP"}})
	check.Error(t, "a run is missing", err, "SGP has fewer complete runs on bukin6")
	bad := bytes.Replace(got.Bytes(), []byte(`"chosen": 2`), []byte(`"chosen": 3`), 1)
	check.Error(t, "a choice that is none", check.Err(field.ReadTuning(bad)), `variant 4 of 3 of "Random" is chosen`)
}
