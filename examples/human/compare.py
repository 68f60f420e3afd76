"""Find the room temperature and air speed that you like best, by comparing two rooms at a time.

    python3 compare.py [STATE-FILE]

POP-BO chooses the rooms. Answer 1 or 2, or q to stop. A file keeps every answer, and the experiment
continues where you stopped.
"""

import json
import os
import sys

import popbench

UNITS = ["°C", "m/s"]


def describe(x):
    return ", ".join(f"{value:.2f} {unit}" for value, unit in zip(x, UNITS))


def new_experiment():
    settings = {"kernel": {"family": "se-half", "lengthscale": [4, 0.4]}, "norm_bound": 3}
    return popbench.Optimizer("popbo", lo=[18, 0], hi=[30, 1], settings=settings)


def open_experiment(file):
    if not file or not os.path.exists(file):
        return new_experiment()
    with open(file) as f:
        state = json.load(f)
    try:
        return popbench.Optimizer("popbo", state=state)
    except popbench.Error as e:  # such as a state of another version, whose answers are learnt again
        print(f"{e}; doing so")
        opt = new_experiment()
        for answer in state["comparisons"]:
            opt.tell(answer["points"], answer["winner"])
        return opt


def save(opt, file):
    if file:
        with open(file + ".new", "w") as f:
            json.dump(opt.state(), f)
        os.replace(file + ".new", file)  # an interruption leaves the old file or the new one


def main():
    file = sys.argv[1] if len(sys.argv) > 1 else None
    with open_experiment(file) as opt:
        while True:
            first, second = opt.ask()
            print(f"1: {describe(first)}\n2: {describe(second)}")
            try:
                answer = input("Which do you prefer (1, 2, or q to stop)? ").strip()
            except EOFError:
                answer = "q"
            if answer == "q":
                break
            if answer not in ("1", "2"):
                print("Please answer 1, 2 or q.")
                continue
            opt.tell(preferred=int(answer) - 1)
            save(opt, file)
        best = opt.recommend()
        belief = opt.belief([best])
        print(f"\nYour room: {describe(best)} (utility between {belief.lower[0]:.2f} and {belief.upper[0]:.2f})")


if __name__ == "__main__":
    main()
