package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"popbench/internal/app"
	"popbench/internal/harness/config"
	"popbench/internal/harness/serve"
	"popbench/internal/printable"
	"popbench/record"
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
			var saved []byte
			s, err := app.Until(ctx, func() (s *serve.Suggestion, err error) {
				s, saved, err = a.answer(stderr, args[0], *state)
				return s, err
			}, "nothing was printed")
			if err != nil {
				return err
			}
			if *state != "" {
				if err := record.Replace(*state, saved); err != nil {
					return fmt.Errorf("suggest: --state: %w", err)
				}
			}
			return writeJSON(stdout, s)
		}
	},
}

// answer returns the suggestion for the experiment in a file, which may continue from a
// state, and the new contents of the state's file.
func (a *cli) answer(stderr io.Writer, path, state string) (*serve.Suggestion, []byte, error) {
	name, data, err := a.readInput(path)
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %w", err)
	}
	e, err := serve.ReadExperiment(a.catalogue, name, data)
	if err != nil {
		return nil, nil, err
	}
	was, err := readState(state)
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: --state %s: %w; give another name", state, err)
	}
	alg, note, err := e.Resume(a.catalogue, was)
	if errors.Is(err, serve.ErrNoState) {
		return nil, nil, fmt.Errorf("suggest: --state %s: %w; delete it or give another name", state, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	if note != "" {
		printable.WriteNotes(stderr, []string{printable.Quote(fmt.Sprintf("%s is not used: %s; all comparisons are learnt again", state, note))})
	}
	s, err := serve.Suggest(e.Algorithm, alg, len(e.Comparisons))
	var saved []byte
	if err == nil && state != "" {
		saved, err = e.Save(a.catalogue, alg)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("suggest: %s: %w", name, err)
	}
	return s, saved, nil
}

// maxState is the maximum size of the file of a state, in bytes. A state holds the comparisons, at
// most 4 MiB, and what the algorithm remembers, which is not much larger.
const maxState = 64 << 20

// readState reads the file of a state. It returns nil if the path is empty or the file does not exist.
func readState(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	if path == "-" { // standard input and output carry the experiment and the suggestion
		return nil, errors.New("the state must be a file")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path)) // the new state is written there
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return nil, errors.New("not a regular file of at most 64 MiB")
	}
	return os.ReadFile(path)
}

func indent(text string, n int) string {
	space := strings.Repeat(" ", n)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}

// readInput reads a file, or standard input for "-", and returns its name for
// messages.
func (a *cli) readInput(path string) (name string, data []byte, err error) {
	if path == "-" {
		name = "standard input"
		data, err = config.ReadAll(name, a.stdin)
		return name, data, err
	}
	data, err = config.ReadFile(path)
	return path, data, err
}
