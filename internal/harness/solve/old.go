package solve

// This file converts data sets in the forms that bench solve accepted before it had a
// schema, for one more release. To remove the support, delete this file, its test, its use
// in solve.go and the flag --starts.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/algorithms/baselines/qeubo"
	"popbench/internal/math/gp"
	"popbench/internal/printable"
	"popbench/kernel"
	"popbench/space"
)

// oldForm is one kind of data set.
type oldForm struct {
	keys    []string // a data set of this form has all of them
	note    string   // the new keys
	convert func(data []byte, starts int) (converted, error)
}

// converted is a converted data set: problems, or the solution for the last two forms,
// which the schema does not have.
type converted struct {
	problems []newProblem
	solved   any
}

// newProblem is a problem in the schema.
type newProblem struct {
	Algorithm   string            `json:"algorithm"`
	Settings    map[string]any    `json:"settings"`
	Box         *space.Box        `json:"box,omitempty"`
	Known       *algorithms.Known `json:"known,omitempty"`
	Points      [][]float64       `json:"points"`
	Comparisons [][2]int          `json:"comparisons,omitempty"`
	Queries     []any             `json:"queries,omitempty"`
	Reference   *int              `json:"reference,omitempty"`
	Beta        *float64          `json:"beta,omitempty"`
	Epsilon     *float64          `json:"epsilon,omitempty"`
	Differences []float64         `json:"differences,omitempty"`
}

const noForm = "this form will be refused and has no replacement"

// oldForms are listed in the order in which they are tried.
var oldForms = []oldForm{
	{[]string{"x", "one"}, `"algorithm": "popbo", points, comparisons, box, settings.kernel, settings.norm_bound, beta, epsilon, queries`, oldPOPBO},
	{[]string{"winners", "losers", "noise_std"}, `"algorithm": "sgp", points, comparisons, settings.kernel, settings.noise_std, settings.fit.refit_every = 0, queries, reference, differences`, oldSGP},
	{[]string{"winner", "loser", "noise_std"}, `"algorithm": "sgp", points, comparisons, settings.kernel, settings.noise_std, settings.fit.refit_every = 0, queries`, oldSGP},
	{[]string{"X", "y", "X_test"}, `"algorithm": "dts", points, comparisons, box, settings.prior (which with se-mirrored counts each duel mirrored, too), settings.kernel, settings.fit = none, settings.grid, queries`, oldDTS},
	{[]string{"X", "comparisons_winner_loser", "lengthscale", "outputscale"}, noteQEUBO, oldQEUBO},
	{[]string{"X", "comparisons", "lengthscale", "outputscale"}, noteQEUBO, oldQEUBO},
	{[]string{"queries", "responses_index_of_winner", "lengthscale", "outputscale"}, noteQEUBO, oldQEUBO},
	{[]string{"queries", "responses"}, `"algorithm": "qeubo", points, comparisons, settings.inference, settings.link`, oldQEUBO},
	{[]string{"F"}, noForm, oldCopeland},
	{[]string{"lower"}, noForm, oldTruncated},
}

const noteQEUBO = `"algorithm": "qeubo", points, comparisons, box, settings.inference, settings.link, known.kernel, queries`

// maxNesting is the maximum depth of lists and objects in which data sets are found.
const maxNesting = 5

// convertOld converts the old data sets in a file: a single one, those of a list, or those
// in an object, in the order of its keys. It writes a note for each form, and returns nil if
// there are none.
func convertOld(stderr io.Writer, name string, data []byte, starts int) (all []Problem, list bool, err error) {
	c := oldConverter{stderr: stderr, name: name, starts: starts, noted: map[string]bool{}}
	if json.Valid(data) {
		err = c.walk("", 0, data)
	}
	if err == nil && starts != 0 && !c.noted["x, one"] {
		err = errors.New("--starts is for old data sets of POP-BO; give settings.restarts in the file")
	}
	return c.all, len(c.all) != 1 || !c.single, err
}

type oldConverter struct {
	stderr io.Writer
	name   string
	starts int
	noted  map[string]bool // by the keys of a form
	all    []Problem
	single bool // the file is one data set
}

// walk converts the data sets below a path in the file; "" is the whole file.
func (c *oldConverter) walk(path string, nesting int, data json.RawMessage) error {
	if nesting > maxNesting {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i, item := range list {
			if err := c.walk(fmt.Sprintf("%s[%d]", path, i), nesting+1, item); err != nil {
				return err
			}
		}
		return nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object["points"] != nil || object["algorithm"] != nil {
		return nil
	}
	for _, form := range oldForms {
		if !slices.ContainsFunc(form.keys, func(key string) bool { return object[key] == nil }) {
			c.single = path == ""
			return c.convert(form, path, data)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := c.walk(path+"."+printable.Cut(key, 40), nesting+1, object[key]); err != nil {
			return err
		}
	}
	return nil
}

func (c *oldConverter) convert(form oldForm, path string, data []byte) error {
	if keys := strings.Join(form.keys, ", "); !c.noted[keys] {
		c.noted[keys] = true
		mend := form.note
		if mend != noForm {
			mend = "give " + mend
		}
		fmt.Fprintf(c.stderr, "bench: %s: data with the keys %s are accepted for one more release; %s; bench help solve has examples\n", c.name, keys, mend)
	}
	where := strings.TrimSuffix(c.name+": "+strings.TrimPrefix(path, "."), ": ")
	out, err := form.convert(data, c.starts)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		err = fmt.Errorf("%s: a value is of the wrong type, a %s", kind.Field, printable.Cut(kind.Value, 40))
	}
	if err != nil {
		return fmt.Errorf("%s%w", strings.TrimPrefix(where+": ", c.name+": "), err)
	}
	if out.solved != nil {
		c.all = append(c.all, Problem{where: where, solved: out.solved})
	}
	for _, p := range out.problems {
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		c.all = append(c.all, Problem{file: where + " (converted)", where: where + " (converted)", Data: text})
	}
	return nil
}

// numbers is a list of numbers, or a single number.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	var one float64
	if json.Unmarshal(data, &one) == nil {
		*n = numbers{one}
		return nil
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// points are points; in one dimension they may be numbers.
type points [][]float64

func (p *points) UnmarshalJSON(data []byte) error {
	var flat []float64
	if json.Unmarshal(data, &flat) != nil {
		return json.Unmarshal(data, (*[][]float64)(p))
	}
	*p = nil
	for _, x := range flat {
		*p = append(*p, []float64{x})
	}
	return nil
}

// queryAt is a point, or an object that contains it.
type queryAt []float64

func (q *queryAt) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*[]float64)(q))
	}
	var at struct{ X []float64 }
	err := json.Unmarshal(data, &at)
	*q = at.X
	return err
}

func anys[T any](list []T) (out []any) {
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// unitBox returns [0,1]^d, the box that the old forms imply, or nil if a point is outside.
func unitBox(points [][]float64) *space.Box {
	if len(points) == 0 || len(points[0]) == 0 || len(points[0]) > algorithms.MaxDim {
		return nil
	}
	box := space.Cube(len(points[0]), 0, 1)
	if slices.ContainsFunc(points, func(x []float64) bool { return !box.Contains(x) }) {
		return nil
	}
	return &box
}

func oldPOPBO(data []byte, starts int) (converted, error) {
	s := struct {
		Kernel      string      `json:"kernel"`
		Nu          float64     `json:"nu"`
		Variance    float64     `json:"variance"`
		Lengthscale numbers     `json:"lengthscale"`
		Bounds      [][]float64 `json:"bounds"`
		B           *float64    `json:"B"`
		Beta        *float64    `json:"beta"`
		Epsilon     *float64    `json:"epsilon"`
		X           [][]float64 `json:"x"`
		One         []float64   `json:"one"`
		Queries     []queryAt   `json:"queries"`
	}{Variance: 1, Lengthscale: numbers{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	switch {
	case s.B == nil:
		return converted{}, errors.New("B is missing")
	case s.Beta == nil:
		return converted{}, errors.New("beta is missing")
	case len(s.One) != len(s.X)-1:
		return converted{}, fmt.Errorf("one has %d outcomes for %d points in x; give one for each point except x[0]", len(s.One), len(s.X))
	}
	family := map[string]string{"SE": "se-half", "Matern52": "matern52", "Matern32": "matern32", "Matern12": "matern12"}[s.Kernel]
	if family == "" {
		family = s.Kernel
	}
	p := newProblem{
		Algorithm: "popbo", Box: &space.Box{}, Points: s.X, Queries: anys(s.Queries), Beta: s.Beta, Epsilon: s.Epsilon,
		Settings: map[string]any{"kernel": kernel.Config{Family: family, Nu: s.Nu, Variance: s.Variance, Lengthscale: s.Lengthscale}, "norm_bound": s.B},
	}
	if starts > 0 {
		p.Settings["restarts"] = starts
	}
	for i, b := range s.Bounds {
		if len(b) != 2 {
			return converted{}, fmt.Errorf("bounds[%d] has %d numbers; give [lo, hi]", i, len(b))
		}
		p.Box.Lo, p.Box.Hi = append(p.Box.Lo, b[0]), append(p.Box.Hi, b[1])
	}
	for i, one := range s.One {
		if one != 0 && one != 1 {
			return converted{}, fmt.Errorf("one[%d] = %g is not an outcome; give 1 where x[%d] was preferred to x[%d], else 0", i, one, i+1, i)
		}
		p.Comparisons = append(p.Comparisons, [2]int{i + int(one), i + 1 - int(one)})
	}
	return converted{problems: []newProblem{p}}, nil
}

func oldSGP(data []byte, _ int) (converted, error) {
	s := struct {
		Lengthscale numbers  `json:"lengthscale"`
		Variance    float64  `json:"kernel_variance"`
		Noise       float64  `json:"noise_std"`
		Winners     points   `json:"winners"`
		Losers      points   `json:"losers"`
		Winner      *float64 `json:"winner"`
		Loser       float64  `json:"loser"`
		Tests       points   `json:"test_points"`
		X           points   `json:"x"`
		Step        struct {
			V         []float64 `json:"v"`
			Incumbent []float64 `json:"incumbent"`
		} `json:"hb_step"`
	}{Variance: 1, Lengthscale: numbers{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	if s.Winner != nil {
		s.Winners, s.Losers = points{{*s.Winner}}, points{{s.Loser}}
	}
	n := len(s.Winners)
	if n == 0 || len(s.Losers) != n {
		return converted{}, fmt.Errorf("losers has %d points and winners %d; give one of each for a duel", len(s.Losers), n)
	}
	p := newProblem{
		Algorithm: "sgp", Points: slices.Concat(s.Winners, s.Losers), Queries: anys(append(s.Tests, s.X...)), Differences: s.Step.V,
		Settings: map[string]any{
			"kernel":    kernel.Config{Family: "se-half", Variance: s.Variance, Lengthscale: s.Lengthscale},
			"noise_std": s.Noise, "fit": map[string]int{"refit_every": 0},
		},
	}
	for i := range n {
		p.Comparisons = append(p.Comparisons, [2]int{i, n + i})
	}
	incumbent := n - 1
	if s.Step.Incumbent != nil {
		incumbent, p.Points = 2*n, append(p.Points, s.Step.Incumbent)
	}
	p.Reference = &incumbent
	return converted{problems: []newProblem{p}}, nil
}

func oldDTS(data []byte, _ int) (converted, error) {
	s := struct {
		Kernel      string      `json:"kernel"`
		Variance    float64     `json:"variance"`
		Lengthscale numbers     `json:"lengthscale"`
		X           [][]float64 `json:"X"`
		Y           []float64   `json:"y"`
		Test        [][]float64 `json:"X_test"`
		Grid        int         `json:"grid_points"`
	}{Variance: 1, Lengthscale: numbers{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	prior, ok := map[string]string{"se": "se-mirrored", "pref": "preference"}[s.Kernel]
	if !ok {
		return converted{}, fmt.Errorf("kernel = %q is unknown; give se or pref", s.Kernel)
	}
	if len(s.Y) != len(s.X) {
		return converted{}, fmt.Errorf("y has %d answers for %d rows of X", len(s.Y), len(s.X))
	}
	var p newProblem
	mirrored := map[string]bool{} // duels whose row of X was converted, and whose mirror image has not appeared yet
	for i, z := range s.X {
		if len(z) == 0 || len(z)%2 != 0 {
			return converted{}, errors.New("X has rows of odd length or none; give rows [x; x'], a duel each")
		}
		if s.Y[i] != 0 && s.Y[i] != 1 {
			return converted{}, fmt.Errorf("y[%d] = %g is not an answer; give 1 where x beat x', else 0", i, s.Y[i])
		}
		x, y := z[:len(z)/2], z[len(z)/2:]
		if s.Y[i] == 0 {
			x, y = y, x
		}
		if key := fmt.Sprint(x, y, 1-s.Y[i]); prior == "se-mirrored" && mirrored[key] {
			delete(mirrored, key)
			continue
		}
		mirrored[fmt.Sprint(x, y, s.Y[i])] = true
		p.Comparisons = append(p.Comparisons, [2]int{len(p.Points), len(p.Points) + 1})
		p.Points = append(p.Points, x, y)
	}
	for i, z := range s.Test {
		if len(z)%2 != 0 {
			return converted{}, fmt.Errorf("X_test[%d] has odd length; give pairs [x; x']", i)
		}
		p.Queries = append(p.Queries, [][]float64{z[:len(z)/2], z[len(z)/2:]})
	}
	if len(p.Points) > 0 {
		if d := len(p.Points[0]); len(s.Lengthscale) == 2*d && slices.Equal(s.Lengthscale[:d], s.Lengthscale[d:]) {
			s.Lengthscale = s.Lengthscale[:d]
		}
	}
	p.Algorithm, p.Box = "dts", unitBox(p.Points)
	p.Settings = map[string]any{
		"prior": prior, "fit": "none", "grid": s.Grid,
		"kernel": kernel.Config{Family: "se-half", Variance: s.Variance, Lengthscale: s.Lengthscale},
	}
	return converted{problems: []newProblem{p}}, nil
}

func oldQEUBO(data []byte, _ int) (converted, error) {
	s := struct {
		Link        string         `json:"link"`
		X           [][]float64    `json:"X"`
		Duels       [][2]int       `json:"comparisons_winner_loser"`
		Comparisons [][2]int       `json:"comparisons"`
		Queries     [][2][]float64 `json:"queries"`
		Indices     []int          `json:"responses_index_of_winner"`
		Responses   []int          `json:"responses"`
		Lengthscale numbers        `json:"lengthscale"`
		Outputscale float64        `json:"outputscale"`
		Test        [][]float64    `json:"X_test"`
		TestPairs   [][2]int       `json:"eubo_pairs_index_into_X_test"`
		Pairs       [][2]int       `json:"eubo_pairs"`
	}{Lengthscale: numbers{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	p := newProblem{Algorithm: "qeubo", Points: s.X, Comparisons: append(s.Duels, s.Comparisons...), Queries: anys(s.Test)}
	for _, pair := range append(s.TestPairs, s.Pairs...) {
		if min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= len(s.Test) {
			return converted{}, fmt.Errorf("a pair for EUBO is %v; X_test has %d points, from 0", pair, len(s.Test))
		}
		p.Queries = append(p.Queries, [][]float64{s.Test[pair[0]], s.Test[pair[1]]})
	}
	winners := append(s.Indices, s.Responses...)
	if len(winners) != len(s.Queries) {
		return converted{}, fmt.Errorf("there are %d responses for %d queries; give one each", len(winners), len(s.Queries))
	}
	for i, w := range winners {
		if w != 0 && w != 1 {
			return converted{}, fmt.Errorf("response %d = %d is not the index of a winner; give 0 or 1", i, w)
		}
		n := len(p.Points)
		p.Points = append(p.Points, s.Queries[i][0], s.Queries[i][1])
		p.Comparisons = append(p.Comparisons, [2]int{n + w, n + 1 - w})
	}
	if s.Responses != nil { // hyper-parameters of both models
		variational, laplace, logit := p, p, p
		variational.Settings = qeuboSettings(qeubo.Default(), "")
		logit.Settings, laplace.Settings = qeuboSettings(qeubo.PairwiseGP(), "logit"), qeuboSettings(qeubo.PairwiseGP(), "")
		return converted{problems: []newProblem{variational, logit, laplace}}, nil
	}
	p.Known = &algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: s.Outputscale, Lengthscale: s.Lengthscale}}
	if s.Indices != nil {
		p.Settings = qeuboSettings(qeubo.Default(), s.Link)
	} else {
		p.Settings, p.Box = qeuboSettings(qeubo.PairwiseGP(), s.Link), unitBox(slices.Concat(p.Points, s.Test))
	}
	return converted{problems: []newProblem{p}}, nil
}

func qeuboSettings(cfg qeubo.Config, link string) map[string]any {
	if link == "" {
		link = cfg.Link
	}
	return map[string]any{"inference": cfg.Inference, "link": link, "lengthscale_prior": cfg.LengthscalePrior, "variance_prior": cfg.VariancePrior}
}

// oldCopeland solves for the soft-Copeland scores of latent values, with a row for each x.
func oldCopeland(data []byte, _ int) (converted, error) {
	var s struct{ F [][]float64 }
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	if len(s.F) == 0 || len(s.F[0]) == 0 {
		return converted{}, errors.New("F is empty; give a row for each x, in it f([x; x']) for each x'")
	}
	var out struct {
		C      []float64 `json:"C"`
		Argmax int       `json:"argmax"`
	}
	for i, row := range s.F {
		if len(row) != len(s.F[0]) {
			return converted{}, fmt.Errorf("F[%d] has %d values and F[0] has %d; give rows of one length", i, len(row), len(s.F[0]))
		}
		var sum float64
		for _, f := range row {
			sum += 1 / (1 + math.Exp(-f))
		}
		out.C = append(out.C, sum/float64(len(row)))
	}
	out.Argmax = slices.Index(out.C, slices.Max(out.C))
	return converted{solved: out}, nil
}

// oldTruncated solves for the moments of a standard normal variable truncated from below.
func oldTruncated(data []byte, _ int) (converted, error) {
	var s struct {
		Lower float64 `json:"lower"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return converted{}, err
	}
	if !(math.Abs(s.Lower) <= 1e6) {
		return converted{}, fmt.Errorf("lower = %g is out of range; give -1e6 to 1e6", s.Lower)
	}
	var out struct {
		Lower float64 `json:"lower"`
		Mean  float64 `json:"mean"`
		Var   float64 `json:"var"`
		LogZ  float64 `json:"logZ"`
	}
	out.Lower = s.Lower
	out.Mean, out.Var, out.LogZ = gp.TruncatedNormalMoments(s.Lower)
	return converted{solved: out}, nil
}
