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
AS_GOOD = 1e-3  # what is not further below ours is as good


def logs(metrics, d):
    """The logarithms of the hyper-parameters, which records and programs give in units of the box."""
    return np.log([metrics[f"lengthscale_{j + 1}"] for j in range(d)] + [metrics["variance"]])


def compare(program, header, steps):
    """For each n: the program's log evidence + log prior and its EUBO, less ours; the largest component of the gradient
    at either hyper-parameters, which is small at a maximum; and what our record says of our EUBO, less what the model
    says."""
    box = popbench.Box(header["problem"]["lo"], header["problem"]["hi"])
    model, algorithm = Model(box.dim), program()
    start = {"box": {"lo": box.lo, "hi": box.hi}, "seed": header["repetition"], "settings": {"initial_duels": 0}}
    algorithm.start(popbench.Start(start))
    for n, step in enumerate(steps, 1):
        points, winner = step["points"], step["winner"]
        model.add(box.to_unit(points[winner]), box.to_unit(points[1 - winner]))
        algorithm.tell(points, winner)
        if n in DUELS:
            fits = [model.log_posterior(logs(m, box.dim)) for m in (algorithm.metrics(), step["metrics"])]
            (theirs, slope), (ours, our_slope) = fits
            query = steps[n]  # asked after n duels, at our hyper-parameters, which the model has now
            pairs = [np.ravel([box.to_unit(x) for x in points]) for points in (algorithm.ask().points, query["points"])]
            eubo, ours_eubo = (model.eubo(pair)[0] for pair in pairs)
            gradient = np.abs([slope, our_slope]).max()
            yield theirs - ours, eubo - ours_eubo, gradient, abs(query["metrics"]["acquisition"] - ours_eubo)


def main(results, path, name):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(f"{name} less our qEUBO on the same duels, after {', '.join(map(str, DUELS))} duels of each run")
    print(f"{'':17}{'log evidence + log prior':>38}{'EUBO':>38}{'largest':>10}{'record':>12}")
    print(f"{'problem':10}{'cases':>7}" + f"{'as good':>8}{'least':>10}{'median':>10}{'most':>10}" * 2 + f"{'gradient':>10}{'less model':>12}")
    for folder in sorted(pathlib.Path(results, "records").glob("*/qEUBO-Laplace")):
        cases = []
        for file in sorted(folder.glob("*.jsonl")):
            header, *steps, footer = [json.loads(line) for line in file.read_text().splitlines()]
            cases += compare(getattr(module, name), header, steps)
        *less, gradient, record = np.transpose(cases)
        text = [f"{(v > -AS_GOOD).sum():8}{v.min():10.1e}{np.median(v):10.1e}{v.max():10.1e}" for v in less]
        print(f"{folder.parent.name:10}{len(cases):7}" + "".join(text) + f"{gradient.max():10.1e}{record.max():12.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
