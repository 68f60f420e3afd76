package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
)

// suggestExample is the example of bench help suggest.
const suggestExample = `{"algorithm": "qeubo", "settings": {"initial_duels": 1},
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
  settings     those of the algorithm in bench list algorithms; optional
  box          {"lo": [...], "hi": [...]}, one bound of each per dimension
  arms         in place of box: a list of points, the only ones to compare
  comparisons  [{"points": [[...], [...]], "winner": 1}, ...], oldest first;
               winner is the index of the preferred point, from 0. gpucb needs
               "values" instead: noisy values of the last points
  start        the first point to compare with; the centre, or the first arm,
               by default
  steps        the planned number of queries, which mrlpf has to know
  seed         of the algorithm's random numbers, below 2^53; 0 by default
  pilot        comparisons that serve only to fit hyper-parameters
  known        disclosed properties of the function:
               {"kernel": {...}, "norm_bound": 3}

For example, with a file tea.json (°C and m/s):

` + indent(suggestExample, 2) + `

  bench suggest tea.json --state tea.state

Show the points of "compare" to the decision maker, append them with the winner
to comparisons, and call again. "recommended" is the point to use now. If the
algorithm has a model, an estimate of its value and a confidence range follow,
on the scale of the comparison model: P(x beats y) = 1/(1+exp(f(y)-f(x))).

With --state FILE the algorithm learns only the comparisons that are new since
the last call. The suggestions are the same without it. A state of another
experiment is replaced, with a note.

Limits: 4 MiB of JSON, 300 dimensions, bounds within ±1e15, 2000 comparisons and
1000 pilot comparisons of 2 to 100 points each. bench list algorithms has the
limits of the settings. The time of popbo grows with the fourth power of the
dimension: a second for 100, half a minute for 300.

Exit code: 0, 2 if there is no suggestion, 130 if interrupted.`,
	min:   1,
	max:   1,
	stops: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		state := flags.String("state", "", "keep the state of the algorithm in `FILE` between calls")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			name, data, err := a.readInput(args[0])
			if err != nil {
				return fmt.Errorf("suggest: %w", err)
			}
			s, err := a.app(stderr).Suggest(ctx, name, data, *state)
			if err != nil {
				return err
			}
			return writeJSON(stdout, s)
		}
	},
}
