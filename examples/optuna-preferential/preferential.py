"""Optuna's PreferentialGPSampler, of the package optuna-dashboard.

The loop is the one of Optuna's dashboard with two trials at a time: the loser of a comparison is replaced by a trial that
the sampler generates. The recommendation is the winner of the last comparison, which is among the study's best_trials. On
a finite set the generated point is rounded to the nearest arm: the sampler never proposes the last value of a range with
steps.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import importlib.metadata
import math
import os

os.environ["PYTORCH_JIT"] = "0"  # with compiled code the last digits of a run depend on the runs before it

import optuna
import torch
from optuna.distributions import FloatDistribution
from optuna_dashboard.preferential import create_study
from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
torch.set_num_threads(1)


class Preferential(popbench.Algorithm):
    """A study in memory, with one trial for each point."""

    name, version = "optuna-dashboard", importlib.metadata.version("optuna-dashboard")
    arms, settings = True, {}

    def start(self, s):
        self.s, self.champion, self.trials = s, s.start, {}
        self.study = create_study(n_generate=2, sampler=PreferentialGPSampler(seed=s.seed % 2**32))
        self.space = {f"x{j}": FloatDistribution(*b) for j, b in enumerate(zip(s.box.lo, s.box.hi))}

    def trial(self, x):
        """The trial of a point; one is added for a point that the sampler did not generate."""
        if tuple(x) not in self.trials:
            self.study.enqueue_trial(dict(zip(self.space, x)))
            self.trials[tuple(x)] = self.study.ask(self.space).number
        return self.study.get_trials(deepcopy=False)[self.trials[tuple(x)]]

    def ask(self):
        trial = self.study.ask(self.space)
        x = [trial.params[name] for name in self.space]
        if self.s.arms:
            u = self.s.box.to_unit(x)
            x = min(self.s.arms, key=lambda arm: math.dist(self.s.box.to_unit(arm), u))
        else:
            self.trials[tuple(x)] = trial.number
        return [self.champion, x]

    def tell(self, points, winner):
        self.champion = points[winner]
        better, worse = self.trial(points[winner]), self.trial(points[1 - winner])
        if better.number != worse.number:
            self.study.report_preference(better, worse)

    def recommend(self):
        return self.champion


if __name__ == "__main__":
    popbench.serve(Preferential)
