"""Reference values for POP-BO, for algorithms/popbo/testdata/paper.json.

Solves Problems MLE_prob, reform_inner_prob_to_fin and
reform_inner_prob_to_fin_batch_refor of the paper in the paper's own variables,
the values Z at all points, by a logarithmic barrier with dense Newton systems, to a
gap of about 1e-9. With K + epsilon I = L L', Z = L a has the norm |a|. The program
works on differences and multipliers, and has no inverse of K. Needs python3 alone:

    python3 scripts/reference/popbo.py > algorithms/popbo/testdata/paper.json

Each case: the kernel; epsilon, the bound b of the norm, beta; points x, and
comparisons by their indices, the winner first; the maximum of the likelihood and,
if the ball limits it, Z there; queries, each with the largest and smallest f(x) and
the largest f(x) - f(x_3) over the confidence set; and batches, each with the largest
f(x) - max f(y) over the points x_i of refs and the new points of fresh.
"""

import json
import random
from math import exp, log, sqrt


def dot(x, y):
    return sum(p * q for p, q in zip(x, y))


def cholesky(a):
    n = len(a)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = a[i][j] - dot(low[i][:j], low[j][:j])
            if i == j and s <= 0:
                return None
            low[i][j] = sqrt(s) if i == j else s / low[j][j]
    return low


def solve(low, b):
    x = list(b)
    for i in range(len(x)):
        x[i] = (x[i] - dot(low[i][:i], x[:i])) / low[i][i]
    for i in reversed(range(len(x))):
        x[i] = (x[i] - sum(low[j][i] * x[j] for j in range(i + 1, len(x)))) / low[i][i]
    return x


def kernel(c, x, y):
    v, ls = c["variance"], c["lengthscale"]
    if c["family"] == "linear":
        return v * dot(x, y)
    r = sqrt(sum(((p - q) / ls[j % len(ls)]) ** 2 for j, (p, q) in enumerate(zip(x, y))))
    if c["family"] == "se-half":
        return v * exp(-r * r / 2)
    if c["family"] == "matern12":
        return v * exp(-r)
    return v * (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(5) * r)


class Problem:
    """Maximise a linear function of y = (Z, v) in the ball, where concave functions of y are positive.

    The points are those of the case and further ones, each with a variable of its own.
    """

    def __init__(self, c, more):
        x = c["x"] + more
        n = self.n = len(x)
        k = [[kernel(c["kernel"], p, q) + (c["epsilon"] if i == j else 0) for j, q in enumerate(x)] for i, p in enumerate(x)]
        self.low = [[*row, 0.0] for row in cholesky(k)] + [[0.0] * n + [1.0]]
        self.columns = list(zip(*self.low))
        self.b, self.comparisons = c["b"], c["comparisons"]

    def y(self, u):
        return [dot(row, u) for row in self.low]

    def likelihood(self, y):
        n = len(y)
        value, grad, hess = 0.0, [0.0] * n, [[0.0] * n for _ in y]
        for members in self.comparisons:
            share = [0.0] * n
            for j in members:
                share[j] += exp(y[j] - y[members[0]])
            total = sum(share)
            value -= log(total)
            share = [s / total for s in share]
            grad[members[0]] += 1
            for i in members:
                grad[i] -= share[i]
                hess[i][i] -= share[i]
                for j in members:
                    hess[i][j] += share[i] * share[j]
        return value, grad, hess

    def above(self, curved, slope, shift):
        """The likelihood, if it is curved, plus slope'y + shift."""

        def function(y):
            n = len(y)
            value, grad, hess = self.likelihood(y) if curved else (0.0, [0.0] * n, [[0.0] * n for _ in y])
            for i, s in slope.items():
                value += s * y[i]
                grad[i] += s
            return value + shift, grad, hess

        return function

    def barrier(self, u, objective, positive, weight):
        y, n = self.y(u), self.n + 1
        grad, hess = [weight * o for o in objective], [[0.0] * n for _ in u]
        f = dot(grad, y)
        for function in positive:
            s, g, h = function(y)
            if s <= 0:
                return None
            f += log(s)
            for i in range(n):
                grad[i] += g[i] / s
                for j in range(n):
                    hess[i][j] += h[i][j] / s - g[i] * g[j] / s**2
        a = [*u[:-1], 0.0]
        room = self.b**2 - dot(a, a)
        if room <= 0:
            return None
        half = [[dot(row, column) for column in self.columns] for row in hess]
        down = [[dot(column, list(h)) for h in zip(*half)] for column in self.columns]
        for i in range(n):
            for j in range(n):
                down[i][j] -= 4 * a[i] * a[j] / room**2 + (2 / room if i == j < n - 1 else 0)
        return f + log(room), [dot(column, grad) - 2 * a[i] / room for i, column in enumerate(self.columns)], down

    def climb(self, u, objective, positive):
        weight = 1.0
        while weight <= 2**32:
            for _ in range(60):
                f, grad, hess = self.barrier(u, objective, positive, weight)
                low = cholesky([[-h for h in row] for row in hess])
                if low is None:
                    break  # rounding at the very end
                step = solve(low, grad)
                decrement, t = dot(step, grad), 1.0
                while t > 1e-10:
                    point = [p + t * s for p, s in zip(u, step)]
                    new = self.barrier(point, objective, positive, weight)
                    if new and new[0] >= f + 0.1 * t * decrement:
                        break
                    t /= 2
                else:
                    break
                u = point
                if decrement < 1e-9:
                    break
            weight *= 4
        return u

    def mle(self):
        n = self.n
        u = [0.0] * n + [self.likelihood([0.0] * (n + 1))[0] - 1]
        u = self.climb(u, [0.0] * n + [1.0], [self.above(True, {n: -1}, 0)])
        return self.likelihood(self.y(u))[0], u

    def maximise(self, beta, objective, competitors=()):
        """The largest objective'Z - max Z_j over the competitors j, if there are any, and over the confidence set."""
        n = self.n
        top, mle = self.mle()
        u, share = [*mle[:-1], 0.0], 1.0
        while share > 0 and self.likelihood(self.y(u))[0] >= top - beta / 2:  # a start inside
            share -= 1 / 64
            inside, u = u, [share * p for p in mle[:-1]] + [0.0]
        u = inside
        largest = max((self.y(u)[j] for j in competitors), default=0.0)
        u[n] = largest + 1
        positive = [self.above(True, {}, beta - top)]
        positive += [self.above(False, {n: 1, j: -1}, 0) for j in competitors] or [self.above(False, {n: 1}, 0)]
        weights = [float(objective.get(i, 0)) for i in range(n)] + [-1.0]
        y = self.y(self.climb(u, weights, positive))
        return dot(weights[:n], y) - max((y[j] for j in competitors), default=0.0)


def case(family, variance, lengthscale, epsilon, b, beta, d, r):
    def point():
        return [r.random() for _ in range(d)]

    c = {"kernel": {"family": family, "variance": variance, "lengthscale": lengthscale}, "epsilon": epsilon, "b": b, "beta": beta}
    c["x"] = [point() for _ in range(6)]
    c["comparisons"] = [[1, 0], [1, 2], [2, 1], [4, 0, 3, 1], [5, 0], [5, 3]]
    p = Problem(c, [])
    c["mle"], u = p.mle()
    if sqrt(dot(u[:-1], u[:-1])) > 0.999 * b:
        c["z"] = p.y(u)[:-1]
    c["queries"], c["batches"] = [], []
    for _ in range(3):
        x = point()
        p = Problem(c, [x])
        upper, lower, advantage = p.maximise(beta, {6: 1}), -p.maximise(beta, {6: -1}), p.maximise(beta, {6: 1, 3: -1})
        c["queries"].append({"x": x, "upper": upper, "lower": lower, "advantage": advantage})
    for refs, count in [([4, 5], 0), ([4, 5], 1), ([0, 4, 5], 2)]:
        fresh, x = [point() for _ in range(count)], point()
        value = Problem(c, [*fresh, x]).maximise(beta, {6 + count: 1}, refs + list(range(6, 6 + count)))
        c["batches"].append({"refs": refs, "fresh": fresh, "x": x, "value": value})
    return c


r = random.Random(1)
cases = [
    case("matern52", 1, [0.4], 1e-6, 3, 1, 2, r),
    case("se-half", 4, [0.5, 0.3], 0.02, 1, 0.2, 2, r),
    case("linear", 2, [], 1e-3, 4, 2, 2, r),
    case("matern12", 1, [0.2], 1e-6, 8, 5, 1, r),
]
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
