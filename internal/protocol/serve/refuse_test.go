package serve

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/protocol/wire"
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
			handle, err := Algorithm(suite.Catalogue{}, name, t.Output())
			h := connect(t, handle, err)
			check.Equal(t, name+": too early", h.refused(wire.MethodStart, `{"box":{"lo":[0],"hi":[1]}}`).Code, wire.CodeRequest)
			check.Equal(t, name+": too old", h.refused(wire.MethodInitialize, `{"protocol":0}`).Code, wire.CodeNoProtocol)
			check.Equal(t, name, h.call(wire.MethodInitialize, json.RawMessage(`{"protocol":`+protocol+`}`)), want)
			check.Equal(t, name+": twice", h.refused(wire.MethodInitialize, `{"protocol":1}`).Code, wire.CodeRequest)
		}
	}
}

// Every refusal is one line that says what is wrong, and changes nothing. Below each request, or change of the state that
// is to be restored, stand the answers of popbo, which learns from comparisons, and gpucb, which learns from values; one if
// they are the same, and none if the request is good. The first requests come before an experiment.
func TestRefusals(t *testing.T) {
	check.Sequential(t)
	type experiment struct {
		host
		answer, state string
	}
	all := []*experiment{{host: serving(t, "popbo"), answer: `"winner":1`}, {host: serving(t, "gpucb"), answer: `"values":[0.5]`}}
	build := suite.Catalogue{}.Build()
	anonymous := strings.NewReplacer(build.Version, "VERSION", build.Identity(), "PROGRAM")
	begun := false
	check.GoldenLines(t, "refusals.golden", func(line string) string {
		if !begun && !strings.HasSuffix(line, " {}") {
			begun = true
			for _, e := range all {
				e.call(wire.MethodStart, json.RawMessage(`{"box":{"lo":[0,0],"hi":[1,2]},"seed":3,"settings":{"restarts":2}}`))
				e.call(wire.MethodTell, json.RawMessage(`{"points":[[0,0],[1,1]],"new":1,`+e.answer+`}`))
				e.state = e.call(wire.MethodState, nil)
			}
		}
		var answers []string
		for i, e := range all {
			method, params, _ := strings.Cut(line, " ")
			params = strings.Replace(params, "ANSWER", e.answer, 1)
			if old, new, ok := strings.Cut(params, " → "); ok {
				check.Contains(t, "the state", e.state, old)
				if strings.Contains(new, "LARGE") && i > 0 {
					continue // it takes long
				}
				params = strings.Replace(e.state, old, strings.Replace(new, "LARGE", strings.Repeat("x", wire.MaxState), 1), 1)
			}
			err := e.conn.Call(t.Context(), method, json.RawMessage(params), nil)
			if err == nil {
				e.call(wire.MethodRestore, json.RawMessage(e.state))
				answers = append(answers, "{}")
				continue
			}
			own, ok := errors.AsType[*wire.Error](err)
			check.That(t, ok && !strings.Contains(own.Message, "\n"), "%s: %v", line, err)
			if begun {
				check.Equal(t, "the state", e.call(wire.MethodState, nil), e.state)
			}
			answers = append(answers, fmt.Sprintf("%d: %s", own.Code, anonymous.Replace(own.Message)))
		}
		return strings.Join(slices.Compact(answers), "\n")
	})
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
	return connect(t, check.Must(Algorithm(check.Must(suite.Catalogue{}.WithAlgorithm(name, own))(t), name, notes))(t), nil)
}

// A method may refuse arms. A host then leaves the cell out.
func TestUndefined(t *testing.T) {
	h := adding(t, "boxes", io.Discard, func(s algorithms.Setup) (algorithms.Algorithm, error) {
		if _, err := s.Box(); err != nil {
			return nil, err
		}
		return suite.Catalogue{}.New("random", s, suite.Catalogue{}.Settings("random"))
	})
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, hello), `"capabilities":{"state":true,"ties":true}`)
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
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, hello), `"name":"fragile"`, `"capabilities":{"arms":true}`, ", which adds fragile")
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
	check.Contains(t, "initialize", h.call(wire.MethodInitialize, hello), `"kind":"problem","name":"branin"`, `"capabilities":{}`)
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
	h.call(wire.MethodInitialize, hello)
	check.Equal(t, "describe", h.call(wire.MethodDescribe, nil), `{"box":{"lo":[0],"hi":[1]},"title":"own"}`)
	check.Equal(t, "error", h.refused(wire.MethodEvaluate, `{"x":[0.75]}`).Message, "panic: too far")
	check.Contains(t, "notes", notes.String(), "evaluate: panic: too far\n")
	check.Equal(t, "evaluate", h.call(wire.MethodEvaluate, json.RawMessage(`{"x":[0.25]}`)), `{"value":0.25}`)
}
