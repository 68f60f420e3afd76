"""A Gaussian process that learns from duels, with EUBO as its acquisition function, in numpy and scipy.

The utility f has a Gaussian process prior with the squared exponential kernel. The oracle prefers x to y with
probability σ(f(x) − f(y)) (Bradley–Terry). Laplace's method approximates the posterior (Rasmussen and Williams 2006,
Alg. 3.1 and 5.1). The next duel maximises EUBO, the expected utility of the better point (Astudillo et al. 2023). The
priors of the hyper-parameters are those of bench's own qeubo; its setting inference: laplace is the same model.

The model has its points in [0,1]^d. n is the number of duels.
"""

import popbench  # first, so that what other libraries print does not reach standard output

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_expit, ndtr

LENGTHSCALE = 3.0, 6.0  # Gamma prior of each lengthscale, in box widths: shape and rate
VARIANCE = 2.0, 0.15  # Gamma prior of the variance of f
RANGE = np.log([0.01, 100.0])  # of every hyper-parameter
CANDIDATES = 200  # random points from whose pairs searches start, besides the points of the duels
STARTS = 8  # local searches for a maximum


class Model:
    """The posterior of f after n duels."""

    def __init__(self, d):
        self.points = np.empty((0, d))  # winners in the even rows, losers in the odd ones
        self.a = np.empty(0)  # prior mean of the differences is 0, that of the posterior G a
        (ls, lr), (vs, vr) = LENGTHSCALE, VARIANCE
        self.shape, self.rate = np.array([ls] * d + [vs]), np.array([lr] * d + [vr])
        self.modes = np.log((self.shape - 1) / self.rate)
        self.hyperparameters(self.modes)

    def hyperparameters(self, logs):
        self.logs, self.lengthscale, self.variance = logs, np.exp(logs[:-1]), np.exp(logs[-1])

    def add(self, winner, loser):
        self.points = np.vstack([self.points, winner, loser])
        self.a = np.append(self.a, 0.0)

    def kernel(self, x, y):
        """The prior covariances of f at the rows of x and f at the rows of y."""
        x, y = x / self.lengthscale, y / self.lengthscale
        squares = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
        return self.variance * np.exp(-np.maximum(squares, 0) / 2)

    def cross(self, x):
        """The prior covariances of f at the rows of x with the n differences f(winner) − f(loser)."""
        k = self.kernel(x, self.points)
        return k[:, ::2] - k[:, 1::2]

    def condition(self, logs):
        """Sets the logarithms of the hyper-parameters, d lengthscales and the variance, computes the Gaussian
        approximation around the mode of the differences, G a, by Newton's method, and returns the log evidence."""
        self.hyperparameters(logs)
        c = self.cross(self.points)
        self.G = G = c[::2] - c[1::2]

        def objective(a):
            return log_expit(G @ a).sum() - a @ G @ a / 2

        a = self.a if objective(self.a) > objective(0 * self.a) else 0 * self.a
        for _ in range(100):
            g = G @ a
            self.root = np.sqrt(expit(g) * expit(-g))
            self.L = cholesky(np.eye(len(a)) + self.root[:, None] * G * self.root, lower=True)
            step = self.damped(expit(-g) - a)
            decrement, now, t = step @ G @ (expit(-g) - a), objective(a), 1.0
            while t > 1e-6 and objective(a + t * step) < now - 1e-12 * abs(now):
                t /= 2
            a = a + t * step
            if not decrement > 1e-20:
                break
        self.a = a
        return objective(a) - np.log(np.diag(self.L)).sum()

    def damped(self, r):
        """(I + W G)⁻¹ r, where W has the curvatures of the log likelihood, the squares of root."""
        return r - self.root * cho_solve((self.L, True), self.root * (self.G @ r))

    def evidence(self, logs):
        """The log evidence and its gradient in the logarithms of the hyper-parameters."""
        value = self.condition(logs)
        p = expit(self.G @ self.a)
        R = solve_triangular(self.L, np.diag(self.root), lower=True)
        deviations = np.diag(self.G) - ((R @ self.G) ** 2).sum(0)
        u = self.damped(deviations / 2 * (2 * p - 1) * p * (1 - p))  # how the mode moves
        S = (np.outer(self.a + 2 * u, self.a) - R.T @ R) / 2  # ∂value/∂G, up to an antisymmetric part
        S = (S + S.T) / 2
        P = np.kron(S, [[1, -1], [-1, 1]]) * self.kernel(self.points, self.points)
        z = self.points / self.lengthscale
        lengthscales = 2 * (P.sum(1) @ z**2 - ((P @ z) * z).sum(0))
        return value, np.append(lengthscales, (S * self.G).sum())

    def log_posterior(self, logs):
        """Log evidence + log prior, without a constant, and its gradient in the logarithms of the hyper-parameters."""
        value, slope = self.evidence(logs)
        value += ((self.shape - 1) * logs - self.rate * np.exp(logs)).sum()
        return value, slope + self.shape - 1 - self.rate * np.exp(logs)

    def fit(self):
        """Sets the hyper-parameters to the most probable ones, and conditions on the duels."""
        self.condition(maximize(self.log_posterior, [self.logs, self.modes], RANGE))

    def mean(self, x):
        """The posterior mean of f at the point x, and its gradient."""
        return (self.cross(x[None]) @ self.a)[0], self.slope(x, self.a)

    def slope(self, x, weights):
        """The gradient at x of the covariances of f(x) with the differences, summed with weights."""
        k = self.kernel(x[None], self.points)[0] * np.ravel(np.column_stack([weights, -weights]))
        return (k @ self.points - k.sum() * x) / self.lengthscale**2

    def eubo(self, pair):
        """E max(f(x), f(y)), and its gradient, for x and y one after the other."""
        x, y = pair.reshape(2, -1)
        k, cx, cy = self.kernel(x[None], y[None])[0, 0], self.cross(x[None])[0], self.cross(y[None])[0]
        v = solve_triangular(self.L, self.root * (cx - cy), lower=True)
        variance = 2 * (self.variance - k) - v @ v
        value, p, density = better(cx @ self.a, cy @ self.a, variance)
        back = density * self.root * solve_triangular(self.L, v, lower=True, trans=1)
        apart = density * k * (x - y) / self.lengthscale**2
        return value, np.append(self.slope(x, p * self.a - back) + apart, self.slope(y, (1 - p) * self.a + back) - apart)

    def eubos(self, x):
        """EUBO of all pairs of the rows of x, a matrix, and the posterior means at the rows."""
        c = self.cross(x)
        v, mean = solve_triangular(self.L, (c * self.root).T, lower=True), c @ self.a
        cov = self.kernel(x, x) - v.T @ v
        variance = np.diag(cov)
        return better(mean[:, None], mean, variance[:, None] + variance - 2 * cov)[0], mean


def better(mx, my, variance):
    """E max(X, Y) for jointly Gaussian X and Y with these means, of whose difference this is the variance; its
    derivative by mx; twice its derivative by the variance."""
    s = np.sqrt(np.maximum(variance, 1e-16))
    u = (mx - my) / s
    density = np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)
    return np.maximum(mx, my) + s * np.maximum(density - np.abs(u) * ndtr(-np.abs(u)), 0), ndtr(u), density / s


def maximize(f, starts, bounds):
    """The best end of local searches for a maximum of f, which returns value and gradient, within bounds."""

    def loss(x):
        value, slope = f(x)
        return -value, -slope

    found = [minimize(loss, x, jac=True, bounds=[bounds] * len(x), options={"ftol": 1e-12}) for x in starts]
    return min(found, key=lambda r: r.fun).x


class GPEUBO(popbench.Algorithm):
    """Random duels at first, as in the program of qEUBO's authors; then those of largest EUBO."""

    def start(self, s):
        if set(s.settings) - {"initial_duels"}:
            raise ValueError(f"settings are {sorted(s.settings)}; the only one is initial_duels")
        self.box, self.x0, self.seed = s.box, s.start, s.seed
        self.initial = max(s.settings.get("initial_duels", 4 * s.box.dim), 1)
        self.model, self.duels = Model(s.box.dim), 0

    def candidates(self):
        """Points of the unit cube: random ones, then those of the duels. A function of seed and number of duels."""
        random = np.random.default_rng([self.seed, self.duels]).random((CANDIDATES, self.box.dim))
        return np.vstack([random, self.model.points])

    def ask(self):
        x = self.candidates()
        if self.duels < self.initial:
            return popbench.Query([self.x0 if self.duels == 0 else self.box.from_unit(x[0]), self.box.from_unit(x[1])], new=2)
        values, _ = self.model.eubos(x)
        best = values.argmax(1)  # each candidate with its best partner, of two that are each other's only once
        pairs = [(i, best[i]) for i in np.argsort(-values.max(1), kind="stable") if i <= best[i] or i != best[best[i]]]
        starts = [np.append(x[i], x[j]) for i, j in pairs[:STARTS]]
        pair = np.split(maximize(self.model.eubo, starts, (0, 1)), 2)
        return popbench.Query([self.box.from_unit(u) for u in pair], new=2)

    def tell(self, points, winner):
        self.model.add(self.box.to_unit(points[winner]), self.box.to_unit(points[1 - winner]))
        self.model.fit()
        self.duels += 1

    def recommend(self):
        if self.duels == 0:
            return self.x0
        x = self.candidates()
        _, mean = self.model.eubos(x)
        best = x[np.argsort(-mean, kind="stable")[:STARTS]]
        return self.box.from_unit(maximize(self.model.mean, best, (0, 1)))

    def metrics(self):
        """The hyper-parameters under the names that they have in the records of qeubo."""
        lengthscales = {f"lengthscale_{j}": v for j, v in enumerate(self.model.lengthscale, 1)}
        return {"variance": self.model.variance, **lengthscales}


if __name__ == "__main__":
    popbench.serve(GPEUBO)
