"""Samples for the simulations of internal/math/sequential: the final suboptimality of the runs of four methods on the
paper's test functions, in units of a random point's. Runs with the same place in their lists have the same seed:

    go run ./cmd/bench run configs/paper/test-functions.yaml --out DIR --seeds 120
    python3 scripts/reference/suboptimality.py DIR > internal/math/sequential/testdata/suboptimality.json
"""

import json
import pathlib
import sys

LABELS = "POP-BO", "DTS", "SGP", "qEUBO"


def share(path):
    lines = path.read_text().splitlines()
    header, last = json.loads(lines[0]), json.loads(lines[-2])
    # The first recommendation is by the rule that the suite selects.
    left = header["problem"]["optimum"] - last["recommendations"][0]["utility"]
    return round(left / header["problem"]["uniform"]["mean"], 4)


lines = []
for problem in sorted((pathlib.Path(sys.argv[1]) / "records").iterdir()):
    runs = {label: [share(path) for path in sorted((problem / label).glob("*.jsonl"))] for label in LABELS}
    lines.append(f"{json.dumps(problem.name)}: " + json.dumps(runs, separators=(",", ":")).replace('],', '],\n'))
print("{\n" + ",\n".join(lines) + "\n}")
