"""Reference values of rank tests and of statistics for benchmarks of optimisers,
for internal/math/stats/testdata/ranks.json.

Exact P values come from enumerating every assignment of signs or groups. Where
SciPy has the same test, the script checks the enumeration against it. Needs
python3 with NumPy and SciPy 1.10 or later:

    python3 scripts/reference/ranks.py > internal/math/stats/testdata/ranks.json
"""

import json
from itertools import combinations, product
from math import inf, sqrt

import numpy as np
from scipy import stats

rng = np.random.default_rng(20240705)


def ranked(values):
    return stats.rankdata(values)


def signed_rank_by_enumeration(d):
    """All 2^n signs of the non-zero differences, ranked among all differences."""
    d = np.asarray(d)
    r = ranked(np.abs(d))[d != 0]
    seen = r[d[d != 0] > 0].sum()
    sums = np.array([np.dot(s, r) for s in product((0, 1), repeat=len(r))])
    return min(1.0, 2 * min(np.mean(sums <= seen + 1e-9), np.mean(sums >= seen - 1e-9)))


def rank_sum_by_enumeration(a, b):
    r = ranked(np.concatenate([a, b]))
    seen = r[len(a):].sum()
    sums = np.array([sum(c) for c in combinations(r, len(b))])
    return min(1.0, 2 * min(np.mean(sums <= seen + 1e-9), np.mean(sums >= seen - 1e-9)))


def signed_rank():
    cases = []
    for n, zeros, digits in [(1, 0, 9), (4, 0, 9), (9, 0, 9), (12, 0, 9), (10, 3, 9), (12, 0, 0), (13, 4, 0), (14, 0, 1)]:
        for shift in (0.0, 0.8):
            d = np.round(rng.normal(shift, 1.5, n), digits)
            d[rng.permutation(n)[:zeros]] = 0
            p = signed_rank_by_enumeration(d)
            if len(set(np.abs(d))) == n and zeros == 0:
                assert abs(p - stats.wilcoxon(d, method="exact").pvalue) < 1e-12
            cases.append({"d": d.tolist(), "p": p, "exact": True})
    for n, zeros, digits in [(101, 0, 9), (150, 20, 9), (200, 0, 0), (120, 30, 0)]:
        d = np.round(rng.normal(0.15, 1.5, n), digits)
        d[:zeros] = 0
        p = stats.wilcoxon(d, zero_method="pratt", correction=True, method="approx").pvalue
        cases.append({"d": d.tolist(), "p": p, "exact": False})
    # Too large to enumerate, without ties: SciPy counts.
    for n in (30, 50, 100):
        d = rng.normal(0.3, 1.0, n)
        cases.append({"d": d.tolist(), "p": stats.wilcoxon(d, method="exact").pvalue, "exact": True})
    for c in cases:
        d = np.array(c["d"])
        r = ranked(np.abs(d))
        c["plus"], c["minus"] = r[d > 0].sum(), r[d < 0].sum()
        total = c["plus"] + c["minus"]
        c["effect"] = (c["plus"] - c["minus"]) / total if total else 0.0
    return cases


def rank_sum():
    cases = []
    for m, n, digits in [(1, 1, 9), (3, 4, 9), (5, 5, 9), (8, 6, 9), (5, 7, 0), (7, 7, 0), (8, 8, 1)]:
        for shift in (0.0, 1.0):
            a, b = np.round(rng.normal(0, 1, m), digits), np.round(rng.normal(shift, 1.3, n), digits)
            p = rank_sum_by_enumeration(a, b)
            if len(set(a) | set(b)) == m + n:
                assert abs(p - stats.mannwhitneyu(b, a, method="exact").pvalue) < 1e-12
            cases.append({"a": a.tolist(), "b": b.tolist(), "p": p, "exact": True})
    for m, n in [(20, 20), (12, 25)]:
        a, b = rng.normal(0, 1, m), rng.normal(0.5, 1, n)
        cases.append({"a": a.tolist(), "b": b.tolist(), "p": stats.mannwhitneyu(b, a, method="exact").pvalue, "exact": True})
    for m, n, digits in [(30, 30, 9), (25, 60, 1), (40, 40, 0)]:
        a, b = np.round(rng.normal(0, 1, m), digits), np.round(rng.normal(0.3, 1, n), digits)
        p = stats.mannwhitneyu(b, a, method="asymptotic", use_continuity=True).pvalue
        cases.append({"a": a.tolist(), "b": b.tolist(), "p": p, "exact": False})
    for c in cases:
        a, b = np.array(c["a"])[:, None], np.array(c["b"])[None, :]
        c["u"] = float((b > a).sum() + 0.5 * (b == a).sum())
        c["effect"] = float(((b > a).sum() - (b < a).sum()) / (a.size * b.size))
    return cases


def holm():
    """The step-down procedure, tried level by level: the adjusted value is the
    smallest level at which the hypothesis is rejected."""
    def rejected(p, level):
        out, order = set(), sorted(range(len(p)), key=lambda i: p[i])
        for k, i in enumerate(order):
            if p[i] > level / (len(p) - k):
                break
            out.add(i)
        return out

    cases = []
    for p in ([0.01, 0.04, 0.03, 0.005], [0.5, 0.6, 0.0001], [0.2], [0.02, 0.02, 0.02], rng.uniform(0, 0.2, 12).round(4).tolist()):
        adjusted = []
        for i in range(len(p)):
            levels = sorted({min(1.0, (len(p) - k) * v) for k in range(len(p)) for v in p} | {1.0})
            adjusted.append(next(a for a in levels if a == 1.0 or i in rejected(p, a * (1 + 1e-12))))
        cases.append({"p": list(p), "adjusted": adjusted})
    return cases


def friedman():
    cases = []
    for n, k, digits in [(7, 4, 9), (12, 3, 9), (5, 6, 9), (10, 5, 0), (3, 3, 9)]:
        x = np.round(rng.normal(0, 1, (n, k)) + 0.4 * np.arange(k), digits)
        res = stats.friedmanchisquare(*x.T)
        chi2 = res.statistic
        f = (n - 1) * chi2 / (n * (k - 1) - chi2)
        cases.append({"scores": x.tolist(), "ranks": np.mean([ranked(r) for r in x], axis=0).tolist(),
                      "chi_square": chi2, "p": res.pvalue, "f": f, "fp": stats.f.sf(f, k - 1, (k - 1) * (n - 1))})
    return cases


def studentized():
    """By SciPy's quadrature for infinitely many degrees of freedom."""
    cdf = [{"q": q, "k": k, "p": float(stats.studentized_range.cdf(q, k, np.inf))} for k in (2, 3, 5, 10, 20) for q in (0.3, 1, 2.5, 4, 6)]
    quantile = [{"p": p, "k": k, "q": float(stats.studentized_range.ppf(p, k, np.inf))} for k in (2, 3, 4, 5, 8, 10, 20) for p in (0.5, 0.9, 0.95, 0.99)]
    return {"cdf": cdf, "quantile": quantile,
            "critical_difference": [{"k": k, "n": n, "cd": float(stats.studentized_range.ppf(0.95, k, np.inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))} for k, n in ((4, 14), (5, 30), (2, 7))]}


def difference():
    """Two samples."""
    return [{"a": a.tolist(), "b": b.tolist()} for a, b in
            [(rng.exponential(1, 20), rng.exponential(1.5, 30)), (rng.normal(0, 1, 12), rng.normal(1, 3, 9)), (rng.lognormal(0, 1, 40), rng.lognormal(0.2, 1, 15))]]


def finite(v):
    return "inf" if v == inf else v


def targets():
    cases = []
    for n, budget, rate in [(25, 30, 0.08), (15, 50, 0.02), (8, 20, 0.3), (6, 10, 1e-9)]:
        steps = rng.geometric(rate, n)
        reached = steps <= budget
        steps = np.minimum(steps, budget)
        # Restarts by definition: draw runs until one succeeds.
        ert = inf
        if reached.any():
            p = reached.mean()
            ert = steps[reached].mean() + (1 - p) / p * budget
        ecdf = [float(np.mean(reached & (steps <= t))) for t in range(1, budget + 1)]
        cases.append({"steps": steps.tolist(), "reached": reached.tolist(), "budget": budget, "ert": finite(float(ert)), "ecdf": ecdf})
    return cases


def profiles():
    cost = np.round(rng.lognormal(2, 1, (9, 3)), 3)
    cost[2, 1] = cost[5, 0] = cost[7] = inf
    best = cost.min(axis=1)
    taus = [1.0, 1.5, 2.0, 4.0, 10.0]
    rho = [[sum(1 for p in range(9) if cost[p, s] < inf and cost[p, s] <= tau * best[p]) / 9 for tau in taus] for s in range(3)]
    return {"cost": [[finite(v) for v in row] for row in cost.tolist()], "tau": taus, "rho": rho}


print(json.dumps({"signed_rank": signed_rank(), "rank_sum": rank_sum(), "holm": holm(), "friedman": friedman(), "studentized_range": studentized(),
                  "difference": difference(), "targets": targets(), "profiles": profiles()}, separators=(",", ":")))
