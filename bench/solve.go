package bench

import (
	"context"
	"errors"
	"flag"

	"popbench/internal/app"
	"popbench/internal/solve"
)

var solveCommand = &command{
	name:  "solve",
	args:  "FILE.json",
	short: "solve an algorithm's inner problems on data, with certificates",
	long:  solveHelp,
	min:   1, max: 1,
	setup: func(a *cli, _ *flag.FlagSet) action {
		return func(ctx context.Context, args []string) error {
			name, data, err := a.readInput(ctx, "solve", args[0])
			if err != nil {
				return err
			}
			solved, err := app.Until(ctx, func() (any, error) { return solve.File(ctx, a.solvers, name, data) }, "nothing was printed")
			if solved == nil && err != nil {
				return err
			}
			return errors.Join(writeJSON(a.stdout, solved), app.Partly(err))
		}
	},
}

const solveHelp = `
Reads a problem, or a list of problems, from a JSON file, or from standard input
if FILE is -. Prints the solution, or a list of solutions, as JSON. Each
algorithm below has an example. A problem is an object with these keys:

  algorithm    popbo (the default), qeubo, sgp or dts
  settings     those of bench list algorithms; each has a default
  points       [[x1, ...], ...]
  comparisons  [[winner, loser, ...], ...], indices of points, from 0; qeubo and
               dts take one loser
  queries      where to evaluate the model: points; for dts pairs of points; for
               qeubo either
  box          {"lo": [...], "hi": [...]}, to find optima over the box
  known        {"kernel": {...}, "norm_bound": B}: use these and fit neither
  reference    popbo, sgp: index of the point to improve on; the last point by
               default
  beta         popbo: size of the confidence set; from the settings by default
  epsilon      popbo: added to the diagonal of the kernel matrix; from the
               settings by default
  differences  sgp: noisy f(loser) - f(winner) of each duel, all below 0, to
               condition on; drawn by default
  draws        sgp: moves of the Markov chain to average over; 20000 by default
  max_solves   popbo: solves, and 500 times as many cells, to prove the largest
               advantage over the box with; 2000 by default, 0 for no proof
  max_pairs    qeubo: evaluations to prove the largest EUBO over the box with;
               20000000 by default, 0 for no proof

popbo prints the maximum likelihood estimate; at each query, the optimistic
advantage over the reference point and the bounds of f; and the largest
advantage over the box. Each value has a bound from duality, the gap to it, and
a status. In one and two dimensions a branch-and-bound search proves that no
point of the box exceeds maximum.proof.upper. Its gap is at most 1e-3 of the
advantage, or 1e-6 B max ‖k(x,·) - k(x',·)‖ if that is larger; x' is the
reference point and B the norm bound. With beta below 1e-5, rounding may carry
values beyond the bounds at a query, by up to 1e-5 B ‖k(x,·)‖.

  {
    "settings": {
      "kernel": {"family": "se-half", "lengthscale": [0.3]}, "norm_bound": 2
    },
    "box": {"lo": [0], "hi": [1]}, "beta": 1,
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0], [1, 0, 2]],
    "queries": [[0.4]], "reference": 1
  }

qeubo prints the posterior of f by settings.inference; its evidence with
gradient; the moments of f at points and the expected utility of the best option
(EUBO) at pairs; and the maxima of EUBO and of the mean over the box. An unknown
kernel is fitted. In one and two dimensions it is proved that no pair in the box
has an EUBO above maximum.proof.upper. Its gap is at most 1e-3 of the maximum,
or 1e-6 sqrt(2 variance) if that is larger.

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

sgp prints the posterior of f by Hamiltonian Monte Carlo, with standard errors,
by Laplace's approximation and by expectation propagation; and the expected
improvement on the reference point given the differences. By default it fits the
lengthscales, in units of the box; with settings.fit.refit_every = 0 it uses
those of the kernel.

  {
    "algorithm": "sgp",
    "settings": {
      "kernel": {"lengthscale": [0.3]}, "noise_std": 0.1,
      "fit": {"refit_every": 0}
    },
    "points": [[0.1], [0.5], [0.9]], "comparisons": [[1, 0, 2]],
    "queries": [[0.4]], "reference": 1, "differences": [-0.5, -1]
  }

dts prints the posterior of the duels by Laplace's approximation, with the
logistic and the probit link, and by expectation propagation; the probability
that the first point of a query wins; and, in one and two dimensions, the
soft-Copeland scores of a grid over the box. By default it fits the kernel; with
settings.fit = none it uses the kernel in the settings.

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

Proofs are fast for kernels with bounded second derivatives: all except
matern12, matern32 and matern with nu <= 2. random, which has no model, and
gpucb, which learns from values, are refused.

Exit code: 0; 1 if a computation did not converge (see its status) or a proof
did not succeed within max_solves or max_pairs (see proof.why), and the rest is
printed; 2 if the problems could not be read.

Limits: 4 MiB of JSON, 300 dimensions, coordinates within ±1e15, 2000 points,
1000 comparisons with 2000 losers in all, 1000 queries; 300 losers for sgp, 300
queries of one point for qeubo.`
