"""Optuna's TPE, driven by duels: the best point so far against a new one.

TPE learns from values. The value of a point is its strength in the Bradley–Terry model of all duels, with a normal prior.
Strengths change with every duel, so each step gives TPE all values again.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import numpy as np
import optuna
from scipy.optimize import minimize
from scipy.special import expit, log_expit

optuna.logging.set_verbosity(optuna.logging.WARNING)


def strengths(n, winners, losers):
    """The most probable strengths of n points: the winner of a duel is likely to be the stronger."""

    def loss(v):
        gap = v[winners] - v[losers]
        slope = v / 4  # the prior has standard deviation 2
        np.subtract.at(slope, winners, expit(-gap))
        np.add.at(slope, losers, expit(-gap))
        return -log_expit(gap).sum() + v @ v / 8, slope

    return minimize(loss, np.zeros(n), jac=True).x


class TPE(popbench.Algorithm):
    def start(self, s):
        self.seed, self.points, self.duels, self.strengths = s.seed, [s.start], [], np.zeros(1)
        self.space = {f"x{j}": optuna.distributions.FloatDistribution(*b) for j, b in enumerate(zip(s.box.lo, s.box.hi))}

    def recommend(self):
        return self.points[self.strengths.argmax()]

    def ask(self):
        sampler = optuna.samplers.TPESampler(seed=(self.seed + len(self.duels)) % 2**32)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for x, value in zip(self.points, self.strengths):
            study.add_trial(optuna.create_trial(params=dict(zip(self.space, x)), distributions=self.space, value=value))
        return [self.recommend(), list(study.ask(self.space).params.values())]

    def tell(self, points, winner):
        self.points += [x for x in points if x not in self.points]
        self.duels.append([self.points.index(points[winner]), self.points.index(points[1 - winner])])
        self.strengths = strengths(len(self.points), *np.transpose(self.duels))


if __name__ == "__main__":
    popbench.serve(TPE)
