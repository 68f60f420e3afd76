"""Laplace's approximation of the skew Gaussian process, for
algorithms/baselines/sgp/testdata/laplace.json.

Mode, evidence and posterior of the cases of posterior.json beside it, in 40-digit
arithmetic (mpmath). The unknowns are the values of f at all options, with their
covariance matrix and its inverse; the program uses differences and no inverse.
Gradients of the evidence in the logarithms of the lengthscales are central
differences. The file also has the expected improvement in the tail.
Needs python3 with mpmath:

    cd algorithms/baselines/sgp/testdata
    python3 ../../../../scripts/reference/sgp.py posterior.json > laplace.json
"""

import json
import sys

from mpmath import diag, erfc, exp, eye, log, lu_solve, matrix, mp, mpf, pi, sqrt

mp.dps = 40


def phi(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def Phi(z):
    return erfc(-z / sqrt(mpf(2))) / 2


def kernel(a, b, l):
    return exp(-sum(((mpf(p) - mpf(q)) / s) ** 2 for p, q, s in zip(a, b, l)) / 2)


def gram(xs, ys, l):
    return matrix([[kernel(a, b, l) for b in ys] for a in xs])


def laplace(c, l):
    """Mode f at winners then losers, minus log evidence, K + tiny, W."""
    m = len(c["winners"])
    points = c["winners"] + c["losers"]
    # Options that occur twice make K singular; a ridge of 1e-30 does not show.
    K = gram(points, points, l) + eye(2 * m) * mpf(10) ** -30
    A = matrix(m, 2 * m)
    for i in range(m):
        A[i, i], A[i, m + i] = 1, -1
    scale = sqrt(mpf(2)) * mpf(repr(c["noise_std"]))

    def terms(f):
        g = A * f
        z = [g[i] / scale for i in range(m)]
        h = [phi(v) / Phi(v) for v in z]
        d1 = matrix([h[i] / scale for i in range(m)])
        w = [h[i] * (h[i] + z[i]) / scale**2 for i in range(m)]
        return g, z, d1, A.T * diag(w) * A

    f = matrix(2 * m, 1)
    # Newton's method in f = K a, damped until it is near.
    a = matrix(2 * m, 1)

    def objective(a):
        f = K * a
        g = A * f
        return sum(log(Phi(g[i] / scale)) for i in range(m)) - (f.T * a)[0] / 2

    for _ in range(300):
        f = K * a
        g, z, d1, W = terms(f)
        r = A.T * d1 - a
        step = lu_solve(eye(2 * m) + W * K, r)
        if max(abs(v) for v in step) < mpf(10) ** -30:
            break
        t = mpf(1)
        now = objective(a)
        while t > mpf(10) ** -10 and objective(a + t * step) < now:
            t /= 2
        a += t * step
    f = K * a
    g, z, d1, W = terms(f)
    B = eye(2 * m) + K * W
    value = -sum(log(Phi(v)) for v in z) + (f.T * a)[0] / 2 + log(mp.det(B)) / 2
    return f, a, value, B, W


def solve(c):
    l = [mpf(repr(v)) for v in c["lengthscale"]]
    points = c["winners"] + c["losers"]
    f, a, value, B, W = laplace(c, l)
    k = gram(c["test_points"], points, l)
    mean = k * a
    half = W * lu_inverse(B)
    var = [1 - (k[i, :] * half * k[i, :].T)[0] for i in range(len(c["test_points"]))]
    grad = []
    h = mpf(10) ** -8
    for j in range(len(l)):
        up, down = list(l), list(l)
        up[j], down[j] = l[j] * exp(h), l[j] * exp(-h)
        grad.append(-(laplace(c, up)[2] - laplace(c, down)[2]) / (2 * h))
    return {
        "id": c["id"],
        "minus_log_marginal": float(value),
        "f_map_winners_then_losers": [float(v) for v in f],
        "f_mean": [float(v) for v in mean],
        "f_var": [float(v) for v in var],
        "log_marginal_gradient": [float(v) for v in grad],
    }


def lu_inverse(B):
    return B**-1


def improvement(mean, sd):
    z = mpf(mean) / mpf(sd)
    return {"mean": mean, "sd": sd, "log_EI": float(log(mpf(sd) * (phi(z) + z * Phi(z))))}


def main():
    with open(sys.argv[1]) as file:
        cases = json.load(file)["cases"]
    out = {"laplace": [solve(c) for c in cases]}
    mp.dps = 3000  # φ(z) + zΦ(z) cancels to 1e-1300 at z = -50
    out["expected_improvement"] = [
        improvement(m, s)
        for m, s in [(0, 1), (1, 1), (-1, 1), (30, 1), (0.25, 0.001), (-3, 1), (-0.1, 0.02), (-10, 1), (-38, 1), (-50, 1), (-2, 0.01), (-1, 0.001)]
    ]
    json.dump(out, sys.stdout, indent=1)
    print()


main()
