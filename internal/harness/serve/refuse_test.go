package serve

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/harness/wire"
	"popbench/internal/math/rng"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
	"popbench/suite"
)

// The first answer names the program, and what it can do.
func TestInitialize(t *testing.T) {
	for name, can := range map[string]string{
		"dts":       `{"arms":true,"state":true}`,
		"gpucb":     `{"arms":true,"belief":true,"state":true,"values":true}`,
		"maxminlcb": `{"arms":true,"belief":true,"state":true,"ties":true}`,
		"mrlpf":     `{"arms":true,"state":true,"ties":true}`,
		"pfts":      `{"arms":true,"belief":true,"state":true,"ties":true}`,
		"popbo":     `{"arms":true,"belief":true,"state":true}`,
		"qeubo":     `{"arms":true,"belief":true,"state":true}`,
		"random":    `{"arms":true,"state":true,"ties":true}`,
		"sgp":       `{"arms":true,"state":true}`,
		"ginop":     `{"arms":true,"belief":true,"state":true,"ties":true}`,
	} {
		program := suite.Catalogue{}.Build()
		program.Commit, program.Dirty = record.Built().Commit, record.Built().Dirty
		build := text(t, program)
		want := `{"protocol":1,"kind":"algorithm","name":"` + name + `","version":"` + record.Built().Version + `","capabilities":` + can + `,"provenance":` + build + `}`
		for _, protocol := range []string{"1", "7"} { // the highest of the host
			check.Equal(t, name, serving(t, name).call(wire.MethodInitialize, json.RawMessage(`{"protocol":`+protocol+`}`)), want)
		}
	}
}

// Every refusal is one line that says what is wrong, and changes nothing.
func TestRefusals(t *testing.T) {
	const started = `{"box":{"lo":[0,0],"hi":[1,2]},"seed":3}`
	spoil := func(part string) string { return strings.TrimSuffix(started, "}") + "," + part + "}" }
	all := []struct {
		method, params string
		code           int
		want           string
	}{
		{wire.MethodInitialize, `{"protocol":0}`, wire.CodeNoProtocol, "protocol 0 is the highest that the host speaks; this program speaks 1"},
		{wire.MethodStart, `{"arms":[[1],[1]]}`, wire.CodeParams, "arms[1] has the features of arms[0]"},
		{wire.MethodStart, `{}`, wire.CodeParams, "box: it is missing; give lo and hi"},
		{wire.MethodStart, `{"box":{"lo":[0],"hi":[0]}}`, wire.CodeParams, "lo = 0 is not below hi = 0 for x1"},
		{wire.MethodStart, `{"box":{"lo":[0],"hi":[null]}}`, wire.CodeParams, "box.hi[0] is null, not a number"},
		{wire.MethodStart, spoil(`"start":[0.5]`), wire.CodeParams, "start has 1 coordinates; the box has 2"},
		{wire.MethodStart, spoil(`"start":[0.5,3]`), wire.CodeParams, "start[1] = 3 is outside the box [0, 2]"},
		{wire.MethodStart, spoil(`"steps":-1`), wire.CodeParams, "steps = -1 is negative"},
		{wire.MethodStart, spoil(`"steps":1.5`), wire.CodeParams, "steps is number 1.5, not a whole number"},
		{wire.MethodStart, `{"box":{"lo":[0],"hi":[1]},"seed":9007199254740992}`, wire.CodeParams, "seed = 9007199254740992 is too large; give at most 2^53 - 1"},
		{wire.MethodStart, spoil(`"stream":"00ff"`), wire.CodeParams, "stream is not 64 hexadecimal digits"},
		{wire.MethodStart, spoil(`"settings":[1]`), wire.CodeParams, "settings: want a mapping of keys to values, not a list"},
		{wire.MethodStart, spoil(`"settings":{"mood":1}`), wire.CodeParams, `settings: unknown key "mood"; known: `},
		{wire.MethodStart, spoil(`"known":{"norm_bound":2}`), wire.CodeParams, "known: norm_bound is given without a kernel"},
		{wire.MethodStart, spoil(`"known":{"kernel":{"family":"round"}}`), wire.CodeParams, `kernel.family = "round" is unknown`},
		{wire.MethodStart, spoil(`"pilot":[{"points":[[0,0],[1,1]],"winner":2}]`), wire.CodeParams, "pilot[0]: winner = 2 is not the index of one of the 2 points"},
		{wire.MethodTell, `{"points":[[0,0]],"new":1`, wire.CodeParams, "points: a query compares two or more, this one has 1"},
		{wire.MethodTell, `{"points":[[0,0],[1,3]],"new":1`, wire.CodeParams, "points[1][1] = 3 is outside the box [0, 2]"},
		{wire.MethodTell, `{"points":[[0,0],[1,1]],"new":3`, wire.CodeParams, "new = 3 is not between 0 and 2"},
		{wire.MethodTell, `{"points":[[0,0],[1,1]],"new":1,"winner":null}`, wire.CodeParams, "learn"},
		{wire.MethodTell, `{"points":[[0,0],[1,1]],"new":1,"winner":0,"values":[1]}`, wire.CodeParams, "learns from"},
		{wire.MethodBelief, `{"points":[[0,0],[1]]}`, wire.CodeParams, "points[1] has 1 coordinates; the box has 2"},
		{wire.MethodEvaluate, `{"x":[0,0]}`, wire.CodeMethod, `"evaluate" is not a method of this program, whose kind is algorithm`},
		{wire.MethodRestore, `{}`, wire.CodeParams, "state: it is not a state of an algorithm, or damaged"},
		{wire.MethodRestore, `{"state":{"name":"other","program":"x"}}`, wire.CodeParams, "state: another version wrote it, "},
	}
	for name, own := range map[string]struct{ answer, missing, wrong, key string }{
		"popbo": {`"winner":1}`, "winner: it is missing; give the index of the preferred point, from 0", `"values":[1]}`, "values: this algorithm learns from comparisons"},
		"gpucb": {`"values":[0.5]}`, "values: 0 given for new = 1 points; give one for each new point", `"winner":1}`, "winner: this algorithm learns from values"},
	} {
		h := serving(t, name)
		refused := func(method, params string, code int, want string) {
			t.Helper()
			e := h.refused(method, params)
			check.Equal(t, name+" "+params[:min(200, len(params))], e.Code, code)
			check.Contains(t, name+" "+method, e.Message, want)
		}
		for _, method := range []string{wire.MethodAsk, wire.MethodTell, wire.MethodRecommend, wire.MethodBelief, wire.MethodState} {
			refused(method, `{}`, wire.CodeRequest, method+": there is no experiment; call start first")
		}
		h.call(wire.MethodStart, json.RawMessage(spoil(`"settings":{"restarts":2}`)))
		const duel = `{"points":[[0,0],[1,1]],"new":1`
		h.call(wire.MethodTell, json.RawMessage(duel+","+own.answer))
		before := h.call(wire.MethodState, nil)
		for _, c := range all {
			if !strings.HasSuffix(c.params, "}") {
				c.params += "," + own.answer
			}
			refused(c.method, c.params, c.code, c.want)
		}
		refused(wire.MethodTell, duel+","+own.wrong, wire.CodeParams, own.key)
		refused(wire.MethodTell, duel+"}", wire.CodeParams, own.missing)
		changes := map[[2]string]string{
			{`"version":"`, `"version":"9`}:  "state: another version wrote it, 9",
			{`"program":"`, `"program":"9`}:  "state: another version wrote it",
			{`"learnt":1`, `"learnt":2`}:     "state: learnt = 2 is not between 0 and 1",
			{`"learnt":1`, `"learned":1`}:    "state: it is not a state of an algorithm, or damaged",
			{`"restarts":2`, `"restarts":0`}: "settings.restarts: 0 is too small",
		}
		if name == "popbo" { // once, since it takes long
			changes[[2]string{`"box":{`, `"box":{"x":"` + strings.Repeat("x", wire.MaxState) + `",`}] = "state: it has more than 16 MiB"
		}
		for change, want := range changes {
			check.Contains(t, "the state", before, change[0])
			refused(wire.MethodRestore, strings.Replace(before, change[0], change[1], 1), wire.CodeParams, want)
		}
		check.Equal(t, "the state", h.call(wire.MethodState, nil), before)
	}
}

// Without a stream, one from the seed; without a start, the centre.
func TestDefaults(t *testing.T) {
	h := serving(t, "qeubo")
	box := space.Box{Lo: []float64{0, -1}, Hi: []float64{1, 4}}
	key := rng.Key(7, "serve", "qeubo")
	full := wire.Start{
		Cell: "more", Box: &box, Start: []float64{0.5, 1.5}, Steps: 9, Seed: 1, Stream: hex.EncodeToString(key[:]),
		Settings: json.RawMessage(`{"restarts":3}`),
	}
	h.call(wire.MethodStart, full)
	want := h.call(wire.MethodAsk, nil)
	for _, short := range []string{
		`{"box":{"lo":[0,-1],"hi":[1,4]},"seed":7,"settings":{"restarts":3}}`,
		`{"box":{"lo":[0,-1],"hi":[1,4]},"arms":[],"start":[],"stream":"","seed":7,"settings":null,"pilot":[],"known":null,"more":{"a":null}}`,
	} {
		h.call(wire.MethodStart, json.RawMessage(short))
		check.Equal(t, short, h.call(wire.MethodAsk, nil), want)
	}
	h.call(wire.MethodStart, json.RawMessage(`{"box":{"lo":[0,-1],"hi":[1,4]},"seed":8}`))
	check.That(t, h.call(wire.MethodAsk, nil) != want, "another seed gives the same query")
}

// adding returns a host of a program that serves another algorithm.
func adding(t *testing.T, name string, notes io.Writer, build func(algorithms.Setup) (algorithms.Algorithm, error)) host {
	t.Helper()
	none := func() struct{} { return struct{}{} }
	own := suite.Of(none, func(s algorithms.Setup, _ struct{}) (algorithms.Algorithm, error) { return build(s) })
	cat := check.Must(suite.Catalogue{}.WithAlgorithm(name, own))(t)
	return connect(t, check.Must(Algorithm(cat, name, notes))(t), nil)
}

// A method may refuse arms. A host then leaves the cell out.
func TestUndefined(t *testing.T) {
	h := adding(t, "boxes", io.Discard, func(s algorithms.Setup) (algorithms.Algorithm, error) {
		if _, err := s.Box(); err != nil {
			return nil, err
		}
		return suite.Catalogue{}.New("random", s, suite.Catalogue{}.Settings("random"))
	})
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, json.RawMessage(`{"protocol":1}`)), `"capabilities":{"state":true,"ties":true}`)
	e := h.refused(wire.MethodStart, `{"arms":[[1],[2]]}`)
	check.Equal(t, "code", e.Code, wire.CodeUndefined)
	check.Contains(t, "message", e.Message, "this algorithm searches boxes only")
}

// On arms the queries are arms, also after a restart.
func TestArms(t *testing.T) {
	h := serving(t, "random")
	h.call(wire.MethodStart, json.RawMessage(`{"arms":[[1,5],[2,6],[3,7]],"seed":3}`))
	query := h.call(wire.MethodAsk, nil)
	var q wire.Query
	check.OK(t, json.Unmarshal([]byte(query), &q))
	check.Equal(t, query+" has arms", len(q.Points) == 2 && q.Points[1][1] == q.Points[1][0]+4, true)
	check.Contains(t, "another point", h.refused(wire.MethodTell, `{"points":[[1,5],[2,7]],"new":1,"winner":0}`).Message, "points[1] = [2 7] is not one of the 3 arms")
	state := h.call(wire.MethodState, nil)
	h.call(wire.MethodStart, json.RawMessage(`{"arms":[[1,5],[2,6]],"seed":3}`))
	h.call(wire.MethodRestore, json.RawMessage(state))
	check.Equal(t, "query", h.call(wire.MethodAsk, nil), query)
}

// fragile is an algorithm that cannot be saved, and that panics after its first query.
type fragile struct{ *algorithms.Driver }

func (f fragile) Ask() (algorithms.Query, error) {
	if f.Comparisons() > 0 {
		panic("it\nbroke")
	}
	return f.Driver.Ask()
}

// A panic ends the experiment, but not the program.
func TestPanic(t *testing.T) {
	type plain struct{ algorithms.Algorithm }
	var notes strings.Builder
	h := adding(t, "fragile", &notes, func(s algorithms.Setup) (algorithms.Algorithm, error) {
		a, err := suite.Catalogue{}.New("random", s, suite.Catalogue{}.Settings("random"))
		return plain{fragile{a.(algorithms.TieDriver).Driver}}, err
	})
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, json.RawMessage(`{"protocol":1}`)), `"name":"fragile"`, `"capabilities":{"arms":true}`, ", which adds fragile")
	for range 2 {
		h.call(wire.MethodStart, json.RawMessage(`{"box":{"lo":[0],"hi":[1]}}`))
		check.Equal(t, "code", h.refused(wire.MethodState, `{}`).Code, wire.CodeMethod)
		check.Equal(t, "code", h.refused(wire.MethodRestore, `{"state":{}}`).Code, wire.CodeMethod)
		check.Contains(t, "recommend", h.call(wire.MethodRecommend, nil), `"recommendations":[{`)
		h.call(wire.MethodTell, json.RawMessage(`{"points":[[0],[1]],"new":1,"winner":1}`))
		err := h.conn.Call(t.Context(), wire.MethodAsk, nil, nil)
		broken, _ := errors.AsType[*wire.Error](err)
		check.Equal(t, "message", fmt.Sprint(err), "panic: it")
		check.Contains(t, "data", string(broken.Data), "fragile.Ask")
		check.Contains(t, "notes", notes.String(), "ask: panic: it\nbroke\n", "fragile.Ask")
		check.Contains(t, "ask", h.refused(wire.MethodAsk, `{}`).Message, "call start first")
	}
}

// A served problem has the raw values, to be maximised.
func TestProblem(t *testing.T) {
	instance := func(spec *problems.Spec) *problems.Problem { return check.Must(spec.Instance(problems.Raw, nil))(t) }
	p := instance(check.Must(problems.Lookup("branin"))(t))
	h := connect(t, Problem(t.Context(), p, suite.Catalogue{}.Build(), t.Output()), nil)
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, json.RawMessage(`{"protocol":1}`)), `"kind":"problem","name":"branin"`, `"capabilities":{}`)
	check.Equal(t, "evaluate", h.call(wire.MethodEvaluate, json.RawMessage(`{"x":[1,2]}`)), fmt.Sprintf(`{"value":%v}`, -p.Raw([]float64{1, 2})))
	var d wire.Description
	check.OK(t, json.Unmarshal([]byte(h.call(wire.MethodDescribe, nil)), &d))
	check.Equal(t, "describe", [5]any{*d.Optimum, len(d.OptimumX), d.Title, d.Source, text(t, d.Box)}, [5]any{-p.RawOptimum.Value, 3, "Branin", p.Source, text(t, p.Box)})
	for params, want := range map[string]string{
		`{}`:             "x has 0 coordinates; the box has 2",
		`{"x":[1,null]}`: "x[1] is null, not a number",
		`{"x":[11,2]}`:   "x[0] = 11 is outside the box [-5, 10]",
	} {
		e := h.refused(wire.MethodEvaluate, params)
		check.Equal(t, params, e.Code, wire.CodeParams)
		check.Contains(t, params, e.Message, want)
	}
	check.Equal(t, "ask", h.refused(wire.MethodAsk, `{}`).Message, `"ask" is not a method of this program, whose kind is problem`)

	own := check.Must(problems.New(problems.Spec{Name: "own"}, problems.Function{
		Box: space.Cube(1, 0, 1), Optimum: problems.Optimum{Unknown: true},
		Eval: func(x []float64) float64 {
			if x[0] > 0.5 {
				panic("too far")
			}
			return x[0]
		},
	}))(t)
	var notes strings.Builder
	h = connect(t, Problem(t.Context(), instance(own), record.Build{}, &notes), nil)
	check.Equal(t, "describe", h.call(wire.MethodDescribe, nil), `{"box":{"lo":[0],"hi":[1]},"title":"own"}`)
	check.Equal(t, "error", h.refused(wire.MethodEvaluate, `{"x":[0.75]}`).Message, "panic: too far")
	check.Contains(t, "notes", notes.String(), "evaluate: panic: too far\n")
	check.Equal(t, "evaluate", h.call(wire.MethodEvaluate, json.RawMessage(`{"x":[0.25]}`)), `{"value":0.25}`)
}
