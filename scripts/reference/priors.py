"""Reference values for the priors of hyper-parameters, for internal/math/gp/testdata/priors.json.

Log density by scipy.stats.gamma and scipy.stats.lognorm; its derivative in log x by
central differences of these; the mode by minimising them. The dim-scaled prior is
LogNormal(sqrt 2 + 1/2 log d, sqrt 3), as in BoTorch's get_covar_module_with_dim_scaled_prior.
Needs python3 with scipy 1.17:

    python3 scripts/reference/priors.py > internal/math/gp/testdata/priors.json
"""

import json
import math

from scipy.optimize import minimize_scalar
from scipy.stats import gamma, lognorm


def case(family, density, shape=0, rate=0, d=1):
    def logs(t):
        return float(density.logpdf(math.exp(t)))

    h = 1e-4
    mode = minimize_scalar(lambda t: -logs(t), bounds=(-8, 8), method="bounded", options={"xatol": 1e-12})
    x = [0.01, 0.1, 0.5, 1, 2.5, 10, 100]
    return {
        "family": family, "shape": shape, "rate": rate, "d": d, "mode": math.exp(mode.x), "x": x,
        "log_density": [logs(math.log(v)) for v in x],
        "slope": [(logs(math.log(v) + h) - logs(math.log(v) - h)) / (2 * h) for v in x],
    }


cases = [case("gamma", gamma(shape, scale=1 / rate), shape, rate) for shape, rate in [(3, 6), (2, 0.15), (2.4, 2.7)]]
for d in [1, 2, 6, 16, 32, 50, 100]:
    cases.append(case("dim-scaled", lognorm(math.sqrt(3), scale=math.exp(math.sqrt(2) + math.log(d) / 2)), d=d))
print(json.dumps({"cases": cases}, indent=1))
