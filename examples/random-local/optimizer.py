"""An optimiser in plain Python: a duel of the best point so far with a random one, or with one near it.

The step of the local moves shrinks whenever the best point wins. bench starts this program; suite.yaml names it.
"""

import random

import popbench


class RandomLocal(popbench.Algorithm):
    version = "1"

    def start(self, s):
        self.box = s.box
        self.rng = random.Random(s.seed)
        self.best = s.start
        self.explore = s.settings.get("explore", 0.3)  # probability of a point from anywhere in the box
        self.step = 0.3  # standard deviation of a local move, in widths of the box

    def ask(self):
        if self.rng.random() < self.explore:
            return [self.best, self.box.sample(self.rng)]
        unit = [u + self.rng.gauss(0, self.step) for u in self.box.to_unit(self.best)]
        return [self.best, self.box.from_unit(unit)]

    def tell(self, points, winner):
        if points[winner] == self.best:
            self.step = max(0.9 * self.step, 0.02)
        self.best = points[winner]

    def recommend(self):
        return [("last-winner", self.best)]

    def metrics(self):
        return {"step_width": self.step}


popbench.serve(RandomLocal)
