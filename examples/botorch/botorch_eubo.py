"""BoTorch's PairwiseGP with its analytic EUBO.

The likelihood is the logistic one, which is the oracle's. The priors of the hyper-parameters are those of the program
of qEUBO's authors (Astudillo et al. 2023), as in bench's qeubo. With own_priors: true they are those of PairwiseGP:
that of the variance is flat from 0.01 to 100 and drops steeply at both ends, where the line search of BoTorch 0.8.5 may
fail with a ModelFittingError. For duels the expected utility of the best option has a closed form and needs no samples.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import numpy as np
import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from gpytorch.kernels import RBFKernel, ScaleKernel
from gpytorch.priors import GammaPrior

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class BoTorch(popbench.Algorithm):
    """Random duels first, as in the program of qEUBO's authors; then duels that maximise EUBO."""

    def start(self, s):
        if set(s.settings) - {"initial_duels", "own_priors"}:
            raise ValueError(f"unknown settings in {sorted(s.settings)}; known: initial_duels, own_priors")
        self.box, self.x0, self.seed = s.box, s.start, s.seed
        self.initial = max(s.settings.get("initial_duels", 4 * s.box.dim), 1)
        self.own_priors = s.settings.get("own_priors", False)
        self.points, self.comparisons = [], []  # in [0,1]^d; (winner, loser) as indices of points
        self.duels = 0

    def maximize(self, acquisition, q):
        """The best q points for an acquisition function, by BoTorch's optimiser as its tutorials have it."""
        cube = torch.stack([torch.zeros(self.box.dim), torch.ones(self.box.dim)])
        best, _ = optimize_acqf(acquisition, cube, q=q, num_restarts=8, raw_samples=256)
        return [self.box.from_unit(u) for u in best]

    def reseed(self):
        """Makes the next random numbers depend on the seed and the number of duels only."""
        torch.manual_seed(self.seed + self.duels)
        np.random.seed((self.seed + self.duels) % 2**32)  # PairwiseGP draws from it

    def ask(self):
        self.reseed()
        if self.duels < self.initial or not self.comparisons:
            x, y = (self.box.from_unit(u) for u in torch.rand(2, self.box.dim))
            return popbench.Query([x if self.duels else self.x0, y], new=2)
        return popbench.Query(self.maximize(AnalyticExpectedUtilityOfBestOption(pref_model=self.model), q=2), new=2)

    def kernel(self):
        """The squared exponential kernel with the priors of qEUBO's authors; None for that of PairwiseGP."""
        if self.own_priors:
            return None
        base = RBFKernel(ard_num_dims=self.box.dim, lengthscale_prior=GammaPrior(3.0, 6.0))
        return ScaleKernel(base, outputscale_prior=GammaPrior(2.0, 0.15))

    def tell(self, points, winner):
        self.duels += 1
        n, unit = len(self.points), [self.box.to_unit(x) for x in points]
        if max(abs(a - b) for a, b in zip(*unit)) <= 1e-4:
            return  # PairwiseGP would take them for the same point, and fail
        self.points += unit
        self.comparisons.append([n + winner, n + 1 - winner])
        self.reseed()
        self.model = PairwiseGP(
            torch.tensor(self.points),
            torch.tensor(self.comparisons),
            likelihood=PairwiseLogitLikelihood(),
            covar_module=self.kernel(),
        )
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(self.model.likelihood, self.model))

    def recommend(self):
        if not self.comparisons:
            return self.x0
        self.reseed()
        return self.maximize(PosteriorMean(self.model), q=1)[0]

    def metrics(self):
        """The hyper-parameters under the names that they have in the records of qeubo."""
        variance, lengthscales = 1.0, [1.0] * self.box.dim  # before the first duel there is no model
        if self.comparisons:
            kernel = self.model.covar_module
            variance, lengthscales = kernel.outputscale.item(), kernel.base_kernel.lengthscale[0].tolist()
        return {"variance": variance, **{f"lengthscale_{j}": v for j, v in enumerate(lengthscales, 1)}}


if __name__ == "__main__":
    popbench.serve(BoTorch)
