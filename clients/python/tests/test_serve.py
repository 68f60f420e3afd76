"""The programs' side of the protocol: serve, Algorithm and Problem, over pipes."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from textwrap import dedent

from helpers import CLIENT, MINE, START, Case, Host

import popbench

# Every method of an algorithm. Settings decide what goes wrong.
FULL = """
import popbench

class Full(popbench.Algorithm):
    name, version, provenance, deterministic, arms = "full", "3", {"commit": "abc"}, False, True

    def start(self, s):
        if s.settings.get("undefined"): raise popbench.Undefined("not in two\\ndimensions")
        self.s, self.told, self.asks, self.recommends = s, [], 0, 0
    def ask(self):
        self.asks += 1
        if "ask" in self.s.settings: return eval(self.s.settings["ask"])
        return [self.s.start, (len(self.told) / 8, 0)]
    def tell(self, points, winner):
        if self.s.settings.get("tell"): raise KeyError("no\\nsuch point")
        self.told.append((points, winner))
        points[0][0] = 99  # a copy
    def recommend(self):
        self.recommends += 1
        if "recommend" in self.s.settings: return eval(self.s.settings["recommend"])
        return [("best", self.s.start), ("last", (0.25, 0))]
    def metrics(self):
        if "metrics" in self.s.settings: return eval(self.s.settings["metrics"])
        return {"asks": (self.asks, "work"), "recommends": self.recommends, "told": len(self.told)}
    def belief(self, points):
        if "belief" in self.s.settings: return eval(self.s.settings["belief"])
        return [x[0] for x in points], [0] * len(points), [1] * len(points)
    def state(self):
        if "state" in self.s.settings: return eval(self.s.settings["state"])
        return [self.told, self.asks, self.recommends]
    def restore(self, s, state):
        self.s, (self.told, self.asks, self.recommends) = s, state

popbench.serve(Full)
"""

QUERY = {"points": [[0.5, 0], [0.25, 0.5]], "new": 1}


def setUpModule():
    """Starts the program that most tests share: each start is of a new object."""
    global shared
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    path = os.path.join(folder.name, "program.py")
    with open(path, "w") as f:
        f.write(FULL)
    shared = Host(path, unittest.addModuleCleanup)
    shared.begin()


def full(**settings):
    """The shared program at the start of a run."""
    shared.call("start", **dict(START, settings=settings))
    return shared


class Conversation(Case):
    def test_initialize(self):
        host = self.serve(FULL)
        first = host.begin()
        self.assertEqual(first["capabilities"], {"belief": True, "state": True, "arms": True, "deterministic": False})
        self.assertEqual((first["name"], first["version"], first["provenance"]["commit"]), ("full", "3", "abc"))
        self.assertIn("Python", first["provenance"]["python"])
        self.assertEqual(first["provenance"]["popbench"], popbench.__version__)
        host = self.serve(FULL)
        for version in (0, -1, "1", None, 1.5):
            code, _ = host.error("initialize", protocol=version)
            self.assertEqual(code, -32003 if version == 0 else -32602, version)
        self.assertEqual(host.call("initialize", protocol=9), first)  # the same at every start; the host may speak later versions

    def test_packages(self):
        self.write("numbers_.py", "__version__ = '1.2'\n")
        os.mkdir(os.path.join(self.folder, "site-packages"))
        provenance = self.serve("import json, logging, numbers_\n" + MINE).begin()["provenance"]
        self.assertEqual(provenance["numbers_"], "1.2")
        self.assertNotIn("logging", provenance)

    def test_errors(self):
        host = self.serve(MINE)
        for line, code in ((b"what", -32700), (b"[1", -32700), (b"\xff", -32700), (b'{"jsonrpc":"2.0","id":1,"method":NaN}', -32700),
                           (b"[" * 100000, -32700), (b"[]", -32600), (b"1", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"ask"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1}', -32600)):
            answer = json.loads(host.line(line))
            self.assertEqual((answer["id"], answer["error"]["code"]), (None, code), line[:50])
        self.assertEqual(host.error("ask")[0], -32600)
        host.call("initialize", protocol=1)
        self.assertEqual(host.error("initialize", protocol=1)[0], -32600)
        for method in ("ask", "tell", "recommend"):
            self.assertEqual(host.error(method), (-32600, method + ": start comes first"))
        for method in ("belief", "state", "restore", "describe", "evaluate", "Ask", "__init__", ""):
            self.assertEqual(host.error(method)[0], -32601, method)
        answer = json.loads(host.line(b'{"jsonrpc":"2.0","id":"x","method":"ask","params":[1]}'))
        self.assertEqual((answer["id"], answer["error"]["code"]), ("x", -32602))
        host.call("start", **START)

    def test_long_lines(self):
        host = self.serve("import popbench\npopbench.MAX_LINE = 100000\n" + MINE)
        long = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1, "more": "x" * 200000}})
        answer = json.loads(host.line(long.encode()))
        self.assertEqual((answer["id"], answer["error"]["code"]), (None, -32600))
        host.begin()

    def test_start_is_checked(self):
        host = full()
        for change, want in (
            ({"box": None}, "box is missing, not an object"), ({"box": {"lo": [0]}}, "box.hi is missing, not a list"),
            ({"box": {"lo": [0, 0], "hi": [1]}}, "hi has 1 number, not 2"), ({"box": {"lo": [2, 0], "hi": [1, 1]}}, "lo[0]"),
            ({"start": [0.5]}, "start has 1 number, not 2"), ({"start": [0.5, 1.5]}, "start[1] is 1.5, outside [-1.0, 1.0]"),
            ({"start": [0.5, "0"]}, "start[1] is '0', not a number"), ({"start": [0.5, True]}, "start[1] is True, not a number"),
            ({"seed": -1}, "seed is -1"), ({"seed": 1 << 53}, "seed is 9007199254740992"), ({"steps": 1.5}, "steps is 1.5"),
            ({"settings": [1]}, "settings is [1], not an object"), ({"pilot": [{"points": [[0, 0], [1, 1]]}]}, "pilot[0].winner is missing"),
            ({"pilot": [{"points": [[0, 0]], "winner": 0}]}, "pilot[0].points has 1 point, not 2 or more"),
            ({"pilot": [{"points": [[0, 0], [1, 1]], "winner": 2}]}, "pilot[0].winner is 2, not a whole number from 0 to 1"),
            ({"arms": [[0, 0], [1]]}, "arms[1] has 1 number, not 2"), ({"arms": [[0, 0], [1, 1]]}, "start is none of the 2 arms"),
        ):
            host.call("start", **START)
            host.call("tell", points=[[0, 0], [1, 1]], new=2, winner=0)
            before = host.call("ask")
            code, message = host.error("start", **dict(START, **change))
            self.assertEqual(code, -32602, change)
            self.assertIn(want, message)
            self.assertEqual(host.call("ask"), before)  # the earlier run goes on

    def test_undefined(self):
        self.assertEqual(full().error("start", **dict(START, settings={"undefined": True})), (-32001, "not in two dimensions"))
        full()

    def test_sign_of_zero(self):
        shared.line(b'{"jsonrpc":"2.0","id":8,"method":"start","params":{"box":{"lo":[-1],"hi":[1]},"start":[-0],'
                    b'"settings":{"ask":"[self.s.start, (1,)]"}}}')
        self.assertIn(b'"points":[[-0.0],', shared.line(b'{"jsonrpc":"2.0","id":9,"method":"ask"}'))

    def test_a_new_object_for_each_start(self):
        host = self.serve(MINE.replace("def start(self, s):", "def start(self, s):\n        assert not hasattr(self, 'box');"))
        host.begin()
        host.call("start", **START)
        # An object that is given to serve stays the same.
        host = self.serve(MINE.replace("serve(Mine)", "serve(Mine())"))
        host.begin()
        first = host.call("ask")
        host.call("start", **START)
        self.assertEqual(host.call("ask"), first)
        self.serve(MINE.replace("serve(Mine)", "serve(lambda: Mine())")).begin()

    def test_a_class_may_change_what_it_is_given(self):
        host = self.serve(MINE.replace("self.rng = s.box", "self.rng = s.settings['a'].clear() or s.box").replace(
            "def ask(self):", "def ask(self): self.best[0] = 0.75; self.box.lo[0] = 0.5;").replace(
            "popbench.serve", "    def state(self): return 0\n    def restore(self, s, state): self.start(s)\npopbench.serve"))
        host.begin(settings={"a": {"b": 1}})
        self.assertEqual(host.call("ask")["new"], 2)  # neither is the start
        host.call("tell", points=[[0.5, 0], [0, 0]], new=1, winner=1)
        self.assertEqual(host.call("state")["state"]["start"]["settings"], {"a": {"b": 1}})

    def test_settings(self):
        """A class that declares its settings gets them with their defaults, and refuses others."""
        host = self.serve(MINE.replace("def start", "settings = {'a': 1, 'b': [2]}\n    def start").replace(
            "self.box, self.best", "s.settings['b'].append(3); self.shown, self.box, self.best").replace(
            "= s.box", "= str(s.settings), s.box").replace("return self.best", "return [(self.shown, self.best)]"))
        host.call("initialize", protocol=1)
        for settings, want in ({}, "{'a': 1, 'b': [2, 3]}"), ({"a": 5}, "{'a': 5, 'b': [2, 3]}"):
            host.call("start", **dict(START, settings=settings))
            self.assertEqual(host.call("recommend")["recommendations"][0]["rule"], want)
        self.assertEqual(host.error("start", **dict(START, settings={"A": 5})), (-32602, "settings: there is no A; Mine has a, b"))

    def test_incomplete_classes(self):
        for change, want in (("def ask", "does not define ask"), ("def tell", "does not define tell"), ("def start", "does not define start")):
            host = self.serve(MINE.replace(change, change + "_"))
            self.assertIn(want, host.error("initialize", protocol=1)[1])
        host = self.serve(PROBLEM.format("1").replace("def evaluate", "def value"))
        self.assertIn("class Moulding does not define evaluate", host.error("initialize", protocol=1)[1])
        self.assertIn("only one of state and restore", self.serve(FULL.replace("def state", "def state_")).error("initialize", protocol=1)[1])
        self.assertIn("class dict is not a popbench.Algorithm", self.serve(MINE.replace("serve(Mine)", "serve(dict)")).error("initialize", protocol=1)[1])


class Answers(Case):
    def test_ask_and_recommend_change_nothing(self):
        """The class's ask and recommend are called once between two answers, whatever the host asks."""
        host = full()
        for step in range(3):
            self.assertEqual(host.call("recommend"), host.call("recommend"))
            query = host.call("ask")
            self.assertEqual(query, {"points": [[0.5, 0], [step / 8, 0]], "new": 1})
            self.assertEqual(host.call("ask"), query)
            host.call("tell", points=query["points"], new=1, winner=0)
        values = {m["name"]: m["value"] for m in host.call("recommend")["metrics"]}
        self.assertEqual(values, {"asks": 3, "recommends": 4, "told": 3})

    def test_tell_of_another_query(self):
        host = full()
        first = host.call("ask")
        host.call("tell", points=[[0.25, 0], [0, 0], [1, 1]], new=3, winner=2)
        self.assertNotEqual(host.call("ask"), first)
        self.assertEqual(host.call("state")["state"]["state"][0][0][1], 2)

    def test_refused_tell_changes_nothing(self):
        host = full()
        query, state = host.call("ask"), host.call("state")
        for change, want in (({"winner": 2}, "winner is 2"), ({"winner": -1}, "winner is -1"), ({"winner": None}, "winner is missing"),
                             ({"winner": 0.5}, "winner is 0.5"), ({"new": 3}, "new is 3"), ({"new": None}, "new is missing"),
                             ({"points": None}, "points is missing"), ({"points": [[0, 0]]}, "points has 1 point"),
                             ({"points": [[0, 0], [0]]}, "points[1] has 1 number, not 2"),
                             ({"points": [[0, 0], [0, 2]]}, "points[1][1] is 2.0, outside [-1.0, 1.0]"),
                             ({"points": [[0, 0], [0, "1"]]}, "points[1][1] is '1', not a number")):
            code, message = host.error("tell", **dict(QUERY, winner=0, **change) if "winner" not in change else dict(QUERY, **change))
            self.assertEqual(code, -32602, change)
            self.assertIn(want, message)
        self.assertEqual((host.call("ask"), host.call("state")), (query, state))

    def test_new(self):
        """Points are new from the first one on that is neither in the query before nor the start; all if there is none."""
        told = [[0.25, 0], [0.75, 0]]
        for answer, new in (([told[0], [1, 1]], 1), ([told[1], told[0]], 2), ([[1, 1], told[0]], 2), ([START["start"], told[0], [1, 1]], 1),
                            ([[0, 0], [1, 1]], 2)):
            host = full(ask=repr(answer))
            host.call("tell", points=[[0, 0], [1, 1]], new=2, winner=0)
            host.call("tell", points=told, new=2, winner=0)
            self.assertEqual(host.call("ask"), {"points": answer, "new": new})
        host = full(ask="popbench.Query([(0, 0), (1, 1)], 1)")
        self.assertEqual(host.call("ask")["new"], 1)

    def test_wrong_answers_name_the_field(self):
        host = full()
        for setting, text, want in (
            ("ask", "[(0, 0), (0, float('nan'))]", "points[1][1] is nan, not a finite number"),
            ("ask", "[(0, 0), (0, float('-inf'))]", "points[1][1] is -inf, not a finite number"),
            ("ask", "[(0, 0), (0, 10**400)]", "points[1][1] is 1000"),
            ("ask", "[(0, 0)]", "points has 1 point, not 2 or more"), ("ask", "None", "it returned None"),
            ("ask", "[(0, 0), (0, 0, 0)]", "points[1] has 3 numbers, not 2"), ("ask", "'ab'", "points is 'ab', not a list"),
            ("ask", "[(0, 0), (0, 'x')]", "points[1][1] is 'x', not a number"), ("ask", "[(0, 0), (0, None)]", "points[1][1] is missing"),
            ("ask", "popbench.Query([(0, 0), (1, 1)], 3)", "new is 3"), ("ask", "[0, 1]", "points[0] is 0, not a list"),
            ("recommend", "[0, float('nan')]", "recommendations[0].x[1] is nan"), ("recommend", "None", "it returned None"),
            ("recommend", "[('a', (0, 0)), ('b', (0,))]", "recommendations[1].x has 1 number, not 2"),
            ("recommend", "[('a', (0, 0), 1)]", "recommendations[0] is"), ("recommend", "[(1, (0, 0))]", "recommendations[0].rule is 1, not a text"),
            ("metrics", "{'a': float('inf')}", "metrics: a is inf"), ("metrics", "{'a': (1, 'time')}", "a is of kind 'time'"),
            ("belief", "([0], [1])", "belief has 2 parts, not 3; Full.belief (program.py:25) has to return estimate, lower and upper"), ("belief", "([0], [1], [float('nan')])", "upper[0] is nan"),
            ("belief", "([0], [1], [1, 2])", "upper has 2 numbers, not 1"),
            ("state", "float('nan')", "state is not JSON: "), ("state", "{1, 2}", "state is not JSON: "),
            ("state", "'x' * popbench.MAX_STATE", "at most 16777216 may be saved"),
        ):
            host.call("start", **dict(START, settings={setting: text}))
            method = "recommend" if setting == "metrics" else setting
            code, message = host.error(method, **({"points": [[0, 0]]} if method == "belief" else {}))
            self.assertEqual(code, -32000)
            self.assertIn(want, message)
            host.call("start", **START)
            host.call("ask")

    def test_arrays(self):
        """Whatever behaves like an array or a number of numpy is taken."""
        host = self.serve(dedent("""
            class Number:
                def __float__(self): return 0.25
            class Array:
                def __init__(self, *v): self.v = v
                def tolist(self): return list(self.v)
            """) + FULL)
        host.begin(settings={"ask": "Array(Array(0, Number()), (Number(), 1))", "recommend": "Array(Number(), 0)",
                             "belief": "Array(1), Array(0), (Number(),)"})
        self.assertEqual(host.call("ask")["points"], [[0, 0.25], [0.25, 1]])
        self.assertEqual(host.call("recommend")["recommendations"], [{"rule": "own", "x": [0.25, 0]}])
        self.assertEqual(host.call("belief", points=[[0, 0]]), {"estimate": [1], "lower": [0], "upper": [0.25]})

    def test_numpy(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("there is no numpy")
        host = self.serve("import numpy\n" + FULL, site=True)
        provenance = host.begin(settings={"ask": "numpy.array([[0, 0.1], [1, 1]])", "recommend": "numpy.float32([0.5, 0])",
                                          "metrics": "{'a': numpy.int64(3), 'b': numpy.float32(0.5)}"})["provenance"]
        self.assertIn("numpy", provenance)
        self.assertEqual(host.call("ask")["points"], [[0, 0.1], [1, 1]])
        recommended = host.call("recommend")
        self.assertEqual(recommended["recommendations"][0]["x"], [0.5, 0])
        self.assertEqual([m["value"] for m in recommended["metrics"]], [3, 0.5])

    def test_metrics_have_the_same_names_every_time(self):
        host = full(metrics="{'a': 1, **({'b': 2} if self.told else {})}")
        host.call("recommend")
        host.call("tell", winner=0, **QUERY)
        self.assertIn("of the same names every time", host.error("recommend")[1])
        host.call("start", **dict(START, settings={"metrics": "{'c': 1}"}))  # another run, perhaps in another dimension
        self.assertEqual([m["name"] for m in host.call("recommend")["metrics"]], ["c"])

    def test_rules_and_metrics(self):
        host = full()
        host.call("ask")
        self.assertEqual(host.call("recommend"), {
            "recommendations": [{"rule": "best", "x": [0.5, 0]}, {"rule": "last", "x": [0.25, 0]}],
            "metrics": [{"name": "asks", "value": 1, "kind": "work"}, {"name": "recommends", "value": 1, "kind": "state"},
                        {"name": "told", "value": 0, "kind": "state"}]})

    def test_values(self):
        host = self.serve(MINE.replace("def tell(self, points, winner): self.best = points[winner]",
                                       "def tell_values(self, points, values): self.best = points[values.index(max(values))]"))
        self.assertEqual(host.begin()["capabilities"], {"values": True})
        host.call("tell", points=[[0.5, 0], [0.25, 0], [0.75, 0]], new=2, values=[1, 2])
        self.assertEqual(host.call("recommend")["recommendations"][0]["x"], [0.75, 0])
        for params in ({"winner": 0}, {"values": [1]}, {"values": [1, 2, 3]}, {"values": ["1", 2]}):
            self.assertEqual(host.error("tell", points=[[0.5, 0], [0.25, 0], [0.75, 0]], new=2, **params)[0], -32602)

    def test_belief(self):
        host = full()
        self.assertEqual(host.call("belief", points=[[0.25, 0], [1, 1]]), {"estimate": [0.25, 1], "lower": [0, 0], "upper": [1, 1]})
        self.assertEqual(host.error("belief", points=[[0, 9]])[0], -32602)
        self.assertEqual(host.error("belief", points=[])[0], -32602)


class States(Case):
    STATEFUL = MINE.replace("popbench.serve", """
    def state(self): return [self.best, self.rng.getstate()]
    def restore(self, s, state):
        self.start(s)
        self.best, (version, words, gauss) = state
        self.rng.setstate((version, tuple(words), gauss))

popbench.serve""")

    def test_continues(self):
        """A run that is saved and restored before and after ask, and after an answer, goes on as one that is not."""
        straight = self.serve(self.STATEFUL)
        straight.begin()
        saved = self.serve(self.STATEFUL)
        saved.begin()

        def again(host):
            state = host.call("state")
            self.assertEqual(host.call("state"), state)
            host = self.serve(self.STATEFUL)
            host.call("initialize", protocol=1)
            host.call("restore", **state)
            return host
        for step in range(2):
            saved = again(saved)
            query = straight.call("ask")
            self.assertEqual(saved.call("ask"), query)
            if step == 0:
                saved = again(saved)
            self.assertEqual(saved.call("ask"), query)
            for host in (straight, saved):
                host.call("tell", winner=step % 2, **query)
            self.assertEqual(saved.call("recommend"), straight.call("recommend"))

    def test_numpy(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("there is no numpy")
        host = self.serve("import numpy\n" + FULL, site=True)
        host.begin(settings={"state": "{'x': numpy.array([[0.1, 1]]), 'n': numpy.int64(3)}"})
        self.assertEqual(host.call("state")["state"]["state"], {"x": [[0.1, 1]], "n": 3})

    def test_refuses(self):
        host = self.serve(self.STATEFUL)
        host.begin()
        state = host.call("state")["state"]
        query = host.call("ask")
        for other in (dict(state, version="1"), dict(state, name="Other"), {}, None, [], dict(state, start=None)):
            self.assertEqual(host.error("restore", state=other)[0], -32602, other)
        self.assertEqual(host.error("restore", state=dict(state, state=[1]))[0], -32000)
        self.assertEqual(host.call("ask"), query)


class Noise(Case):
    def test_standard_output_is_for_messages(self):
        """Whatever prints, from the interpreter, from C or from a child, before popbench serves and after."""
        program = dedent("""
            import popbench
            import ctypes, os, subprocess, sys
            def shout(when):
                print("print", when)
                sys.stdout.write("write " + when + " without an end")
                sys.__stdout__.write("original " + when + "\\n")
                os.write(1, b"descriptor " + when.encode() + b"\\n")
                c = ctypes.CDLL(None)
                c.puts(b"C " + when.encode()), c.fflush(None)
                subprocess.check_call(["echo", "child", when])
            shout("first")
            """) + MINE.replace("def ask(self):", "def ask(self): shout('later');") + "\nshout('last')\n"
        host = self.serve(program)
        host.begin()
        host.call("ask")
        code, out, log = host.finish()
        self.assertEqual((code, out), (0, b""))
        for what in ("print", "write", "original", "descriptor", "C", "child"):
            for when in ("first", "later", "last"):
                self.assertIn(what + " " + when, log)

    def test_what_was_printed_is_in_the_log_at_once(self):
        """Also if the program is killed in the middle."""
        host = self.serve(MINE.replace("def ask(self):", "def ask(self): print('so far, so good');"))
        host.begin()
        host.call("ask")
        host.process.kill()
        self.assertIn("so far, so good\n", host.finish()[2])

    def test_without_a_host_serve_does_it(self):
        host = self.serve(MINE.replace("popbench.serve", "print('waits in a buffer')\npopbench.serve"), host=False)
        host.begin()
        self.assertEqual(host.finish()[:2], (0, b""))

    @unittest.skipUnless(hasattr(os, "openpty"), "there are no terminals of this kind")
    def test_started_by_hand(self):
        """Somebody who starts the program in a terminal is told what it is for."""
        ours, terminal = os.openpty()
        os.write(ours, b"\x04")  # Ctrl-D
        path = self.write("program.py", MINE)
        done = subprocess.run([sys.executable, path], stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, PYTHONPATH=CLIENT), timeout=60)
        os.close(ours), os.close(terminal)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertIn(path.encode() + b": bench starts this program", done.stderr)

    def test_in_a_notebook(self):
        """A notebook and a prompt have no bench: serve says so, and leaves standard output alone. sys.ps1 is in both."""
        host = self.serve("import sys\nsys.ps1 = 'In : '\n" + MINE.replace("popbench.serve(Mine)", dedent("""
            try: popbench.serve(Mine)
            except popbench.Error as e: print(e)
            """)), host=False)
        code, out, log = host.finish()
        self.assertRegex(out.decode(), "^serve is for a program that bench starts, .* file")
        self.assertEqual((code, log), (0, ""))

    def test_readers_keep_their_output(self):
        host = self.serve("import popbench\nprint('a table')", host=False)
        self.assertEqual(host.finish(), (0, b"a table\n", ""))

    def test_programs_that_a_program_starts(self):
        """A program that a served program starts is not served itself: it keeps its standard output."""
        host = self.serve(dedent("""
            import popbench, subprocess, sys
            said = subprocess.run([sys.executable, "-c", "import popbench; print('a table')"], stdout=subprocess.PIPE).stdout
            assert said == b"a table\\n", said
            """) + MINE)
        host.begin()

    def test_standard_input_is_for_messages(self):
        host = self.serve(MINE.replace("def ask(self):", "def ask(self): input();"))
        host.begin()
        self.assertIn("EOFError", host.error("ask")[1])
        host.call("recommend")


class Exceptions(Case):
    def test_traceback(self):
        host = self.serve(FULL)
        host.begin(settings={"tell": True})
        answer = host.answer("tell", winner=0, **QUERY)["error"]
        self.assertEqual((answer["code"], answer["message"]), (-32000, "KeyError: 'no\\nsuch point' (program.py:15, in tell)"))
        self.assertIn("in tell", answer["data"]["traceback"])
        self.assertIn("raise KeyError", answer["data"]["traceback"])
        self.assertNotIn("popbench.py", answer["data"]["traceback"])
        host.call("ask")
        self.assertIn("in tell", host.finish()[2])

    def test_place(self):
        """The message names the line of the program, not that of the library where the exception was raised."""
        host = self.serve("import json\n" + MINE.replace("[self.best, self", "[json.loads('{'), self"))
        host.begin()
        message = host.error("ask")[1]
        self.assertTrue(message.startswith("JSONDecodeError: ") and message.endswith(" (program.py:7, in ask)"), message)

    def test_wrong_answers_have_no_traceback(self):
        host = self.serve(MINE.replace("return [self", "return []; [self"))
        host.begin()
        want = "points has 0 points, not 2 or more; Mine.ask (program.py:6) has to return two or more points, each of 2 numbers"
        self.assertEqual(host.answer("ask")["error"], {"code": -32000, "message": want})
        self.assertEqual(host.finish()[2], "")

    def test_exit(self):
        host = self.serve(MINE.replace("def ask(self):", "def ask(self): raise SystemExit(3);"))
        host.begin()
        self.assertEqual(host.line(b'{"jsonrpc":"2.0","id":9,"method":"ask"}'), b"")
        self.assertEqual(host.finish()[0], 3)

    def test_constructor(self):
        host = self.serve(MINE.replace("def start", "def __init__(self): raise ValueError('no licence')\n    def start"))
        self.assertEqual(host.error("initialize", protocol=1), (-32000, "ValueError: no licence (program.py:5, in __init__)"))


PROBLEM = """
import popbench

class Moulding(popbench.Problem):
    box = popbench.Box([180, 20], [260, 80])
    optimum, optimum_x, title = 0.93, [(200, 50)], "Injection moulding"
    def evaluate(self, x): return eval({!r})

popbench.serve(Moulding)
"""


class Problems(Case):
    def test_nothing_has_to_be_known(self):
        host = self.serve(PROBLEM.format("len(x)").replace("box =", "area =").replace("optimum,", "best,").replace("optimum_x, title", "_, _"))
        host.call("initialize", protocol=1)
        self.assertEqual((host.call("describe"), host.call("evaluate", x=[1, 2, 3])), ({}, {"value": 3}))

    def test_arms(self):
        host = self.serve(PROBLEM.format("x[0]").replace("box = popbench.Box([180, 20], [260, 80])", "arms = [(1, 2), (3, 4)]"))
        host.call("initialize", protocol=1)
        self.assertEqual(host.call("describe")["arms"], [[1, 2], [3, 4]])

    def test_wrong_box(self):
        host = self.serve(PROBLEM.format("x[0]").replace("popbench.Box([180, 20], [260, 80])", "([180, 20], [260, 80])"))
        host.call("initialize", protocol=1)
        self.assertEqual(host.error("describe"), (-32000, "box is ([180, 20], [260, 80]); write it as popbench.Box(lo, hi)"))

    def test_wrong_values(self):
        values = ("float('nan')", "None", "[1]", "1 / 0")
        host = self.serve(PROBLEM.format(f"eval({values!r}[int(x[0]) - 200])"))
        host.call("initialize", protocol=1)
        for i, want in enumerate(("value is nan, not a finite number", "it returned None; Moulding.evaluate (program.py:7) has to return a finite number",
                                  "value is a list, not a number", "ZeroDivisionError: division by zero")):
            code, message = host.error("evaluate", x=[200 + i, 50])
            self.assertEqual(code, -32000)
            self.assertIn(want, message)
        for x in ([180], [180, 19], [180, "20"], None, 180):
            self.assertEqual(host.error("evaluate", x=x)[0], -32602, x)


class Boxes(unittest.TestCase):
    def test_box(self):
        box = popbench.Box((0, -1), (0.3, 1))
        self.assertEqual((box.dim, box.lo, repr(box)), (2, [0.0, -1.0], "Box([0.0, -1.0], [0.3, 1.0])"))
        self.assertEqual(box, popbench.Box([0, -1], [0.3, 1]))
        self.assertNotEqual(box, popbench.Box([0, -1], [0.4, 1]))
        for x, inside in (((0, 0), True), ((0.3, 1), True), ((0.3000001, 0), False), ((0, float("nan")), False), ((0,), False)):
            self.assertEqual(box.contains(x), inside, x)
        self.assertEqual(box.clip((9, -9)), [0.3, -1])
        self.assertEqual(box.from_unit((1, 0.5)), [0.3, 0])
        self.assertEqual(box.from_unit((2, -1)), [0.3, -1])
        self.assertEqual(box.to_unit((0.15, 1)), [0.5, 1])
        self.assertEqual(popbench.Box([1], [1]).to_unit([1]), [0])

    def test_corners(self):
        """No rounding leads out of the box."""
        class Corner:
            def __init__(self, u):
                self.u = u
            def random(self):
                return self.u
        for lo, hi in ((-0.1, 0.7), (0.1, 0.3), (-1e300, 1e300), (1e-300, 1e300)):
            for u in (0, 1 - 2**-53, 0.5):
                x = popbench.Box([lo], [hi]).sample(Corner(u))
                self.assertTrue(lo <= x[0] <= hi, (lo, hi, u, x))

    def test_refuses(self):
        for lo, hi, want in (([1], [0], "lo[0] = 1.0 is above hi[0] = 0.0"), ([0], [1, 2], "hi has 2 numbers, not 1"), ([], [], "lo is empty"),
                             ([0], [float("inf")], "hi[0] is inf")):
            with self.assertRaises(ValueError) as e:
                popbench.Box(lo, hi)
            self.assertEqual(str(e.exception)[:len(want)], want)


if __name__ == "__main__":
    unittest.main()
