package record

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// example is a record of two steps with every field in use.
func example(t testing.TB) *Record {
	t.Helper()
	grid, norm := -0.25, 3.5
	r := &Record{
		Header: Header{
			Suite: "demo", SuiteTitle: "A <demo> & more", Paper: "test-functions",
			Problem: Problem{
				Name: "beale", Title: "Beale", Source: "some book", Lo: []float64{-4.5, -4.5}, Hi: []float64{4.5, 4.5},
				Scale: "std", Shift: 0, Factor: -1.0 / 3, Optimum: new(float64), OptimumX: [][]float64{{3, 0.5}}, GridOptimum: &grid, Norm: &norm,
				Uniform: &Uniform{Mean: 1, Std: 2, K: 31, BestMean: 0.1, BestStd: 0.2},
			},
			Algorithm: Algorithm{Name: "popbo", Label: "POP-BO β<1", Settings: json.RawMessage(`{"norm_bound":6,"schedule":"sqrt(t)"}`),
				Feedback: Comparisons, Disclosed: DisclosedKernel,
				InForce: &InForce{Kernel: &Kernel{Family: "matern", Nu: 1.5, Variance: 2, Lengthscale: []float64{0.1, 3}}, NormBound: 6.6, Refitted: true, Range: &Range{Lo: []float64{0.1, 2}, Hi: []float64{0.2, 4}}},
				Metrics: []MetricType{{"z", Work}, {"a", State}, {"gap", Certificate}}},
			Repetition: 7, Seed: math.MaxUint64, Budget: 2, PilotComparisons: 20, PilotPer: PerRepetition, ConfigHash: "0123abcd",
		},
		Footer: Footer{Status: OK},
	}
	r.Header.Seal()
	for i := range 2 {
		x := []float64{0.1 * float64(i+1), math.Copysign(0, -1)}
		r.Steps = append(r.Steps, Step{
			Kind: "step", T: i + 1, Points: [][]float64{{1e-300, 2}, x}, New: 1, Utility: []float64{-1, 0.5}, Winner: 1,
			Recommendations: []Recommendation{{Rule: "max-mle", X: x, Utility: 0.5}, {Rule: "max-mle-visited", X: x, Utility: 0.5}},
			Metrics:         Metrics{{"z", 3}, {"a", 1e21}, {"gap", 1e-9}},
		})
	}
	return r
}

func encoded(t testing.TB, r *Record) []byte {
	t.Helper()
	return check.Must(Encode(r))(t)
}

func TestRoundTrip(t *testing.T) {
	failed := example(t)
	failed.Steps = failed.Steps[:1]
	failed.Footer = Footer{Status: Failed, Error: "panic: a \xff byte, \u2028 and <html>", Stack: []string{"popbo.Ask ask.go:12"}}
	check.That(t, example(t).OK() && !failed.OK(), "a run that failed is the one that is OK")
	unknown := example(t)
	unknown.Header.Problem.Optimum, unknown.Header.Problem.OptimumX, unknown.Header.Problem.GridOptimum = nil, nil, nil
	nothing := example(t) // the cell failed before it had a problem
	nothing.Steps, nothing.Footer = nil, failed.Footer
	nothing.Header.Problem = Problem{Name: "beale", Scale: "raw"}
	scored := example(t)
	held(HeldOut{Duels: 3, LogLoss: 0.5, TrueLogLoss: 0.25, Tau: new(-0.5)})(scored)
	scored.Header.Headline = "utility-regret"
	unscaled := calibrated(t) // the cell failed before the scale was known
	unscaled.Steps, unscaled.Footer = nil, Footer{Status: Failed, Error: "no scale"}
	unscaled.Header.Problem.Factor = 0
	unscaled.Header.Oracle = &Oracle{Model: "logistic", Calibration: &Calibration{ErrorRate: 0.2, On: "top-2.5%"}}
	earlier := example(t) // by a version without commit and fingerprint
	earlier.Header.Build = Build{Version: "0.1.0", Go: "go1.26.8", Platform: "linux/amd64"}
	for _, r := range []*Record{example(t), failed, unknown, nothing, imported(t), scored, earlier, ties(t), calibrated(t), unscaled} {
		data := encoded(t, r)
		got := check.Must(Decode("x.jsonl", data))(t)
		check.Same(t, "header", got.Header, r.Header)
		check.Same(t, "steps", got.Steps, r.Steps)
		check.That(t, got.OK() == r.OK() && got.Footer.Steps == len(r.Steps), "footer %+v", got.Footer)
		check.Equal(t, "encoded again", string(encoded(t, got)), string(data))
	}
	// An optimum of 0 is written, one that is unknown is not; metrics keep their order.
	plain := string(encoded(t, example(t)))
	check.Contains(t, "the example", plain, `"factor":-0.3333333333333333,"optimum":0,"optimum_x"`, `"metrics":{"z":3,"a":1e+21,"gap":1e-9}`)
	check.Lacks(t, "a record of a suite that holds nothing out, without an oracle", plain, "held_out", "headline", "oracle", "tie\"")
	check.Contains(t, "a tie", string(encoded(t, ties(t))), `"winner":0,"tie":true,"true_log_likelihood"`)
	check.Contains(t, "an unknown optimum", string(encoded(t, unknown)), `"factor":-0.3333333333333333,"norm"`)
	check.Contains(t, "a commit", string(encoded(t, built(t))), `"version":"0.1.0","commit":"`+someCommit+`","dirty":true,"fingerprint":"`+somePrint+`","go":`)
	v, ok := example(t).Steps[0].Metrics.Get("gap")
	_, none := example(t).Steps[0].Metrics.Get("none")
	check.That(t, ok && v == 1e-9 && !none, "gap = %g, %t; there is another: %t", v, ok, none)
}

// built is a record of a program with a commit.
func built(t *testing.T) *Record {
	r := example(t)
	r.Header.Build = Build{Version: "0.1.0", Commit: someCommit, Dirty: true, Fingerprint: somePrint, Go: "go1.26.8", Platform: "linux/amd64/v1"}
	return r
}

// imported is a record made from a table.
func imported(t *testing.T) *Record {
	r := example(t)
	r.Header.Problem = Problem{Name: "beale", Scale: "imported", Factor: 1, Lo: []float64{}, Hi: []float64{}, Optimum: new(float64)}
	r.Header.Algorithm.InForce = nil
	r.Header.Snapshots = nil
	r.Header.Imported = &Imported{File: "theirs.csv", SHA256: strings.Repeat("0a", 32), Dimension: 2}
	for i := range r.Steps {
		s := &r.Steps[i]
		*s = Step{Kind: "step", T: s.T, Points: [][]float64{}, New: i % 2, Utility: []float64{-1, -2}[:i+1], Recommendations: s.Recommendations, Metrics: s.Metrics}
		for k := range s.Recommendations {
			s.Recommendations[k].X = []float64{}
		}
	}
	return r
}

// An imported record has what a table can say, and nothing else.
func TestEncodeRefusesAnImportedRecord(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Record)
		want   string
	}{
		"file":       {func(r *Record) { r.Header.Imported.File = "" }, "imported.file is empty"},
		"text":       {func(r *Record) { r.Header.Imported.File = "a\nb" }, "imported.file has a line break"},
		"checksum":   {func(r *Record) { r.Header.Imported.SHA256 = "0" }, `imported.sha256 is "0", not 64 hexadecimal digits`},
		"dimension":  {func(r *Record) { r.Header.Imported.Dimension = -1 }, "imported.dimension = -1 is negative"},
		"optimum":    {func(r *Record) { *r.Header.Problem.Optimum = 1 }, "imported, but with a box, an optimum other than 0"},
		"box":        {func(r *Record) { r.Header.Problem.Lo, r.Header.Problem.Hi = []float64{0}, []float64{1} }, "imported, but with a box"},
		"norm":       {func(r *Record) { r.Header.Problem.Norm = new(1.0) }, "imported, but with a box, an optimum other than 0, a norm"},
		"uniform":    {func(r *Record) { r.Header.Problem.Uniform = &Uniform{} }, "imported, but"},
		"points":     {func(r *Record) { r.Steps[1].Points = [][]float64{{}} }, "step 2: an imported step has"},
		"answer":     {func(r *Record) { r.Steps[1].Winner = 1 }, "step 2: an imported step has"},
		"new":        {func(r *Record) { r.Steps[0].New = 2 }, "step 1: an imported step has"},
		"utilities":  {func(r *Record) { r.Steps[0].Utility = []float64{1, 2, 3} }, "step 1: an imported step has"},
		"likelihood": {func(r *Record) { r.Steps[0].TrueLogLikelihood = -1 }, "step 1: an imported step has"},
		"utility":    {func(r *Record) { r.Steps[0].Utility[0] = math.NaN() }, "step 1: utility[0] = NaN is not finite"},
		"no rule":    {func(r *Record) { r.Steps[0].Recommendations = nil }, "step 1: recommendations is empty"},
		"not marked": {func(r *Record) { r.Header.Imported = nil }, "problem has 0 lower and 0 upper bounds"},
	} {
		r := imported(t)
		c.change(r)
		check.Error(t, name, check.Err(Encode(r)), c.want)
	}
}

// held gives the second step a score, where three duels between four points are planned.
func held(h HeldOut) func(*Record) {
	return func(r *Record) { r.Header.HeldOut, r.Steps[1].HeldOut = &HeldOutPlan{Duels: 3, Points: 4}, &h }
}

// Every invalid field is refused by name.
func TestEncodeRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		change func(*Record)
		want   string
	}{
		"metric NaN":               {func(r *Record) { r.Steps[1].Metrics[2].Value = nan }, `step 2: metric "gap" = NaN is not finite`},
		"metric not declared":      {func(r *Record) { r.Steps[0].Metrics[1].Name = "b" }, `step 1: metric 2 is "b", the header declares "a"`},
		"metric too many":          {func(r *Record) { r.Steps[0].Metrics = append(r.Steps[0].Metrics, Metric{"b", 0}) }, `step 1: metric "b" is not declared`},
		"metric missing":           {func(r *Record) { r.Steps[0].Metrics = r.Steps[0].Metrics[:2] }, `step 1: metric "gap" is missing`},
		"metric twice":             {func(r *Record) { r.Header.Algorithm.Metrics[1].Name = "z" }, `metric "z" is declared twice`},
		"metric without name":      {func(r *Record) { r.Header.Algorithm.Metrics[1].Name = "" }, `metrics[1].name "" is not a label`},
		"metric without kind":      {func(r *Record) { r.Header.Algorithm.Metrics[1].Kind = "" }, `metric "a" is of kind "", not work, certificate or state`},
		"no feedback":              {func(r *Record) { r.Header.Algorithm.Feedback = "" }, `step 1: there is a step, but the header has no feedback`},
		"feedback":                 {func(r *Record) { r.Header.Algorithm.Feedback = "ranks" }, `feedback is "ranks", not comparisons or values`},
		"disclosed":                {func(r *Record) { r.Header.Algorithm.Disclosed = "" }, `disclosed is "", not none, kernel or kernel-and-norm`},
		"norm in force":            {func(r *Record) { r.Header.Algorithm.InForce.NormBound = -1 }, `in_force.norm_bound = -1 is not a norm`},
		"kernel in force":          {func(r *Record) { r.Header.Algorithm.InForce.Kernel.Family = "" }, `in_force.kernel.family "" is not a label`},
		"pilot per":                {func(r *Record) { r.Header.PilotPer = "problem" }, `pilot_per is "problem", not repetition`},
		"no pilot":                 {func(r *Record) { r.Header.PilotComparisons = 0 }, `pilot_per is repetition, but there are no pilot comparisons`},
		"range":                    {func(r *Record) { r.Header.Algorithm.InForce.Range.Hi[0] = 0.1 }, `in_force.lengthscale_range [0.1, 0.1] is not a range`},
		"range for others":         {func(r *Record) { r.Header.Algorithm.InForce.Range.Lo = []float64{0.1} }, `has 1 lower and 2 upper ends for 2 lengthscales`},
		"range of no kernel":       {func(r *Record) { r.Header.Algorithm.InForce.Kernel = nil }, `in_force has a lengthscale_range, but no kernel`},
		"lengthscale":              {func(r *Record) { r.Header.Algorithm.InForce.Kernel.Lengthscale[1] = 0 }, `a variance or lengthscale of 0`},
		"format":                   {func(r *Record) { r.Header.Format = 1 }, `format is 1, this program writes 2`},
		"held-out plan":            {func(r *Record) { r.Header.HeldOut = &HeldOutPlan{Duels: 3, Points: 1} }, `held_out has 3 duels between 1 points`},
		"held out without plan":    {func(r *Record) { r.Steps[1].HeldOut = &HeldOut{} }, `step 2: held_out is scored, but the header holds nothing out`},
		"first duels":              {func(r *Record) { r.Header.FirstDuels = 2 }, `first_duels is 2 of 2 steps`},
		"held-out duels":           {held(HeldOut{Duels: 4}), `step 2: held_out.duels = 4, not 0 to 3`},
		"held-out loss":            {held(HeldOut{Duels: 3, LogLoss: nan}), `step 2: held_out has a log-loss of NaN, and 0 of the truth`},
		"held-out loss of f":       {held(HeldOut{Duels: 3, TrueLogLoss: -1}), `step 2: held_out has a log-loss of 0, and -1 of the truth`},
		"held-out tau":             {held(HeldOut{Duels: 3, Tau: new(1.01)}), `step 2: held_out.tau = 1.01 is not between -1 and 1`},
		"headline":                 {func(r *Record) { r.Header.Headline = "a\nb" }, `headline "a\nb"`},
		"utility NaN":              {func(r *Record) { r.Steps[0].Utility[1] = nan }, `utility[1] = NaN`},
		"point NaN":                {func(r *Record) { r.Steps[0].Points[1][0] = nan }, `points[1][0] = NaN`},
		"point short":              {func(r *Record) { r.Steps[0].Points[1] = []float64{1} }, `points[1] has 1 coordinates`},
		"recommended infinite":     {func(r *Record) { r.Steps[0].Recommendations[1].X[1] = inf }, `points[1][1] = +Inf`},
		"recommended utility":      {func(r *Record) { r.Steps[0].Recommendations[1].Utility = inf }, `recommendations[1].utility = +Inf`},
		"recommended short":        {func(r *Record) { r.Steps[0].Recommendations[0].X = nil }, `recommendations[0].x has 0 coordinates`},
		"recommended without rule": {func(r *Record) { r.Steps[0].Recommendations[0].Rule = "" }, `recommendations[0] has no rule`},
		"no recommendation":        {func(r *Record) { r.Steps[0].Recommendations = nil }, `recommendations is empty`},
		"one point":                {func(r *Record) { r.Steps[0].Points = r.Steps[0].Points[:1] }, `points has 1`},
		"winner":                   {func(r *Record) { r.Steps[0].Winner = 2 }, `winner = 2, not 0 to 1`},
		"new":                      {func(r *Record) { r.Steps[0].New = 3 }, `new = 3, not 0 to 2`},
		"order of steps":           {func(r *Record) { r.Steps[1].T = 3 }, `t = 3, but step 2 is next`},
		"too many steps":           {func(r *Record) { r.Header.Budget = 1; r.Header.Seal() }, `the header plans 1`},
		"too few steps":            {func(r *Record) { r.Steps = r.Steps[:1] }, `status is ok after 1 of 2 steps`},
		"status":                   {func(r *Record) { r.Footer.Status = "fine" }, `status is "fine"`},
		"failed without why":       {func(r *Record) { r.Footer.Status = Failed }, `there is no error`},
		"ok with an error":         {func(r *Record) { r.Footer.Error = "x" }, `status is ok, but there is an error`},
		"not sealed":               {func(r *Record) { r.Header.Kind = "" }, `kind is ""`},
		"hash":                     {func(r *Record) { r.Header.ConfigHash = "" }, `config_hash is empty`},
		"cell":                     {func(r *Record) { r.Header.Repetition = 3 }, `cell is "beale/`},
		"empty box":                {func(r *Record) { r.Header.Problem.Hi[1] = -4.5 }, `bounds [-4.5, -4.5] of x2`},
		"factor":                   {func(r *Record) { r.Header.Problem.Factor = inf }, `not usable`},
		"no instance":              {func(r *Record) { r.Header.Problem.Factor = 0 }, `step 1: there is a step, but the header has no problem instance`},
		"optimum":                  {func(r *Record) { r.Header.Problem.Optimum = &inf }, `optimum = +Inf`},
		"where no optimum is":      {func(r *Record) { r.Header.Problem.Optimum, r.Header.Problem.GridOptimum = nil, nil }, `problem has optimum_x, optimum_how or grid_optimum, but no optimum`},
		"grid without optimum":     {func(r *Record) { r.Header.Problem.Optimum, r.Header.Problem.OptimumX = nil, nil }, `problem has optimum_x, optimum_how or grid_optimum, but no optimum`},
		"no box":                   {func(r *Record) { r.Header.Problem.Lo, r.Header.Problem.Hi = nil, nil }, `problem has 0 lower and 0 upper bounds`},
		"half a box":               {func(r *Record) { r.Header.Problem.Factor, r.Header.Problem.Lo = 0, nil }, `problem has 0 lower and 2 upper bounds`},
		"norm":                     {func(r *Record) { norm := -1.0; r.Header.Problem.Norm = &norm }, `norm = -1 is not a norm`},
		"settings":                 {func(r *Record) { r.Header.Algorithm.Settings = nil }, `settings are not JSON`},
		"commit":                   {func(r *Record) { r.Header.Commit = someCommit[:39] + "g" }, `not 40 to 64 hexadecimal digits`},
		"dirty alone":              {func(r *Record) { r.Header.Commit, r.Header.Dirty = "", true }, `dirty is true, but there is no commit`},
		"fingerprint":              {func(r *Record) { r.Header.Fingerprint = somePrint[1:] }, `not 16 hexadecimal digits`},
		"program without command":  {func(r *Record) { r.Header.Algorithm.Program = &Program{Threads: 1} }, `command is empty`},
		"header infinite":          {func(r *Record) { r.Header.Problem.Uniform.Std = inf }, `header: `},
	} {
		r := example(t)
		c.change(r)
		check.Error(t, name, check.Err(Encode(r)), c.want)
	}
}

// Damage to a file is found and reported with its line, and with what to do. Below each change of a line of the example, in
// which \n is a new line, stands what is said of it.
func TestDecodeRefuses(t *testing.T) {
	good := string(encoded(t, example(t)))
	lines := strings.SplitAfter(strings.TrimSuffix(good, "\n"), "\n")
	lines[3] += "\n"
	refused := func(text string) string {
		err := check.Err(Decode("x.jsonl", []byte(text)))
		check.Error(t, text, err, "; ") // the mend
		check.Lacks(t, text, fmt.Sprint(err), "\n")
		return fmt.Sprint(err)
	}
	check.GoldenLines(t, "damage.golden", func(line string) string {
		at, change, _ := strings.Cut(strings.ReplaceAll(line, `\n`, "\n"), ": ")
		i := check.Must(strconv.Atoi(at))(t) - 1
		old, new, _ := strings.Cut(change, " → ")
		check.Contains(t, "line "+at, lines[i], old)
		changed := slices.Clone(lines)
		changed[i] = strings.Replace(lines[i], old, new, 1)
		return refused(strings.Join(changed, ""))
	})
	for want, text := range map[string]string{
		"x.jsonl: the file is empty":                           "",
		"x.jsonl:1: this is not a record":                      "hello\nworld\n",
		"x.jsonl:1: this":                                      strings.Join(lines[1:], ""),
		"cut short in the middle of a line":                    good[:len(good)/2],
		"x.jsonl:4: the record is cut short":                   good[:len(good)-1],
		"x.jsonl:2: the record is cut short after step 1 of 2": lines[0] + lines[1],
		"x.jsonl:2: t = 2, but step 1 is next":                 lines[0] + lines[2] + lines[3],
		"x.jsonl:3: footer counts 2 steps":                     lines[0] + lines[1] + lines[3],
		"x.jsonl:5: there is a line after the footer":          good + lines[1],
		"x.jsonl:5: there is a line after":                     good + good,
	} {
		check.Contains(t, "the reason", refused(text), want)
	}
	theirs := strings.Replace(string(encoded(t, imported(t))), "-1", "-3", 1)
	check.Contains(t, "an imported record", refused(theirs), "; import the table again")
}

// Below each problem and label stands the identifier of a cell: also of devices of Windows, such as NUL and COM1.
func TestCellID(t *testing.T) {
	check.GoldenLines(t, "cells.golden", func(line string) string {
		problem, label, _ := strings.Cut(line, " | ")
		id := CellID(problem, label, 7)
		inProblem, inLabel, _ := strings.Cut(Group(id), "/")
		check.Equal(t, id+" is read as", unsafeName(inProblem)+" | "+unsafeName(inLabel), line)
		return id
	})
	check.Equal(t, "a large repetition", CellID("a", "b", 12345), "a/b/12345")
	check.Equal(t, "what is no name of a file", unsafeName("a%41%4"), "aA%4")
}
