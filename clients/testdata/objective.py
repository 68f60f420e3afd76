"""The example objective of the other clients, printing wherever it can."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
import popbench


class Tea(popbench.Problem):
    name, version = "tea", "1"
    box = popbench.Box([60, 1], [100, 9])
    optimum, optimum_x, title, source = 4, [[82, 4]], "Tea", "an example"

    def evaluate(self, x):
        print("printed by evaluate", flush=True)
        os.write(1, b"a C library\n")
        subprocess.run(["echo", "a child"])
        heat, time = (x[0] - 82) / 10, (x[1] - 4) / 2
        return 4 - heat * heat - time * time


popbench.serve(Tea)
