package serve

import (
	"encoding/json"
	"io"

	"popbench/internal/harness/wire"
	"popbench/internal/runlog"
	"popbench/problems"
)

// Problem serves a problem. Its values are to be maximised. The stack of a panic goes to notes.
func Problem(p *problems.Problem, build runlog.Build, notes io.Writer) wire.Handler {
	return safely(func(method string, params json.RawMessage) (any, error) {
		switch method {
		case wire.MethodInitialize:
			return initialize(params, wire.KindProblem, p.Name, build)
		case wire.MethodDescribe:
			return wire.Description{Box: &p.Box, Optimum: &p.Optimum.Value, OptimumX: p.Optimum.X, Title: p.Title, Source: p.Source}, nil
		case wire.MethodEvaluate:
			var e wire.Evaluate
			if err := wire.Params(params, &e); err != nil {
				return nil, err
			}
			if err := p.Box.Check("x", e.X); err != nil {
				return nil, refuse(err)
			}
			v := p.Value(e.X)
			return wire.Value{Value: &v}, nil
		}
		return nil, unknown(method, wire.KindProblem)
	}, notes, func() {})
}
