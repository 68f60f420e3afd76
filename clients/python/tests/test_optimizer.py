"""Optimizer against a bench that is written in Python, and against the real one where there is one."""

import copy
import gc
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

from helpers import CLIENT, Case

import popbench

# What bench serve popbo could be. The settings decide what goes wrong.
BENCH = """#!{python} -S
import os, sys, time
sys.path.insert(0, {client!r})
import popbench

class Popbo(popbench.Algorithm):
    name, version, arms = "popbo", "0.1.0", True
    def start(self, s):
        if "unknown" in s.settings: raise ValueError("settings: unknown key unknown")
        self.s, self.told = s, []
    def ask(self): return [self.told[-1][0][-1] if self.told else self.s.start, self.s.box.from_unit([len(self.told) / 8] * self.s.box.dim)]
    def tell(self, points, winner):
        if "die" in self.s.settings:
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(4)
        self.told.append((points, winner))
    def recommend(self): return [("max-mle", self.s.start), ("last", self.s.box.hi)]
    def metrics(self): return {{"told": len(self.told), "pilot": len(self.s.pilot)}}
    def belief(self, points): return [x[0] for x in points], [0] * len(points), [1] * len(points)
    def state(self): return self.told
    def restore(self, s, state): self.s, self.told = s, state

if sys.argv[1:] != ["serve", "popbo"]:
    print("bench: serve: there is no algorithm " + sys.argv[-1] + "; see bench list algorithms", file=sys.stderr)
    sys.exit(2)
popbench.serve(Popbo)
"""

POSIX = os.name == "posix"


@unittest.skipUnless(POSIX, "the stand-in of bench is a script")
class Fake(Case):
    def setUp(self):
        super().setUp()
        self.bench = self.write("bench", BENCH.format(python=sys.executable, client=CLIENT), 0o755)

    def optimizer(self, *args, **more):
        opt = popbench.Optimizer(*args, bench=self.bench, **more)
        self.addCleanup(opt.close)
        return opt

    def script(self, text):
        """A program of the protocol that is not what it should be, as a command."""
        return [sys.executable, "-S", self.write("script.py", text)]


class Experiments(Fake):
    def test_documentation(self):
        """The program of the module's documentation."""
        def utility(x):
            return -x[0]
        with popbench.Optimizer("popbo", lo=[18, 0], hi=[30, 1], bench=self.bench) as opt:
            self.assertEqual(opt.ask(), [[24, 0.5], [18, 0]])
            for step in range(4):
                a, b = opt.ask()
                opt.tell(preferred=1 if utility(b) > utility(a) else 0)
            self.assertEqual(opt.recommend(), [24, 0.5])
            self.assertEqual(opt.recommendations, [("max-mle", [24, 0.5]), ("last", [30, 1])])
            self.assertEqual(opt.metrics, {"told": 4, "pilot": 0})
            self.assertEqual((opt.name, opt.version, opt.capabilities["belief"]), ("popbo", "0.1.0", True))
            self.assertIn("python", opt.provenance)
            self.assertEqual(opt.belief([(18, 0), (19, 0)]), ([18, 19], [0, 0], [1, 1]))
            self.assertEqual([x[1] for x in opt.state()["state"]], [1, 0, 0, 0])
        with self.assertRaisesRegex(popbench.Error, "has ended"):
            opt.ask()

    def test_setup(self):
        opt = self.optimizer(lo=(0,), hi=(1,), start=(0.25,), steps=3, seed=5, stream="ab", settings={"a": 1},
                             known={"norm_bound": 2}, pilot=[([(0,), (1,)], 1)])
        start = opt.state()["start"]
        self.assertEqual(start, {"cell": "python", "box": {"lo": [0], "hi": [1]}, "start": [0.25], "steps": 3, "seed": 5, "stream": "ab",
                                 "settings": {"a": 1}, "known": {"norm_bound": 2}, "pilot": [{"points": [[0], [1]], "winner": 1}]})
        self.assertEqual(opt.metrics["pilot"], 1)
        opt = self.optimizer(arms=[(0, 0), (1, 1), (0.5, 0.5)])
        self.assertEqual(opt.state()["start"]["arms"], [[0, 0], [1, 1], [0.5, 0.5]])

    def test_tell(self):
        opt = self.optimizer(lo=[0], hi=[1])
        with self.assertRaisesRegex(popbench.Error, "call ask first"):
            opt.tell(preferred=0)
        query = opt.ask()
        self.assertEqual(opt.query, (query, 1))
        for wrong in ({}, {"preferred": 1, "winner": 1}):
            with self.assertRaisesRegex(popbench.Error, "index of the preferred"):
                opt.tell(**wrong)
        for wrong in (2, -1, 0.5, "1"):
            with self.assertRaisesRegex(popbench.Error, "^preferred is "):
                opt.tell(preferred=wrong)
        for wrong in (1, (0.25,)):  # the winner itself, and nothing else
            with self.assertRaisesRegex(popbench.Error, "give the index of the preferred point"):
                opt.tell(wrong)
        opt.tell([(0.25,), (0.75,)], 1)
        opt.tell([(0.75,), (1,)], winner=0)
        self.assertEqual(opt.state()["before"], [[0.75], [1]])
        query = opt.ask()
        opt.tell(preferred=query[1] > query[0])  # True and False are indices, too
        self.assertEqual(opt.state()["before"], query)
        with self.assertRaisesRegex(popbench.Error, r"points\[1\]\[0\] is 2.0, outside") as e:
            opt.tell([(0,), (2,)], 0)
        self.assertEqual(e.exception.code, -32602)
        self.assertEqual(opt.metrics["told"], 3)

    def test_values(self):
        program = self.script(f"import sys; sys.path.insert(0, {CLIENT!r})\n" + """
import popbench
class Learner(popbench.Algorithm):
    def start(self, s): self.s, self.best = s, (-9, s.start)
    def ask(self): return [self.s.start, self.s.box.hi]
    def tell_values(self, points, values): self.best = max([self.best] + list(zip(values, points)))
    def recommend(self): return self.best[1]
popbench.serve(Learner)
""")
        opt = popbench.Optimizer(program, lo=[0], hi=[1])
        self.addCleanup(opt.close)
        opt.ask()
        opt.tell(values=[1])
        self.assertEqual(opt.recommend(), [1])
        opt.tell([(0,), (0.25,), (0.125,)], values=[3, 2])
        self.assertEqual(opt.recommend(), [0.25])

    def test_ties(self):
        program = self.script(f"import sys; sys.path.insert(0, {CLIENT!r})\n" + """
import popbench
class Learner(popbench.Algorithm):
    ties = True
    def start(self, s): self.s, self.best = s, s.start
    def ask(self): return [self.s.start, self.s.box.hi]
    def tell(self, points, winner): self.best = [0.25] if winner is None else points[winner]
    def recommend(self): return self.best
popbench.serve(Learner)
""")
        opt = popbench.Optimizer(program, lo=[0], hi=[1])
        self.addCleanup(opt.close)
        opt.ask()
        opt.tell(tie=True)
        self.assertEqual(opt.recommend(), [0.25])
        with self.assertRaisesRegex(popbench.Error, "index of the preferred"):
            opt.tell(preferred=1, tie=True)
        opt.tell([(0,), (0.5,)], 1)
        self.assertEqual(opt.recommend(), [0.5])

    def test_state(self):
        opt = self.optimizer(lo=[0], hi=[1])
        opt.tell([(0.25,), (0.75,)], 1)
        query = opt.ask()
        again = self.optimizer(state=opt.state())
        self.assertEqual((again.ask(), again.state()), (query, opt.state()))
        with self.assertRaisesRegex(popbench.Error, "^restore: the state is of x 0.1.0, and this is popbo 0.1.0$"):
            self.optimizer(state=dict(opt.state(), name="x"))

    def test_wrong_arguments(self):
        for more, want in (({}, "give lo and hi"), ({"lo": [0], "hi": [1], "start": [2]}, r"start\[0\] is 2.0, outside"),
                           ({"lo": [0], "hi": [1], "seed": -1}, "seed is -1"), ({"lo": [1], "hi": [0]}, "above"),
                           ({"lo": [0], "hi": [1], "settings": {"unknown": 1}}, "^start: ValueError: settings: unknown key unknown "),
                           ({"lo": [0], "hi": [1], "known": {"kernle": {}}}, "known: there is no kernle"), ({"state": "{}"}, "json.loads"),
                           ({"lo": [0], "hi": [1], "settings": {"a": {1}}}, "^start: TypeError: there is an object of type set"),
                           ({"lo": [0], "hi": [1], "settings": {"a": float("nan")}}, "^start: ValueError")):
            with self.assertRaisesRegex(popbench.Error if more else TypeError, want):
                self.optimizer(**more)


class Finding(Fake):
    def test_argument_variable_path(self):
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        with mock.patch.dict(os.environ, {"PATH": other, "POPBENCH": ""}):
            with self.assertRaisesRegex(popbench.Error, "no program bench; install the wheel"):
                popbench.find_bench()
            with self.assertRaisesRegex(popbench.Error, "nowhere, from bench=, is not a program"):
                popbench.find_bench("nowhere")
            os.environ["PATH"] = self.folder
            self.assertEqual(popbench.find_bench(), self.bench)
            os.environ["POPBENCH"] = os.path.join(other, "mine")
            with self.assertRaisesRegex(popbench.Error, "from the variable POPBENCH, is not a program"):
                popbench.find_bench()
            os.symlink(self.bench, os.environ["POPBENCH"])
            self.assertEqual(popbench.find_bench(), os.environ["POPBENCH"])
            self.assertEqual(popbench.find_bench(self.bench), self.bench)

    def test_beside_the_module(self):
        site, scripts = os.path.join(self.folder, "site"), os.path.join(self.folder, "scripts")
        os.mkdir(scripts)
        os.symlink(self.bench, os.path.join(scripts, "bench"))
        paths = {"purelib": site, "platlib": site, "scripts": scripts}
        with mock.patch.dict(os.environ, {"PATH": self.folder, "POPBENCH": ""}), \
                mock.patch("sysconfig.get_path", lambda name, scheme: paths[name]):
            self.assertEqual(popbench.find_bench(), self.bench)  # the module is not installed there
            with mock.patch("popbench.__file__", os.path.join(site, "popbench.py")):
                self.assertEqual(popbench.find_bench(), os.path.join(scripts, "bench"))


class Failures(Fake):
    def test_copy(self):
        opt = self.optimizer(lo=[0], hi=[1])
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(popbench.Error, "an Optimizer cannot be copied"):
                copied(opt)

    def test_no_such_algorithm(self):
        with self.assertRaisesRegex(popbench.Error, r"bench serve nothing ended \(exit code 2\): bench: serve: there is no algorithm nothing"):
            self.optimizer("nothing", lo=[0], hi=[1])

    def test_death(self):
        opt = self.optimizer(lo=[0], hi=[1], settings={"die": True})
        opt.ask()
        with self.assertRaisesRegex(popbench.Error, r"^tell: .*bench serve popbo ended \(exit code 4\): out of memory$"):
            opt.tell(preferred=0)
        with self.assertRaisesRegex(popbench.Error, "has ended"):
            opt.recommend()

    def test_no_program_of_the_protocol(self):
        for script, want in (("echo 'Welcome!'", "it printed b?'Welcome!"), ("echo '[1]'", "it printed"), ("", r"ended \(exit code 0\)"),
                             ("echo 'no licence' >&2; exit 1", r"ended \(exit code 1\): no licence"),
                             ("""echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"kind":"problem"}}'""", "is not an algorithm"),
                             ("""echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":2,"kind":"algorithm"}}'""", "speaks protocol 1"),
                             ("""echo '{"jsonrpc":"2.0","id":1}'""", "has no result")):
            with self.assertRaisesRegex(popbench.Error, want):
                popbench.Optimizer(["sh", "-c", script], lo=[0], hi=[1])
        with self.assertRaisesRegex(popbench.Error, "nowhere cannot be started"):
            popbench.Optimizer([os.path.join(self.folder, "nowhere")], lo=[0], hi=[1])

    def test_close_ends_a_program_that_does_not_listen(self):
        """The end of its input and SIGTERM are not enough for this one."""
        program = self.script("""
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for answer in ('{"protocol":1,"kind":"algorithm"}', '{}'):
    sys.stdin.readline()
    print('{"jsonrpc":"2.0","id":%d,"result":%s}' % (1 + (answer == '{}'), answer), flush=True)
while True: time.sleep(1)
""")
        with mock.patch("popbench._PATIENCE", 0.1):
            opt = popbench.Optimizer(program, lo=[0], hi=[1])
            opt.close()
        self.assertEqual(opt._child.process.poll(), -signal.SIGKILL)
        opt.close()

    def test_forgotten(self):
        """An experiment that nobody refers to any more ends its program."""
        opt = popbench.Optimizer(lo=[0], hi=[1], bench=self.bench)
        process = opt._child.process
        del opt
        gc.collect()
        self.assertEqual(process.poll(), 0)

    def test_interrupt(self):
        """An answer that nobody waited for is not taken for the next one; Ctrl-C does not reach the child."""
        opt = self.optimizer(lo=[0], hi=[1])
        self.assertNotEqual(os.getpgid(opt._child.process.pid), os.getpgrp())
        with mock.patch.object(opt._child.process, "stdout") as stdout, self.assertRaises(KeyboardInterrupt):
            stdout.readline.side_effect = KeyboardInterrupt
            opt.ask()
        self.assertEqual(opt.recommend(), [0.5])

    def test_interrupted_tell(self):
        """The algorithm has the answer: the old query is not asked, and cannot be answered, a second time."""
        opt = self.optimizer(lo=[0], hi=[1])
        query = opt.ask()
        with mock.patch.object(opt._child.process, "stdout") as stdout, self.assertRaises(KeyboardInterrupt):
            stdout.readline.side_effect = KeyboardInterrupt
            opt.tell(preferred=1)
        with self.assertRaisesRegex(popbench.Error, "call ask first"):
            opt.tell(preferred=1)
        self.assertEqual(opt.metrics["told"], 1)
        self.assertNotEqual(opt.ask(), query)
        query = opt.ask()
        with self.assertRaisesRegex(popbench.Error, "outside"):
            opt.tell([(0,), (2,)], 0)
        self.assertEqual(opt._query, (query, 1))  # a refused answer changes nothing

    def test_child_ends_with_its_parent(self):
        """However Python ends: without close, or killed."""
        for end in ("sys.exit()", "os.kill(os.getpid(), 9)"):
            program = self.script(f"""
import os, sys
sys.path.insert(0, {CLIENT!r})
import popbench
opt = popbench.Optimizer(lo=[0], hi=[1], bench={self.bench!r})
print(opt._child.process.pid, flush=True)
{end}
""")
            child = int(subprocess.run(program, stdout=subprocess.PIPE).stdout)
            for _ in range(3000):
                try:
                    os.kill(child, 0)
                    with open(f"/proc/{child}/stat") as f:
                        if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                            break  # nobody reaps here
                except OSError:
                    break
                time.sleep(0.01)
            else:
                self.fail(f"the child is still there after {end}")


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            bench = popbench.find_bench()
        except popbench.Error as e:
            raise unittest.SkipTest(str(e))
        if subprocess.run([bench, "serve", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode != 0:
            raise unittest.SkipTest(f"{bench} has no command serve")

    def test_popbo(self):
        """Twelve comparisons of a known function, saved and continued in the middle."""
        def utility(x):
            return -(x[0] - 21) ** 2 - 4 * (x[1] - 0.3) ** 2
        queries = []
        for save in (False, True):
            rng, told = random.Random(1), []
            opt = popbench.Optimizer("popbo", lo=[18, 0], hi=[30, 1], seed=3, settings={"norm_bound": 3})
            for step in range(6):
                if save and step == 3:
                    state = opt.state()
                    opt.close()
                    opt = popbench.Optimizer("popbo", state=state)
                query = opt.ask()
                told.append(query)
                opt.tell(preferred=max(range(2), key=lambda i: utility(query[i])))
            told.append(opt.recommend())
            belief = opt.belief([told[-1], [18, 0]])
            self.assertTrue(all(l <= e <= u for e, l, u in zip(*belief)), belief)
            self.assertGreater(len(opt.recommendations), 1)
            self.assertIn("newton", opt.metrics)
            # As declared: JSON has 30 for 30.0, of which numpy makes integers, which cut what is put there.
            for number in (*opt.metrics.values(), *(v for _, x in opt.recommendations for v in x)):
                self.assertIs(type(number), float)
            with self.assertRaises(popbench.Error):
                opt.tell([[18, 0], [99, 0]], 0)
            opt.close()
            queries.append(told)
            self.assertTrue(popbench.Box([18, 0], [30, 1]).contains(told[-1]))
        self.assertEqual(queries[0], queries[1])


if __name__ == "__main__":
    unittest.main()
