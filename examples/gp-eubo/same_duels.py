"""Compares a program with our qEUBO on the same duels: how good are its hyper-parameters, and its queries?

    python3 same_duels.py RESULTS PROGRAM.py CLASS

RESULTS has runs of "qEUBO-Laplace" with a record a file. The program learns the first n duels of each and proposes the next
query. The model of gp_eubo.py judges: by evidence times prior at the hyper-parameters of both, and by EUBO of both queries.
"""

import importlib.util
import json
import pathlib
import sys

import popbench  # first, so that what other libraries print does not reach standard output

import numpy as np

from gp_eubo import Model

DUELS = 10, 15, 20, 25  # values of n


def logs(metrics, d):
    """The logarithms of the hyper-parameters, which records and programs give in units of the box."""
    return np.log([metrics[f"lengthscale_{j + 1}"] for j in range(d)] + [metrics["variance"]])


def compare(program, header, steps):
    """For each n: the program's log evidence + log prior and its EUBO, less ours; and what our record says of ours,
    less what the model says."""
    box = popbench.Box(header["problem"]["lo"], header["problem"]["hi"])
    model, algorithm = Model(box.dim), program()
    start = {"box": {"lo": box.lo, "hi": box.hi}, "seed": header["repetition"], "settings": {"initial_duels": 0}}
    algorithm.start(popbench.Start(start))
    for n, step in enumerate(steps, 1):
        points, winner = step["points"], step["winner"]
        model.add(box.to_unit(points[winner]), box.to_unit(points[1 - winner]))
        algorithm.tell(points, winner)
        if n in DUELS:
            theirs, ours = (model.log_posterior(logs(m, box.dim))[0] for m in (algorithm.metrics(), step["metrics"]))
            query = steps[n]  # asked after n duels, at our hyper-parameters, which the model has now
            pairs = [np.ravel([box.to_unit(x) for x in points]) for points in (algorithm.ask().points, query["points"])]
            eubo, ours_eubo = (model.eubo(pair)[0] for pair in pairs)
            yield theirs - ours, eubo - ours_eubo, abs(query["metrics"]["acquisition"] - ours_eubo)


def main(results, path, name):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(f"{name} less our qEUBO on the same duels, after {', '.join(map(str, DUELS))} duels of each run")
    print(f"{'':10}{'':8}{'log posterior':>30}{'EUBO':>30}{'record':>12}")
    print(f"{'problem':10}{'cases':>8}" + f"{'least':>10}{'median':>10}{'most':>10}" * 2 + f"{'less model':>12}")
    for folder in sorted(pathlib.Path(results, "records").glob("*/qEUBO-Laplace")):
        cases = []
        for file in sorted(folder.glob("*.jsonl")):
            header, *steps, footer = [json.loads(line) for line in file.read_text().splitlines()]
            cases += compare(getattr(module, name), header, steps)
        posterior, eubo, record = np.transpose(cases)
        quartiles = [f"{q:10.1e}" for v in (posterior, eubo) for q in (v.min(), np.median(v), v.max())]
        print(f"{folder.parent.name:10}{len(cases):8}" + "".join(quartiles) + f"{record.max():12.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
