"""run: against a bench that is a script, and against the real one where there is one."""

import contextlib
import io
import os
import pickle
import subprocess
import sys
import time
import unittest
from unittest import mock

from helpers import CLIENT, Case

import popbench

SUITE = """
name: small
steps: 3
repetitions: 2
problems:
  - {name: beale}
algorithms:
  - {name: random, label: Random}
"""

FAILS = """
  - {name: external, label: Fails, command: ["PYTHON", "-S", fails.py]}
"""

PROGRAM = """
import sys
sys.path.insert(0, CLIENT)
import popbench

class Fails(popbench.Algorithm):
    def start(self, s): raise ValueError("no start")
    def ask(self): pass
    def tell(self, points, winner): pass
    def recommend(self): pass

popbench.serve(Fails)
"""


def quietly(*args, **more):
    """What run returns, and what it writes to sys.stderr."""
    log = io.StringIO()
    with contextlib.redirect_stderr(log):
        return popbench.run(*args, **more), log.getvalue()


@unittest.skipUnless(os.name == "posix", "the stand-in of bench is a script")
class Fake(Case):
    def bench(self, program):
        lines = f"#!{sys.executable} -S\nimport os, sys, time\n{program}"
        return self.write("bench", lines, 0o755)

    def test_arguments(self):
        bench = self.bench("print('results: ' + ' '.join(sys.argv[1:]))")
        for args, more, want in (
            (("quick",), {}, "run quick"),
            ((os.path.join("a", "b.yaml"),), {"seeds": 3, "workers": 2, "force": True}, "run a/b.yaml --seeds 3 --workers 2 --force"),
            (("quick",), {"seeds": "31-60"}, "run quick --seeds 31-60"),
            (("--help",), {}, "run ./--help"),
        ):
            self.assertEqual(quietly(*args, bench=bench, **more), (want, f"results: {want}\n"))
            self.assertEqual(quietly(*args, bench=bench, quiet=True, **more), (want, ""))
        bench = self.bench("assert sys.argv[3:] == ['--out', 'some folder']; print('results: another')")
        self.assertEqual(quietly("quick", "some folder", bench=bench)[0], "some folder")

    def test_failures(self):
        """Failed cells and a suite that cannot be run are different errors, with the words of bench."""
        for code, kind, said, want in (
            (1, popbench.FailedCells, "bench: 2 cells failed\nbench: 1 cell failed; run again\n", "2 cells failed; 1 cell failed; run again"),
            (2, popbench.Error, "bench: a.yaml:3: unknown key\n", "a.yaml:3: unknown key"),
            (3, popbench.Error, "what?\n", os.path.join(self.folder, "bench") + " run a.yaml ended (exit code 3)"),
        ):
            bench = self.bench(f"print('results: results/a', flush=True); sys.stderr.write({said!r}); sys.exit({code})")
            with self.assertRaises(popbench.Error) as e:
                quietly("a.yaml", bench=bench)
            self.assertEqual((type(e.exception), str(e.exception)), (kind, want))
            self.assertEqual(getattr(e.exception, "folder", None), "results/a" if code == 1 else None)
            again = pickle.loads(pickle.dumps(e.exception))  # as from another process
            self.assertEqual((type(again), str(again), vars(again)), (kind, want, vars(e.exception)))

    def test_another_program(self):
        """A program that is not bench may well succeed."""
        for out in (None, "folder"):
            with self.assertRaisesRegex(popbench.Error, "bench run a.yaml named no results folder; is it bench"):
                quietly("a.yaml", out, bench=self.bench(""))

    def test_interrupt(self):
        """bench ends when the caller is interrupted."""
        bench = self.bench("print('working', flush=True); time.sleep(60)")
        started = []

        class Process(subprocess.Popen):
            def __init__(self, *args, **more):
                super().__init__(*args, **more)
                started.append(self)

        begin = time.monotonic()
        with mock.patch("subprocess.Popen", Process), mock.patch.object(popbench, "_PATIENCE", 0.1), \
                mock.patch("sys.stderr", mock.Mock(write=mock.Mock(side_effect=KeyboardInterrupt))):
            with self.assertRaises(KeyboardInterrupt):
                popbench.run("quick", bench=bench)
        self.assertIsNotNone(started[0].poll())
        self.assertLess(time.monotonic() - begin, 30)


@unittest.skipUnless(os.environ.get("POPBENCH"), "POPBENCH names no bench")
class Real(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_run(self):
        """A suite, and again, where its results are."""
        self.write("small.yaml", SUITE)
        folder, log = quietly("small.yaml", workers=1)
        self.assertEqual(folder, os.path.join("results", "small"))
        self.assertIn("2 cells run", log)
        rows = list(popbench.read(folder))
        self.assertEqual([(r["repetition"], r["step"]) for r in rows], [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)])
        self.assertEqual(quietly("small.yaml", quiet=True), (folder, ""))
        self.assertEqual(quietly("small.yaml", "other", seeds="3-4", quiet=True), ("other", ""))
        self.assertEqual({r["repetition"] for r in popbench.read("other")}, {2, 3})

    def test_failures(self):
        self.write("small.yaml", SUITE + FAILS.strip("\n").replace("PYTHON", sys.executable))
        self.write("fails.py", PROGRAM.replace("CLIENT", repr(CLIENT)))
        with self.assertRaisesRegex(popbench.FailedCells, "^2 cells failed, .*no start") as e:
            quietly("small.yaml")
        self.assertEqual({r["algorithm"] for r in popbench.read(e.exception.folder)}, {"Random"})
        self.write("small.yaml", SUITE + "stepss: 3\n")
        with self.assertRaisesRegex(popbench.Error, "small.yaml:.*stepss.*did you mean steps") as e:
            quietly("small.yaml")
        self.assertNotIsInstance(e.exception, popbench.FailedCells)

    def test_archive(self):
        """An archive and a compact folder have the rows of the folder, without points."""
        self.write("small.yaml", SUITE.replace("name: random, label: Random", "name: popbo, settings: {norm_bound: 3}, pilot: 10"))
        folder, _ = quietly("small.yaml")
        for form in ("compact", "archive"):
            subprocess.run([popbench.find_bench(), "export", folder, "--format", form], check=True, capture_output=True)
        want = [r for r in popbench.read(folder) if r["selected"]]
        self.assertEqual(len(want), 6)
        for path in (folder + ".zip", os.path.join(folder, "export", "compact")):
            got = list(popbench.read(path))
            for r in got:
                self.assertIsNone(r["x"])
                self.assertIsNone(r["points"])
            self.assertEqual(*([{k: v for k, v in r.items() if k not in ("x", "points") and not k.startswith("metric_")} for r in rows]
                               for rows in (got, want)))


if __name__ == "__main__":
    unittest.main()
