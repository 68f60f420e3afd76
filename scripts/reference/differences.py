"""Samples of paired differences for the simulations of internal/math/sequential: the final suboptimality of POP-BO minus
that of another method with the same seed, in units of a random point's, on the paper's test functions:

    go run ./cmd/bench run configs/paper/test-functions.yaml --out DIR --seeds 120
    python3 scripts/reference/differences.py DIR > internal/math/sequential/testdata/samples.json
"""

import json
import pathlib
import sys

OTHERS = "DTS", "SGP", "qEUBO"


def shares(folder):
    """The final suboptimality of each run divided by that of a random point, with the repetition's name."""
    runs = {}
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_text().splitlines()
        header, last = json.loads(lines[0]), json.loads(lines[-2])
        # The first recommendation is by the rule that the suite selects.
        left = header["problem"]["optimum"] - last["recommendations"][0]["utility"]
        runs[path.stem] = left / header["problem"]["uniform"]["mean"]
    return runs


samples = {}
for problem in sorted((pathlib.Path(sys.argv[1]) / "records").iterdir()):
    first = shares(problem / "POP-BO")
    for label in OTHERS:
        other = shares(problem / label)
        samples[f"{problem.name}, POP-BO - {label}"] = [round(v - other[name], 4) for name, v in first.items()]
print("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(x)}" for name, x in samples.items()) + "\n}")
