"""Reference values for GP-UCB, for algorithms/baselines/gpucb/testdata/regression.json.

Posterior mean and variance of f and the evidence of noisy values, in 50-digit
arithmetic (mpmath), by other formulas than the program's: an unknown constant
mean enters as a Lagrange multiplier (the kriging system), and its evidence is the
density of orthonormal contrasts of the values. Gradients are central differences
in 50 digits. Beta follows the theorems as printed. Needs python3 with mpmath:

    python3 scripts/reference/gpucb.py > algorithms/baselines/gpucb/testdata/regression.json
"""

import json
import random

from mpmath import diff, exp, log, matrix, mp, mpf, pi, sqrt

mp.dps = 50


def kernel(family, variance, lengthscale, a, b):
    r = sqrt(sum(((mpf(p) - mpf(q)) / l) ** 2 for p, q, l in zip(a, b, lengthscale)))
    if family == "se-half":
        return variance * exp(-r * r / 2)
    if family == "matern52":
        return variance * (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(mpf(5)) * r)
    raise ValueError(family)


def covariance(c, lengthscale, variance):
    n = len(c["y"])
    v = matrix(n, n)
    for i in range(n):
        for j in range(n):
            v[i, j] = kernel(c["family"], variance, lengthscale, c["x"][i], c["x"][j])
        v[i, i] += mpf(c["noise"])
    return v


def log_normal(y, v):
    """log of the density of N(0, v) at y"""
    n = len(y)
    l = mp.cholesky(v)
    z = mp.lu_solve(l, y)
    return -(z.T * z)[0] / 2 - sum(log(l[i, i]) for i in range(n)) - n * log(2 * pi) / 2


def evidence(c, lengthscale, variance):
    v = covariance(c, lengthscale, variance)
    y = matrix([mpf(t) for t in c["y"]])
    n = len(c["y"])
    if not c["flat"]:
        return log_normal(y, v)
    contrasts = matrix(n - 1, n)  # Helmert's
    for i in range(1, n):
        norm = sqrt(mpf(i * (i + 1)))
        for j in range(i):
            contrasts[i - 1, j] = 1 / norm
        contrasts[i - 1, i] = -i / norm
    # The usual restricted likelihood is that of the contrasts up to a factor sqrt(n).
    return log_normal(contrasts * y, contrasts * v * contrasts.T) - log(mpf(n)) / 2


def posterior(c, x):
    ls, var = [mpf(v) for v in c["lengthscale"]], mpf(c["variance"])
    n = len(c["y"])
    v = covariance(c, ls, var)
    k = matrix([kernel(c["family"], var, ls, x, p) for p in c["x"]])
    prior = kernel(c["family"], var, ls, x, x)
    y = matrix([mpf(t) for t in c["y"]])
    if not c["flat"]:
        w = mp.lu_solve(v, k)
        return (w.T * y)[0], prior - (w.T * k)[0]
    m = matrix(n + 1, n + 1)
    rhs = matrix(n + 1, 1)
    for i in range(n):
        for j in range(n):
            m[i, j] = v[i, j]
        m[i, n] = m[n, i] = 1
        rhs[i] = k[i]
    rhs[n] = 1
    s = mp.lu_solve(m, rhs)
    return sum(s[i] * y[i] for i in range(n)), prior - sum(s[i] * k[i] for i in range(n)) - s[n]


def case(seed, family, d, n, noise, flat):
    r = random.Random(seed)
    c = {"family": family, "noise": noise, "flat": flat, "variance": r.uniform(0.5, 8),
         "lengthscale": [r.uniform(0.2, 1.5) for _ in range(d)],
         "x": [[r.uniform(-1, 2) for _ in range(d)] for _ in range(n)],
         "y": [r.gauss(3, 2) for _ in range(n)]}
    c["x"][-1] = c["x"][0]  # a repeated point
    points = [[r.uniform(-1, 2) for _ in range(d)] for _ in range(4)] + [c["x"][1]]
    both = [posterior(c, p) for p in points]
    theta = [log(mpf(v)) for v in c["lengthscale"]] + [log(mpf(c["variance"]))]

    def f(*t):
        return evidence(c, [exp(v) for v in t[:-1]], exp(t[-1]))

    gradient = [diff(lambda v: f(*theta[:i], v, *theta[i + 1:]), theta[i], h=mpf(10) ** -15) for i in range(d + 1)]
    c.update(points=points, mean=[float(m) for m, _ in both], var=[float(v) for _, v in both],
             evidence=float(f(*theta)), gradient=[float(g) for g in gradient])
    return c


def theorem2(t, d):
    delta = mpf(1) / 10
    return 2 * log(t**2 * 2 * pi**2 / (3 * delta)) + 2 * d * log(t**2 * d * sqrt(log(4 * d / delta)))


print(json.dumps({
    "posteriors": [case(s, f, d, n, noise, flat) for s, (f, d, n, noise, flat) in enumerate([
        ("matern52", 1, 5, 1.6449340668482264, True), ("matern52", 1, 5, 1.6449340668482264, False),
        ("se-half", 2, 12, 0.1, True), ("se-half", 2, 12, 0.1, False),
        ("matern52", 4, 20, 0.01, True), ("se-half", 3, 2, 1.0, True)])],
    "theorem2": [{"t": t, "d": d, "beta": float(theorem2(t, d))} for t, d in [(1, 1), (30, 2), (100, 12)]],
}, indent=1))
