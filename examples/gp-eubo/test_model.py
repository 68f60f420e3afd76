"""python3 -m unittest: the model against values that BoTorch computed, and its gradients against differences."""

import json
import pathlib
import unittest

import numpy as np
from scipy.optimize import approx_fprime

from gp_eubo import Model

REFERENCE = pathlib.Path(__file__).parents[2] / "algorithms/baselines/qeubo/testdata/laplace.json"


def references():
    """Data sets of BoTorch's PairwiseGP at fixed hyper-parameters, and the model of each."""
    for c in json.loads(REFERENCE.read_text())["datasets"]:
        if c["link"] == "logit":
            x, model = np.array(c["X"]), Model(c["d"])
            for winner, loser in c["comparisons_winner_loser"]:
                model.add(x[winner], x[loser])
            logs = np.log(np.append(c["lengthscale"], c["outputscale"]))
            model.condition(logs)
            yield c, model, logs


class ModelTest(unittest.TestCase):
    def test_values(self):
        count = 0
        for c, model, logs in references():
            with self.subTest(c["id"]):
                x = np.array(c["X_test"])
                value, slope = model.evidence(logs)
                values, mean = model.eubos(x)
                np.testing.assert_allclose(value, c["laplace_log_evidence"], rtol=1e-10)
                # The reference differentiates numerically, to 1e-8.
                want = np.append(c["dlogev_dlengthscale"], c["dlogev_doutputscale"]) * np.exp(logs)
                np.testing.assert_allclose(slope, want, atol=1e-6)
                np.testing.assert_allclose(mean, c["post_mean"], atol=1e-9)
                i, j = np.array(c["eubo_pairs_index_into_X_test"]).T
                np.testing.assert_allclose(values[i, j], c["eubo_qEUBO_repo"], atol=1e-7)  # which adds 1e-8 to a variance
                np.testing.assert_allclose([model.eubo(np.append(x[a], x[b]))[0] for a, b in zip(i, j)], values[i, j], atol=1e-9)
                count += 1
        self.assertGreater(count, 5)

    def test_gradients(self):
        rng = np.random.default_rng(1)
        for c, model, _ in references():
            with self.subTest(c["id"]):
                for f, x in (model.eubo, rng.random(2 * c["d"])), (model.mean, rng.random(c["d"])):
                    np.testing.assert_allclose(f(x)[1], approx_fprime(x, lambda z: f(z)[0], 1e-7), atol=1e-5)


if __name__ == "__main__":
    unittest.main()
