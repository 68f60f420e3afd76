"""Reference values of the kernels, for kernel/testdata/kernels.json.

Evaluates each covariance function and its gradient from the defining formulas
in 50-digit arithmetic (mpmath) at points that are exact doubles, and rounds
once. Matérn kernels always use the Bessel form, even if a closed form exists.
Needs python3 with mpmath:

    python3 scripts/reference/kernels.py > kernel/testdata/kernels.json

Each case: the settings; x (d coordinates); points (n rows of d); k (n values
k(x, p_i)); gradient (n rows of d, the derivative of k(x, p_i) in x).
"""

import json
import random

from mpmath import besselk, exp, gamma, mp, mpf, sqrt

mp.dps = 50

NU = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
# Distances over the whole range, and on both sides of sqrt(2 nu) r = 2, where
# the program evaluates the Bessel function by another method.
DISTANCES = [1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.3, 0.6, 1, 1.4, 1.42, 2.1, 3.3, 5, 8, 13, 21, 37, 60, 80]


def value_and_slope(family, nu, r):
    """k and dk/dr at the scaled distance r > 0, for variance 1."""
    if family == "se-paper":
        return exp(-r * r), -2 * r * exp(-r * r)
    if family == "se-half":
        return exp(-r * r / 2), -r * exp(-r * r / 2)
    nu = mpf(nu)
    a = sqrt(2 * nu) * r
    c = 2 ** (1 - nu) / gamma(nu)
    return c * a**nu * besselk(nu, a), -c * sqrt(2 * nu) * a**nu * besselk(nu - 1, a)


def case(family, nu, variance, lengthscale, x, points):
    d = len(x)
    values, gradient = [], []
    for p in points:
        if family == "linear":
            values.append(mpf(variance) * sum(mpf(a) * b for a, b in zip(x, p)))
            gradient += [mpf(variance) * b for b in p]
            continue
        l = [mpf(v) for v in (lengthscale * d if len(lengthscale) == 1 else lengthscale)]
        t = [(mpf(a) - b) / s for a, b, s in zip(x, p, l)]
        r = sqrt(sum(v * v for v in t))
        k, slope = value_and_slope(family, NU.get(family, nu), r)
        values.append(variance * k)
        gradient += [variance * slope * v / (r * s) for v, s in zip(t, l)]
    c = {"family": family, "variance": variance, "lengthscale": lengthscale, "x": x,
         "points": [v for p in points for v in p],
         "k": [float(v) for v in values], "gradient": [float(v) for v in gradient]}
    if nu is not None:
        c["nu"] = nu
    return c


def main():
    rand = random.Random(1)
    kernels = [(f, None) for f in ("se-paper", "se-half", "matern12", "matern32", "matern52")]
    kernels += [("matern", nu) for nu in (0.001, 0.3, 0.5, 0.8, 1.0, 1.5, 2.2, 2.5, 5.0, 10.7, 50.0)]
    cases = [case(f, nu, 1.0, [1.0], [0.0], [[r] for r in DISTANCES]) for f, nu in kernels]
    for f, nu in kernels + [("linear", None)]:
        for d in (1, 2, 3, 4, 7):
            lengthscale = [round(rand.uniform(0.2, 3), 3) for _ in range(d)]
            x, *points = ([round(rand.uniform(-2, 2), 4) for _ in range(d)] for _ in range(4))
            cases.append(case(f, nu, round(rand.uniform(0.1, 5), 3), lengthscale, x, points))
    print("[" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "]")


main()
