package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/harness/serve"
	"popbench/internal/harness/wire"
	"popbench/internal/nearest"
	"popbench/problems"
	"popbench/suite"
)

// serveExample has the requests of bench help serve.
const serveExample = `  {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1}}
  {"jsonrpc":"2.0","id":2,"method":"start",
   "params":{"box":{"lo":[18,0],"hi":[30,1]},"settings":{},"seed":7}}
  {"jsonrpc":"2.0","id":3,"method":"ask"}
  {"jsonrpc":"2.0","id":4,"method":"tell",
   "params":{"points":[[24,0.5],[26,0.2]],"new":1,"winner":1}}
  {"jsonrpc":"2.0","id":5,"method":"recommend"}`

var serveCommand = &command{
	name:  "serve",
	args:  "[ALGORITHM]",
	short: "let a program in any language drive an algorithm",
	long: `
Reads requests from standard input and answers them on standard output: JSON-RPC
2.0, one message on each line, described in docs/protocol.md. These are the
requests of a first step, each to be sent on one line:

` + serveExample + `

bench list algorithms shows the settings of start. Without a stream, the random
numbers follow from the seed, 0 by default. A suite may have this command as an
external algorithm: the records have the same steps as those of the algorithm
itself.

With --problem the requests are describe and evaluate. Values are not scaled,
and larger is better: a function that its source minimises changes its sign.

Notes go to standard error. The command ends after the request shutdown, or when
standard input ends.

Exit code: 0, 2 if it cannot serve, 130 if interrupted.`,
	max:   1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		problem := flags.String("problem", "", "serve the problem `PROBLEM` instead of an algorithm")
		var seed uint64
		var repetition int
		drawnFlags(flags, &seed, &repetition)
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			if (*problem == "") != (len(args) == 1) {
				return errors.New("serve: give either an algorithm or --problem NAME")
			}
			var handle wire.Handler
			var err error
			if *problem != "" {
				handle, err = a.serveProblem(ctx, *problem, seed, repetition, stderr)
			} else {
				handle, err = serve.Algorithm(a.catalogue, args[0], stderr)
			}
			if err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			if o, ok := stdout.(*console.Output); ok && o.W == os.Stdout {
				os.Stdout = os.Stderr // what an algorithm prints is not for the host
			}
			_, err = app.Until(ctx, func() (struct{}, error) { return struct{}{}, wire.Serve(a.stdin, stdout, handle) }, "the host gets no more answers")
			return err
		}
	},
}

// serveProblem returns the handler of a repetition of a problem.
func (a *cli) serveProblem(ctx context.Context, name string, seed uint64, repetition int, stderr io.Writer) (wire.Handler, error) {
	spec, err := a.catalogue.Problem(name)
	if err != nil {
		return nil, fmt.Errorf("--problem: unknown problem %q; %s",
			name, nearest.Hint(name, a.catalogue.Problems(), "bench list problems shows the known ones"))
	}
	p, err := suite.Instance(spec, problems.Raw, seed, repetition)
	if err != nil {
		return nil, err
	}
	return serve.Problem(ctx, p, a.catalogue.Build(), stderr), nil
}
