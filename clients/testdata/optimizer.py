"""The example optimiser of the other clients."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
import popbench


class Example(popbench.Algorithm):
    name, version = "random-local", "1"

    def start(self, s):
        self.box, self.best, self.radius, self.steps, self.random = s.box, s.start, 0.25, 0, s.seed % 2**30 + 1
        self.propose()

    def propose(self):
        x = []
        for lo, hi, best in zip(self.box.lo, self.box.hi, self.best):
            self.random = 16807 * self.random % 2147483647
            u = self.random / 2147483647
            x.append(best + self.radius * (2 * u - 1) * (hi - lo) if self.steps % 2 else lo + u * (hi - lo))
        self.challenger = self.box.clip(x)

    def ask(self):
        return [self.best, self.challenger]

    def tell(self, points, winner):
        if self.steps % 2:
            self.radius = min(2 * self.radius, 0.5) if winner else self.radius / 2
        self.best = points[winner]
        self.steps += 1
        self.propose()

    def recommend(self):
        return self.best

    def metrics(self):
        return {"radius": self.radius}


popbench.serve(Example)
