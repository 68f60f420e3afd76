"""An optimiser that chooses from arms in turn, and keeps the first point of a tie."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
import popbench


class InTurn(popbench.Algorithm):
    name, version = "in-turn", "1"
    arms = ties = True

    def start(self, s):
        self.s, self.best, self.steps, self.tied = s, s.start, 0, 0

    def ask(self):
        return [self.s.arms[(self.steps + i) % len(self.s.arms)] for i in range(2)]

    def tell(self, points, winner):
        self.best = points[winner or 0]
        self.steps += 1
        self.tied += winner is None

    def recommend(self):
        return self.best

    def metrics(self):
        return {"ties": self.tied}


popbench.serve(InTurn)
