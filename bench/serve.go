package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"popbench/internal/app"
	"popbench/internal/console"
	"popbench/internal/inspect"
	"popbench/internal/protocol/serve"
	"popbench/internal/protocol/wire"
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
	max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		problem := flags.String("problem", "", "serve the problem `PROBLEM` instead of an algorithm")
		var seed uint64
		var repetition int
		drawnFlags(flags, &seed, &repetition)
		return func(ctx context.Context, args []string) error {
			if (*problem == "") != (len(args) == 1) {
				return errors.New("serve: give either an algorithm or --problem NAME")
			}
			var handle wire.Handler
			var err error
			if *problem != "" {
				handle, err = a.serveProblem(ctx, *problem, seed, repetition)
			} else {
				handle, err = serve.Algorithm(a.Catalogue, args[0], a.stderr.W)
			}
			if err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			if o, ok := a.stdout.(*console.Output); ok && o.W == os.Stdout {
				os.Stdout = os.Stderr // what an algorithm prints is not for the host
			}
			_, err = app.Until(ctx, func() (struct{}, error) { return struct{}{}, wire.Serve(a.stdin, a.stdout, handle) }, "the host gets no more answers")
			return err
		}
	},
}

// serveProblem returns the handler of a repetition of a problem.
func (a *cli) serveProblem(ctx context.Context, name string, seed uint64, repetition int) (wire.Handler, error) {
	spec, err := inspect.Lookup(a.Catalogue, name)
	if err != nil {
		return nil, fmt.Errorf("--problem: %w", err)
	}
	p, err := suite.Instance(spec, problems.Raw, seed, repetition)
	if err != nil {
		return nil, err
	}
	return serve.Problem(ctx, p, a.Catalogue.Build(), a.stderr.W), nil
}

// suggestExample is the example of bench help suggest.
const suggestExample = `  {"algorithm": "qeubo", "settings": {"initial_duels": 1},
   "box": {"lo": [18, 0], "hi": [30, 1]},
   "comparisons": [{"points": [[24, 0.2], [26, 0.5]], "winner": 1}]}`

var suggestCommand = &command{
	name:  "suggest",
	args:  "FILE.json",
	short: "suggest the next points to compare in your own experiment",
	long: `
Reads a search box or a list of arms, and the comparisons so far, from a JSON
file, or from standard input if FILE is -. Prints, as JSON, the points to
compare next and the point recommended now. The keys of the file are:

  algorithm    one of bench list algorithms; popbo by default
  settings     those of the algorithm in bench list algorithms; optional.
               popbo takes f to vary over a distance of 1 in the units of each
               coordinate, unless kernel.lengthscale is given, or fitted
  box          {"lo": [...], "hi": [...]}, one bound of each per dimension
  arms         in place of box: a list of points, the only ones to compare
  comparisons  [{"points": [[...], [...]], "winner": 1}, ...], oldest first;
               winner is the index of the preferred point, from 0. If the
               algorithm learns from ties, "tie": true may replace it.
               gpucb needs "values" instead: noisy values of the last points
  start        the first point to compare with; the centre, or the first arm,
               by default
  steps        the planned number of queries, which mrlpf has to know
  seed         of the algorithm's random numbers, below 2^53; 0 by default
  pilot        comparisons that serve only to fit hyper-parameters
  known        disclosed properties of the function:
               {"kernel": {...}, "norm_bound": 3}

For example, with a file tea.json (°C and m/s):

` + suggestExample + `

  bench suggest tea.json --state tea.state

Show the points of "compare" to the decision maker, append them with the winner
to comparisons, and call again. The points may be rounded, or be others of the
box: write down what was shown. Leave out a query without an answer; correct or
remove any answer: only what the file says now counts. All answers are taken as
those of one person, and one query is suggested at a time.

"recommended" is the point to use now. If the algorithm has a model, an estimate
of its value and a confidence range follow, on the scale of the comparison
model: P(x beats y) = 1/(1+exp(f(y)-f(x))).

With --state FILE the algorithm learns only the comparisons that are new since
the last call. The suggestions are the same without it. A state of another
experiment is replaced, with a note.

Limits: 4 MiB of JSON, 300 dimensions, bounds within ±1e15, 2000 comparisons and
1000 pilot comparisons of 2 to 100 points each. bench list algorithms has the
limits of the settings. The time of popbo grows with the fourth power of the
dimension: a second for 100, half a minute for 300.

Exit code: 0, 2 if there is no suggestion, 130 if interrupted.`,
	min: 1, max: 1,
	setup: func(a *cli, flags *flag.FlagSet) action {
		state := flags.String("state", "", "keep the state of the algorithm in `FILE` between calls")
		return func(ctx context.Context, args []string) error {
			name, data, err := a.readInput(ctx, "suggest", args[0])
			if err != nil {
				return err
			}
			s, err := a.Suggest(ctx, name, data, *state)
			if err != nil {
				return err
			}
			return writeJSON(a.stdout, s)
		}
	},
}
