"""AEPsych's strategy for pairwise optimisation, with the settings of its example pairwise_opt_example.ini.

The model is PairwiseProbitModel, fitted from scratch after every fifth answer and updated after the others. The next pair
maximises qLogNoisyExpectedImprovement; on a finite set it is rounded to the nearest arms. The recommendation maximises the
posterior mean, by the strategy's get_max.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import importlib.metadata
import logging
import math

import numpy as np
import torch
from aepsych.config import Config
from aepsych.strategy import SequentialStrategy

torch.set_num_threads(1)
logging.disable(logging.WARNING)

CONFIG = """
[common]
parnames = {names}
lb = {lo}
ub = {hi}
stimuli_per_trial = 2
outcome_types = [binary]
strategy_names = [opt_strat]
[opt_strat]
generator = OptimizeAcqfGenerator
model = PairwiseProbitModel
refit_every = 5
min_asks = {steps}
[OptimizeAcqfGenerator]
acqf = qLogNoisyExpectedImprovement
restarts = 10
samps = 1000
[PairwiseProbitModel]
mean_covar_factory = default_mean_covar_factory
[qLogNoisyExpectedImprovement]
objective = ProbitObjective
"""


class AEPsych(popbench.Algorithm):
    """The second strategy of the example; the random duels that begin a run are in the place of the first."""

    name, version = "aepsych", importlib.metadata.version("aepsych")
    arms, settings = True, {}

    def start(self, s):
        self.s, self.duels = s, 0
        names = "[" + ", ".join(f"x{j}" for j in range(s.box.dim)) + "]"
        config = CONFIG.format(names=names, lo=[0.0] * s.box.dim, hi=[1.0] * s.box.dim, steps=s.steps)
        self.strategy = SequentialStrategy.from_config(Config(config_str=config))

    def reseed(self):
        """Makes the next random numbers depend on the seed and the number of duels only."""
        torch.manual_seed(self.s.seed + self.duels)
        np.random.seed((self.s.seed + self.duels) % 2**32)

    def allowed(self, u):
        """The nearest point that may be queried to one of the unit cube."""
        if not self.s.arms:
            return self.s.box.from_unit(u)
        return min(self.s.arms, key=lambda arm: math.dist(self.s.box.to_unit(arm), u))

    def ask(self):
        self.reseed()
        if self.duels == 0:
            return [self.s.start, self.allowed(torch.rand(self.s.box.dim).tolist())]
        pair = self.strategy.gen()[0]  # dimensions by two
        return popbench.Query([self.allowed(u) for u in pair.T.tolist()], new=2)

    def tell(self, points, winner):
        self.duels += 1
        if points[0] == points[1]:
            return  # says nothing, and the model refuses it
        self.reseed()
        unit = [self.s.box.to_unit(x) for x in points]
        self.strategy.add_data(np.transpose(unit)[None], np.array([winner]))

    def recommend(self):
        if self.duels == 0:
            return self.s.start
        self.reseed()
        _, u = self.strategy.get_max()
        return self.allowed(np.ravel(u).tolist())


if __name__ == "__main__":
    popbench.serve(AEPsych)
