package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"popbench/internal/harness/solve"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve an algorithm's inner problems on data, with certificates",
	long:  solveHelp,
	min:   1,
	max:   1,
	setup: func(a *app, flags *flag.FlagSet) action {
		e := solve.Effort{Draws: 20_000, Solves: 2000, Pairs: 20_000_000}
		var starts int // of no other data
		limitedVar(flags, &starts, "starts", 0, 1000, "popbo, for one more release: set settings.restarts of data in the old form to `N`")
		limitedVar(flags, &e.Draws, "draws", 50, 1_000_000, "sgp: average `N` moves of each Markov chain")
		limitedVar(flags, &e.Solves, "max-solves", 0, 1_000_000, "popbo: prove the largest advantage over the box by `N` solves and 500 N cells at most; 0: do not try")
		limitedVar(flags, &e.Pairs, "max-pairs", 0, 1_000_000_000, "qeubo: prove the largest EUBO over the box by its values at `N` pairs at most; 0: do not try")
		return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
			name, data, err := a.readInput(args[0])
			if err != nil {
				return fmt.Errorf("solve: %w", err)
			}
			if data, err = solve.JSON(name, data); err != nil {
				return err
			}
			problems, list, err := solve.Problems(stderr, name, data, starts)
			if err != nil {
				return fmt.Errorf("solve: %s: %w", name, err)
			}
			out, err := solve.All(ctx, stderr, a.solvers, problems, e)
			if out == nil {
				return err
			}
			if err != nil {
				err = &exitError{exitFailed, err}
			}
			if list {
				return errors.Join(writeJSON(stdout, out), err)
			}
			return errors.Join(writeJSON(stdout, out[0]), err)
		}
	},
}

const solveHelp = `
Reads a problem, or a list of them, and prints its solution as JSON, or a list.
FILE is - for standard input. A problem is an object:

  algorithm    popbo (the default), qeubo, sgp or dts
  settings     as in bench list algorithms; what is left out has its default
  points       [[x1, ...], ...]
  comparisons  [[winner, loser, ...], ...], indices of points, from 0; qeubo and
               dts take one loser
  queries      where to evaluate the model: points; for dts pairs of points; for
               qeubo either
  box          {"lo": [...], "hi": [...]}, to find optima over the box
  known        {"kernel": {...}, "norm_bound": B}, instead of set or fitted ones
  reference    popbo, sgp: the point to improve on, as an index; the last point
               by default
  beta         popbo: size of the confidence set; from the settings by default
  epsilon      popbo: added to the diagonal of the kernel matrix; likewise
  differences  sgp: noisy f(loser) - f(winner) of each duel, all below 0, to
               condition on; a draw by default

popbo: the maximum likelihood estimate; at each query the optimistic advantage
over the reference point and the bounds of f; the largest advantage over the
box. Each value has a bound from duality, their gap, and a status. In one and
two dimensions no point of the box has more than maximum.proof.upper, which is
proved to a gap of 1e-3 of the advantage, or of 1e-6 B max ‖k(x,·) - k(x',·)‖
where that is more; x' is the reference point, B the norm bound.

  {
    "settings": {
      "kernel": {"family": "se-half", "lengthscale": [0.3]}, "norm_bound": 2
    },
    "box": {"lo": [0], "hi": [1]}, "beta": 1,
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 0, 2]],
    "queries": [[0.4]], "reference": 1
  }

qeubo: the posterior of f by settings.inference; its evidence and the gradient;
the moments of f at points, the expected utility of the better option (EUBO) at
pairs; the optima of EUBO and of the mean over the box. An unknown kernel is
fitted. In one and two dimensions no pair of the box has a larger EUBO than
maximum.proof.upper, which is proved to a gap of 1e-3 of the largest, or of
1e-6 sqrt(2 variance) where that is more.

  {
    "algorithm": "qeubo",
    "settings": {"inference": "laplace", "link": "probit"},
    "known": {
      "kernel": {"family": "se-half", "variance": 1, "lengthscale": [0.3]}
    },
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[0.4], [[0.4], [0.6]]]
  }

sgp: the posterior of f by two samplers, with standard errors, by Laplace's
approximation and by expectation propagation; the expected improvement on the
reference point given the differences. By default it fits the lengthscales, in
units of the box; with settings.fit.refit_every = 0 it takes the kernel's.

  {
    "algorithm": "sgp",
    "settings": {
      "kernel": {"lengthscale": [0.3]}, "noise_std": 0.1,
      "fit": {"refit_every": 0}
    },
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0, 2]],
    "queries": [[0.4]], "reference": 1, "differences": [-0.5, -1]
  }

dts: the posterior of the duels by Laplace's approximation, with the logistic
and the probit link, and by expectation propagation; the probability that the
first point of a query wins; in one and two dimensions the soft-Copeland scores
of a grid over the box. By default it fits the kernel; with settings.fit = none
it takes the one that is set.

  {
    "algorithm": "dts",
    "settings": {
      "prior": "preference", "fit": "none", "kernel": {"lengthscale": [0.3]},
      "grid": 5
    },
    "box": {"lo": [0], "hi": [1]},
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 2]],
    "queries": [[[0.4], [0.1]]]
  }

The exit code is 1 if a computation did not converge, as its status says, or if
a proof did not succeed within --max-solves or --max-pairs, as proof.why and
the error say; all the rest is printed. Proofs are quick where the kernel has
bounded second derivatives: for all but matern12, matern32 and matern with a nu
of 2 or less.

random has no model and gpucb learns from values: both are refused.

Limits: 4 MiB of JSON, 300 dimensions, coordinates within ±1e15, 2000 points,
1000 comparisons with 2000 losers in all, 1000 queries; 300 losers for sgp, 300
queries of one point for qeubo.

Data sets in the forms before this schema are accepted for one more release,
with a note that names the keys to give instead.`
