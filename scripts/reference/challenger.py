"""Reference values for algorithms/baselines/challenger: python3 scripts/reference/challenger.py

They need mpmath. For a difference d ~ N(m, v) and both links F, with 30 digits: the variance of F(d), the logarithm of
E F(-d), and the expected entropy of an answer, E h(F(d)) in nats, each by quadrature over d."""

import json
import pathlib

from mpmath import erfc, exp, log, mp, mpf, pi, quad, sqrt

mp.dps = 30


def probit(d):
    return erfc(-d / sqrt(2)) / 2


def logit(d):
    return 1 / (1 + exp(-d))


def entropy(link, d):
    p, q = link(d), link(-d)
    return -(p * log(p) + q * log(q))


def mean(f, m, v):
    sd = sqrt(v)
    ends = [mpf(k) for k in range(-15, 16)]
    return quad(lambda u: f(m + sd * u) * exp(-u * u / 2), ends) / sqrt(2 * pi)


def main():
    rows = []
    for m in (0, 0.3, -1, 3, -6, 12):
        for v in (1e-14, 1e-6, 0.01, 0.5, 3, 20, 150):
            m_, v_ = mpf(m), mpf(v)
            row = {"m": m, "v": v}
            for name, link in (("probit", probit), ("logit", logit)):
                lost = mean(lambda d: link(-d), m_, v_)
                row[name] = [
                    float(mean(lambda d: (link(-d) - lost) ** 2, m_, v_)),
                    float(log(lost)),
                    float(mean(lambda d: entropy(link, d), m_, v_)),
                ]
            rows.append(row)
    path = pathlib.Path(__file__).parents[2] / "algorithms/baselines/challenger/testdata/answers.json"
    path.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


main()
