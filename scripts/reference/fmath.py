"""Reference values of the elementary functions, for internal/math/fmath/testdata/values.json.

Evaluates each function in 400-bit arithmetic (mpmath) at arguments that are exact
doubles. Each value is written as two doubles, the rounded value and the remainder,
so that errors far below one unit in the last place are visible. All numbers are
hexadecimal. Needs python3 with mpmath:

    python3 scripts/reference/fmath.py > internal/math/fmath/testdata/values.json

Each case: the arguments, then the two parts of the value.
"""

import json
import math
import random
import sys

from mpmath import cos, cosh, erfc, exp, expm1, hypot, log, loggamma, mp, mpf, power, sin, sinh, tanh

mp.prec = 400
r = random.Random(1)


def log1p(x):
    return log(1 + x)


def uniform(lo, hi, n):
    return [r.uniform(lo, hi) for _ in range(n)]


def magnitudes(lo, hi, n):
    """Positive numbers whose logarithm is uniform between those of lo and hi."""
    return [2.0 ** r.uniform(math.log2(lo), math.log2(hi)) for _ in range(n)]


def signed(values):
    return [x if r.random() < 0.5 else -x for x in values]


def multiples(step, n, top):
    """Doubles next to multiples of step, where argument reduction cancels."""
    return [float(step * k) for k in sorted(r.sample(range(1, top), n))]


ARGUMENTS = {
    "Exp": (exp, uniform(-2, 2, 60) + uniform(-708, 709, 60) + multiples(log(2) / 2, 30, 1400) + signed(magnitudes(2**-60, 1, 30)) + [-745.1, -740.0, -720.5, 709.78]),
    "Expm1": (expm1, uniform(-1.2, 1.2, 100) + uniform(-45, 45, 60) + uniform(40, 709, 20) + signed(magnitudes(2**-60, 1, 40))),
    "Log": (log, magnitudes(0.25, 4, 80) + magnitudes(2**-1000, 2**1000, 80) + [1 + t for t in signed(magnitudes(2**-50, 2**-3, 40))] + [5e-324, 1e-310]),
    "Log1p": (log1p, uniform(-0.99, 3, 120) + signed(magnitudes(2**-60, 0.5, 60)) + magnitudes(1, 2**1000, 40) + [-1 + t for t in magnitudes(2**-50, 2**-3, 20)]),
    "Erfc": (erfc, uniform(-6.2, 6.2, 160) + uniform(0, 26, 80) + signed(magnitudes(2**-60, 1, 30))),
    "Tanh": (tanh, uniform(-2, 2, 80) + uniform(-23, 23, 40) + signed(magnitudes(2**-60, 1, 40))),
    "Sinh": (sinh, uniform(-2, 2, 80) + uniform(-710, 710, 60) + signed(magnitudes(2**-60, 1, 40)) + [710.3]),
    "Cosh": (cosh, uniform(-2, 2, 80) + uniform(-710, 710, 60) + signed(magnitudes(2**-60, 1, 40)) + [710.3]),
    "Sin": (sin, uniform(-7, 7, 80) + signed(magnitudes(2**-30, 2**20, 80)) + multiples(mp.pi / 4, 30, 10**5)),
    "Cos": (cos, uniform(-7, 7, 80) + signed(magnitudes(2**-30, 2**20, 80)) + multiples(mp.pi / 4, 30, 10**5)),
    "Lgamma": (loggamma, uniform(0.01, 4, 60) + uniform(4, 100, 40) + magnitudes(2**-40, 2**60, 40)),
}
FAR = signed(magnitudes(2**20, 2**1023, 120)) + [6381956970095103.0 * 2.0**797]


def pow_arguments():
    cases = [(x, y) for x, y in zip(magnitudes(0.01, 100, 80), uniform(-4, 4, 80))]
    cases += [(x, r.uniform(-700, 700) / math.log(x)) for x in magnitudes(2**-1000, 2**1000, 80)]
    cases += [(1 + t, r.uniform(-700, 700) / math.log1p(t)) for t in signed(magnitudes(2**-45, 2**-4, 40))]
    cases += [(-x, float(r.randrange(-30, 30))) for x in magnitudes(0.1, 10, 20)]
    return cases


def hypot_arguments():
    return list(zip(signed(magnitudes(2**-3, 2**3, 60)), signed(magnitudes(2**-3, 2**3, 60)))) + list(
        zip(magnitudes(2**-900, 2**900, 30), magnitudes(2**-900, 2**900, 30))
    )


def case(function, *arguments):
    value = function(*(mpf(a) for a in arguments))
    high = float(value)
    return [float(a).hex() for a in arguments] + [high.hex(), float(value - mpf(high)).hex()]


def main():
    out = {name: [case(f, x) for x in sorted(arguments)] for name, (f, arguments) in ARGUMENTS.items()}
    out["Pow"] = [case(power, x, y) for x, y in pow_arguments()]
    out["Hypot"] = [case(hypot, x, y) for x, y in hypot_arguments()]
    mp.prec = 1500  # arguments up to 2^1023 are reduced
    out["Sin far"] = [case(sin, x) for x in FAR]
    out["Cos far"] = [case(cos, x) for x in FAR]
    lines = []
    for name, cases in out.items():
        rows = ",\n".join("    " + json.dumps(c) for c in cases)
        lines.append(f'  "{name}": [\n{rows}\n  ]')
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
