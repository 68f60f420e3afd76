"""Writes loglik.json: the likelihood in 50 digits, rounded to double precision.

    python3 loglik.py > loglik.json
"""
import json
import random

from mpmath import exp, log1p, mp, mpf

mp.dps = 50
mp.prec += 3000  # e^-700 and smaller must not vanish beside 1
random.seed(1)

edges = [0.0, 1e-300, 1e-16, 1e-8, 0.5, 1.0, 5.0, 30.0, 35.9, 36.1, 36.9, 37.1, 100.0, 299.9, 300.1,
         690.0, 700.0, 709.7, 710.5, 745.1, 746.0, 1400.0, 1e5, 1e300]
sigmoid = []
for a in edges + [random.uniform(0, 50) for _ in range(20)]:
    for u in (a, -a):
        if u < -1e4:
            value = mpf(u)
        elif u > 1e4:
            value = mpf(0)
        else:
            value = -log1p(exp(-mpf(u)))
        sigmoid.append([u, float(value)])

# A choice: differences u_j of the winner's value and each other's, ℓ, and p_j.
choice = []
for scale in (0.1, 1, 10, 50, 200, 700, 1400, "clear"):
    for m in (1, 2, 3, 9):
        if scale == "clear":
            u = [random.uniform(15, 40) for _ in range(m)]
        else:
            u = [random.gauss(0, scale) for _ in range(m)]
        s = sum(exp(-mpf(v)) for v in u)
        choice.append({"u": u, "ll": float(-log1p(s)), "p": [float(exp(-mpf(v)) / (1 + s)) for v in u]})

# A gain: ℓ(u + d) - ℓ(u) for one choice.
gain = []
for scale in (1e-12, 1e-6, 1e-2, 1, 30, 800):
    for m in (1, 3):
        u = [random.gauss(0, 3) for _ in range(m)]
        d = [random.gauss(0, scale) for _ in range(m)]
        before = -log1p(sum(exp(-mpf(v)) for v in u))
        after = -log1p(sum(exp(-mpf(v) - mpf(e)) for v, e in zip(u, d)))
        gain.append({"u": u, "d": d, "gain": float(after - before)})

print(json.dumps({"sigmoid": sigmoid, "choice": choice, "gain": gain}, separators=(",", ":")))
