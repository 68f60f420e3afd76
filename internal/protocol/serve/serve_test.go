package serve

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/math/rng"
	"popbench/internal/protocol/wire"
	"popbench/kernel"
	"popbench/space"
	"popbench/suite"
)

// host is the other end of a conversation with a program.
type host struct {
	*testing.T
	conn *wire.Conn
}

// hello begins a conversation.
var hello = json.RawMessage(`{"protocol":1}`)

// connect returns a host of a new program with the handler.
func connect(t *testing.T, handle wire.Handler, err error) host {
	t.Helper()
	check.OK(t, err)
	stdin, toProgram := io.Pipe()
	fromProgram, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- wire.Serve(stdin, stdout, handle)
		stdout.Close()
	}()
	h := host{t, wire.NewConn(fromProgram, toProgram, nil)}
	t.Cleanup(func() {
		toProgram.Close()
		check.Equal(t, "the end", <-ended, nil)
	})
	return h
}

func serving(t *testing.T, name string) host {
	handle, err := Algorithm(suite.Catalogue{}, name, t.Output())
	h := connect(t, handle, err)
	h.call(wire.MethodInitialize, hello)
	return h
}

// call returns the result of a request as JSON, in which every number has all its bits.
func (h host) call(method string, params any) string {
	h.Helper()
	var raw json.RawMessage
	check.OK(h, h.conn.Call(h.Context(), method, params, &raw))
	return string(raw)
}

// refused is an error of the program.
func (h host) refused(method, params string) *wire.Error {
	h.Helper()
	err := h.conn.Call(h.Context(), method, json.RawMessage(params), nil)
	own, ok := errors.AsType[*wire.Error](err)
	if !ok {
		h.Fatalf("%s %s: %v", method, params, err)
	}
	check.Lacks(h, method+" "+params, own.Message, "\n")
	return own
}

func text(t *testing.T, v any) string {
	t.Helper()
	return string(check.Must(json.Marshal(v))(t))
}

// served is an algorithm that is served and called directly, with settings or the defaults.
type served struct {
	algorithm, settings string
	dim, pilot          int // 0 dimensions stand for eight arms with two features
	known               *algorithms.Known
}

// experiments have arms and boxes, pilots, disclosure, fits, batches, ties and values. bench/runs serves each method.
var experiments = []served{
	{"popbo", `{"fit_lengthscale": "ard"}`, 0, 20, nil},
	{"mrlpf", `{"estimator": "published-mean", "initial_spread": "zero"}`, 1, 0, nil},
	{"random", ``, 3, 0, nil},
	{"popbo", `{"restarts": 1, "batch": 2}`, 2, 0, nil},
	{"popbo", `{"restarts": 2, "fit_lengthscale": "ard"}`, 2, 0, &algorithms.Known{Kernel: smooth(), NormBound: 3.3}},
	{"sgp", `{"initial_duels": 2, "restarts": 1, "candidates_per_coordinate": 4, "burn_in": 5, "fit": {"refit_every": 2}}`, 2, 0, nil},
	{"ginop", ``, 2, 0, nil},
	{"gpucb", `{"restarts": 2}`, 2, 0, nil},
}

func smooth() *kernel.Config {
	return &kernel.Config{Family: "se-half", Variance: 1.7, Lengthscale: []float64{0.3, 0.7}}
}

// decide is the answer to a query: the index of its winner, every third time a tie for one that learns from ties, or
// values of its new points.
func decide(q algorithms.Query, step int, ofValues, ties bool) wire.Tell {
	tell := wire.Tell{Points: q.Points, New: q.New}
	if ties && step%3 == 1 {
		tell.Tie = true
		return tell
	}
	for _, x := range q.Points[len(q.Points)-q.New:] {
		if ofValues {
			tell.Values = append(tell.Values, x[0]/3)
		}
	}
	if winner := step * 7 % len(q.Points); !ofValues {
		tell.Winner = &winner
	}
	return tell
}

// A served algorithm has the same queries, recommendations, metrics and beliefs as one that is called
// directly, to the last bit; so has one that another program continues from its state.
func TestSameAsDirect(t *testing.T) {
	check.Sequential(t)
	const steps, saved = 6, 3
	for i, e := range experiments {
		t.Run(fmt.Sprint(e.algorithm, i), func(t *testing.T) {
			r := rng.Stream(5, "test")
			domain := domainOf(t, e.dim)
			sample := func() []float64 { return domain.Sample(make([]float64, domain.Dim()), r) }
			key := rng.Key(5, "algorithm", e.algorithm)
			start := wire.Start{
				Cell: "branin/Mine/003", Start: sample(), Steps: steps,
				Seed: 1, Stream: hex.EncodeToString(key[:]), Settings: json.RawMessage(e.settings), Known: e.known,
			}
			start.Box, start.Arms = space.Parts(domain)
			for range e.pilot {
				start.Pilot = append(start.Pilot, algorithms.Comparison{Points: [][]float64{sample(), sample()}, Winner: r.IntN(2)})
			}
			direct := begin(t, e.algorithm, start)
			at := wire.Points{Points: [][]float64{sample(), start.Start}}

			hosts := []host{serving(t, e.algorithm)}
			for _, unwanted := range []string{`{"box":{"lo":[0],"hi":[1]},"steps":9}`, text(t, start)} { // the second replaces the first
				check.Equal(t, "start", hosts[0].call(wire.MethodStart, json.RawMessage(unwanted)), "{}")
			}
			learner, ofValues := direct.(algorithms.ValueLearner)
			ties, learnsTies := direct.(algorithms.TieLearner)
			b, believes := direct.(algorithms.Believer)
			for step := range steps + 1 {
				for _, h := range hosts {
					check.Equal(t, fmt.Sprint("recommend after step ", step), h.call(wire.MethodRecommend, nil), text(t, recommended(t, direct)))
					if believes {
						check.Equal(t, fmt.Sprint("belief after step ", step), h.call(wire.MethodBelief, at), text(t, beliefs(t, b, at.Points)))
					} else {
						check.Equal(t, "belief", h.refused(wire.MethodBelief, `{"points":[]}`).Code, wire.CodeMethod)
					}
				}
				if step == steps {
					break
				}
				q := check.Must(direct.Ask())(t)
				tell := decide(q, step+1, ofValues, learnsTies)
				for i := 0; i < len(hosts); i++ { // the first one makes two more
					h := hosts[i]
					if step+1 == saved && i == 0 {
						hosts = append(hosts, h.continued(e.algorithm))
					}
					for range 2 {
						check.Equal(t, fmt.Sprint("ask of step ", step+1), h.call(wire.MethodAsk, nil), text(t, q))
					}
					if step+1 == saved && i == 0 {
						hosts = append(hosts, h.continued(e.algorithm)) // with an open query
					}
					h.call(wire.MethodTell, tell)
				}
				switch {
				case tell.Tie:
					check.OK(t, ties.TellTie(q))
				case ofValues:
					check.OK(t, learner.TellValues(q, tell.Values))
				default:
					check.OK(t, direct.Tell(q, *tell.Winner))
				}
			}
		})
	}
}

// domainOf returns a box of the dimension, or arms if it is 0.
func domainOf(t *testing.T, dim int) space.Domain {
	t.Helper()
	if dim > 0 {
		return space.Box{Lo: []float64{-0.1, 0, 3}[:dim], Hi: []float64{1, 1.3, 5}[:dim]}
	}
	return check.Must(space.NewArms([][]float64{{0, 0}, {0.2, 0.9}, {0.5, 0.1}, {0.7, 0.7}, {1, 0.3}, {0.9, 1}, {0.4, 0.6}, {0.1, 0.4}}))(t)
}

// begin returns the algorithm that start describes, without the protocol.
func begin(t *testing.T, name string, start wire.Start) algorithms.Algorithm {
	t.Helper()
	settings := suite.Catalogue{}.Settings(name)
	if len(start.Settings) > 0 {
		check.OK(t, json.Unmarshal(start.Settings, settings))
	}
	domain := check.Must(space.Of(start.Box, start.Arms))(t)
	setup := algorithms.Setup{
		Domain: domain, Start: start.Start, Rand: rng.Stream(5, "algorithm", name), Steps: start.Steps,
		Pilot: algorithms.NewPilot(start.Pilot),
	}
	if start.Known != nil {
		setup.Known = *start.Known
	}
	return check.Must(suite.Catalogue{}.New(name, setup, settings))(t)
}

// recommended is what recommend should answer.
func recommended(t *testing.T, a algorithms.Algorithm) wire.Recommended {
	t.Helper()
	return wire.Recommended{Recommendations: check.Must(a.Recommend())(t), Metrics: a.(algorithms.Instrumented).Metrics()}
}

// beliefs is what belief should answer.
func beliefs(t *testing.T, a algorithms.Believer, points [][]float64) (all wire.Beliefs) {
	t.Helper()
	for _, x := range points {
		b := check.Must(a.Belief(x))(t)
		all.Estimate, all.Lower, all.Upper = append(all.Estimate, b.Estimate), append(all.Lower, b.Lower), append(all.Upper, b.Upper)
	}
	return all
}

// continued returns the host of another program that goes on where this one is.
func (h host) continued(name string) host {
	h.Helper()
	state := h.call(wire.MethodState, nil)
	other := serving(h.T, name)
	check.Equal(h, "restore", other.call(wire.MethodRestore, json.RawMessage(state)), "{}")
	check.Equal(h, "the state after restore", other.call(wire.MethodState, nil), state)
	return other
}

// bench suggest and bench serve save one kind of state: each continues from the other's.
func TestStateOfSuggest(t *testing.T) {
	cat := suite.Catalogue{}
	const saved = `{"algorithm":"qeubo","settings":{"restarts":3,"initial_duels":1},"box":{"lo":[0,-1],"hi":[1,4]},"start":[0.5,1.5],"seed":7,"comparisons":[{"points":[[0.5,1.5],[0.2,3]],"winner":1}]}`
	e := check.Must(ReadExperiment(cat, "e.json", []byte(saved)))(t)
	alg, _, err := e.Resume(cat, nil)
	check.OK(t, err)
	next := check.Must(Suggest(e.Algorithm, alg, 1))(t)
	h := serving(t, "qeubo")
	h.call(wire.MethodRestore, wire.State{State: check.Must(e.Save(cat, alg))(t)})
	check.Equal(t, "the query after restore", h.call(wire.MethodAsk, nil), text(t, wire.Query{Points: next.Compare, New: new(len(next.New))}))
	var theirs wire.State
	check.OK(t, json.Unmarshal([]byte(h.call(wire.MethodState, nil)), &theirs))
	_, note, err := e.Resume(cat, theirs.State)
	check.OK(t, err)
	check.Equal(t, "note", note, "")
}

// Without comparisons the log-likelihood is 0, which JSON would have as -0.
func TestSuggestWithoutComparisons(t *testing.T) {
	e := check.Must(ReadExperiment(suite.Catalogue{}, "e.json", []byte(`{"arms":[[1],[2]]}`)))(t)
	alg, _, err := e.Resume(suite.Catalogue{}, nil)
	check.OK(t, err)
	s := check.Must(Suggest(e.Algorithm, alg, 0))(t)
	check.That(t, *s.LogLik == 0 && !math.Signbit(*s.LogLik), "the log-likelihood is %g", *s.LogLik)
}
