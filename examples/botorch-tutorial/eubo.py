"""BoTorch's PairwiseGP with the analytic EUBO, as BoTorch's tutorial "preference_bo" has them.

The model has its own priors and the probit likelihood. The next duel maximises EUBO with the tutorial's three restarts from
512 samples; on a finite set it is the best of all pairs. The recommendation maximises the posterior mean. Some fits fail,
with few answers above all: the model then has its initial hyper-parameters for a step, and fit_failures counts it.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import itertools

import botorch
import numpy as np
import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class BoTorch(popbench.Algorithm):
    """The loop of the tutorial, with one comparison a step."""

    name, version = "botorch", botorch.__version__
    arms, settings = True, {}

    def start(self, s):
        self.s, self.points, self.comparisons = s, [], []  # points in [0,1]^d; (winner, loser) as indices
        self.duels = self.fits = self.failures = 0  # the last two of the last answer

    def reseed(self):
        """Makes the next random numbers depend on the seed and the number of duels only."""
        torch.manual_seed(self.s.seed + self.duels)
        np.random.seed((self.s.seed + self.duels) % 2**32)

    def best(self, acquisition, q):
        """The q points that maximise an acquisition function."""
        self.reseed()
        if self.s.arms:
            sets = list(itertools.combinations(self.s.arms, q))
            values = acquisition(torch.tensor([[self.s.box.to_unit(x) for x in xs] for xs in sets]))
            return list(sets[int(values.argmax())])
        cube = torch.stack([torch.zeros(self.s.box.dim), torch.ones(self.s.box.dim)])
        found, _ = optimize_acqf(acquisition, cube, q=q, num_restarts=3, raw_samples=512)
        return [self.s.box.from_unit(u) for u in found]

    def ask(self):
        if self.comparisons:
            return popbench.Query(self.best(AnalyticExpectedUtilityOfBestOption(pref_model=self.model), 2), new=2)
        self.reseed()
        if self.s.arms:
            return [self.s.start, self.s.arms[int(torch.randint(len(self.s.arms), ()))]]
        return [self.s.start, self.s.box.from_unit(torch.rand(self.s.box.dim))]

    def tell(self, points, winner):
        self.duels, self.fits, self.failures = self.duels + 1, 0, 0
        unit = [self.s.box.to_unit(x) for x in points]
        if np.allclose(*unit, atol=1e-4):
            return  # PairwiseGP takes such points for one, which cannot beat itself
        n = len(self.points)
        self.points += unit
        self.comparisons.append([n + winner, n + 1 - winner])
        self.reseed()
        self.fits, self.model = 1, self.new_model()
        try:
            fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(self.model.likelihood, self.model))
        except ModelFittingError:
            self.failures, self.model = 1, self.new_model()

    def new_model(self):
        """A model of all answers that is not fitted."""
        data = torch.tensor(self.points), torch.tensor(self.comparisons)
        return PairwiseGP(*data, input_transform=Normalize(d=self.s.box.dim))

    def recommend(self):
        return self.best(PosteriorMean(self.model), 1)[0] if self.comparisons else self.s.start

    def metrics(self):
        return {"fit_solves": (self.fits, "work"), "fit_failures": (self.failures, "work")}


if __name__ == "__main__":
    popbench.serve(BoTorch)
