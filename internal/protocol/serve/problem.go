package serve

import (
	"context"
	"encoding/json"
	"io"

	"popbench/internal/protocol/wire"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// Problem serves a problem. Its values are to be maximised. An evaluation ends with ctx if the
// problem can be interrupted. The stack of a panic goes to notes.
func Problem(ctx context.Context, p *problems.Problem, build record.Build, notes io.Writer) wire.Handler {
	return safely(inOrder(func(method string, params json.RawMessage) (any, error) {
		switch method {
		case wire.MethodInitialize:
			return initialize(params, wire.KindProblem, p.Name, build)
		case wire.MethodDescribe:
			d := wire.Description{Title: p.Title, Source: p.Source}
			d.Box, d.Arms = space.Parts(p.Domain())
			if !p.Optimum.Unknown {
				d.Optimum, d.OptimumX = &p.Optimum.Value, p.Optimum.X
			}
			return d, nil
		case wire.MethodEvaluate:
			var e wire.Evaluate
			if err := wire.Params(params, &e); err != nil {
				return nil, err
			}
			if err := p.Domain().Check("x", e.X); err != nil {
				return nil, refuse(err)
			}
			v, err := p.Evaluate(ctx, e.X)
			return wire.Value{Value: &v}, err
		}
		return nil, unknown(method, wire.KindProblem)
	}), notes, func() {})
}
