"""Records: read, on the records that are committed, and on damaged ones."""

import collections
import glob
import gzip
import hashlib
import json
import math
import os
import shutil
import sys
import types
import unittest
import warnings
import zipfile
from unittest import mock

from helpers import ROOT, Case

import popbench

REFERENCE = os.path.join(ROOT, "results", "reference")
FIELD = os.path.join(ROOT, "results", "field")

# Stands for pandas where there is none, and for its absence where there is one.
STAND_IN, ABSENT = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows)), None


def record(path):
    with open(path, "rb") as f:
        return [json.loads(line) for line in f]


def seal(path, lines):
    """Writes a record with the footer that belongs to it."""
    body = b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines[:-1])
    footer = dict(lines[-1], steps=len(lines) - 2, sha256=hashlib.sha256(body).hexdigest())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(body + json.dumps(footer, separators=(",", ":")).encode() + b"\n")


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(popbench.read(REFERENCE))

    def test_reference(self):
        """Every step and rule of the records that are committed, in order, with what follows from them."""
        previous, count = None, 0
        paths = glob.glob(os.path.join(REFERENCE, "records", "*", "*", "*.jsonl"))
        cells = collections.Counter()
        for row in self.rows:
            count += 1
            cell = row["problem"], row["algorithm"], row["repetition"]
            cells[cell] += 1
            self.assertTrue(previous is None or previous <= cell + (row["step"],), (previous, cell))
            previous = cell + (row["step"],)
            self.assertEqual((row["suite"], row["seed"], row["optimum_known"], row["complete"]), ("every-algorithm", 1, True, True))
            self.assertEqual(row["suboptimality"], row["optimum"] - row["utility"])
            self.assertGreaterEqual(row["regret"], -1e-9)
        self.assertEqual(len(cells), len(paths))
        self.assertEqual(count, sum(len(s["recommendations"]) for p in paths for s in record(p)[1:-1]))

    def test_by_hand(self):
        """One run, against the sums written out."""
        header, *steps, _ = record(os.path.join(REFERENCE, "records", "branin", "qEUBO", "000.jsonl"))
        optimum, cumulative, want = header["problem"]["optimum"], 0, []
        for s in steps:
            new = s["utility"][-s["new"]:] if s["new"] else []
            regret = math.fsum(optimum - f for f in new) / len(new)
            cumulative += regret
            want += [(s["t"], r["rule"], i == 0, r["x"], regret, cumulative, s["metrics"]["newton"]) for i, r in enumerate(s["recommendations"])]
        got = [(r["step"], r["rule"], r["selected"], r["x"], r["regret"], r["cumulative_regret"], r["metric_newton"])
               for r in self.rows if (r["problem"], r["algorithm"], r["repetition"]) == ("branin", "qEUBO", 0)]
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertEqual(g[:4] + g[6:], w[:4] + w[6:])
            self.assertAlmostEqual(g[4], w[4], 12)
            self.assertAlmostEqual(g[5], w[5], 12)


class Folders(Case):
    """A folder of two runs, which each test changes."""

    def setUp(self):
        super().setUp()
        self.results = os.path.join(self.folder, "results")
        self.paths = []
        for repetition in ("000", "001"):
            name = os.path.join("records", "branin", "Random", repetition + ".jsonl")
            self.paths.append(os.path.join(self.results, name))
            os.makedirs(os.path.dirname(self.paths[-1]), exist_ok=True)
            shutil.copy(os.path.join(REFERENCE, name), self.paths[-1])

    def change(self, i, old, new, count=1):
        with open(self.paths[i], "rb") as f:
            data = f.read()
        self.assertIn(old, data)
        with open(self.paths[i], "wb") as f:
            f.write(data.replace(old, new, count))

    def test_pandas(self):
        """The rows are what pandas is given; a stand-in where there is none."""
        try:
            import pandas
        except ImportError:
            pandas = types.SimpleNamespace(DataFrame=lambda rows: rows)
        with mock.patch.dict(sys.modules, pandas=pandas):
            frame = popbench.read(self.results).to_pandas()
        self.assertEqual(len(frame), len(list(popbench.read(self.results))))
        if not isinstance(frame, list):
            self.assertTrue({"problem", "algorithm", "suboptimality", "regret"} <= set(frame.columns))

    def test_damaged(self):
        for old, new, line, want in (
            (b'"kind":"header"', b'"mind":"header"', 1, "is missing, not a header"), (b'"kind"', b"kind", 1, "this is not a JSON object"), (b'"format":2', b'"format":3', 1, "has format 3"),
            (b'"cell":"branin/Random/000"', b'"cell":"branin/Random/001"', 1, "this is the record of branin/Random/001"),
            (b'"t":1,', b'"t":2,', 2, "this is step 2, but step 1 is next"), (b'"winner":0', b'"winner":2', 2, "winner is 2"),
            (b'"winner":0', b'"winner":1', 10, "the checksum is not that of the lines before"),
            (b'"utility":[', b'"utility":[1,', 2, "utility has 3 numbers, not 2"), (b'"utility":[', b'"utility":[NaN,', 2, "NaN is not JSON"),
            (b'"rule":', b'"role":', 2, "there is no rule"), (b'"points":[[', b'"points":[[1,', 2, "points[0] has 3 numbers, not 2"),
            (b'"steps":8', b'"steps":7', 10, "the footer counts 7 steps, there are 8"), (b'"status":"ok"', b'"status":"fine"', 10, "status is 'fine'"),
            (b'"kind":"footer"', b'"kind":"step"', 10, "the record has no footer, so it is cut short"),
            (b'"optimum":', b'"optimum":"x","old":', 1, "problem.optimum is 'x', not a number"),
        ):
            self.setUp()
            self.change(0, old, new)
            with self.assertRaises(popbench.Error) as e:
                list(popbench.read(self.results))
            self.assertTrue(str(e.exception).startswith(f"{self.paths[0]}:{line}: "), e.exception)
            self.assertIn(want, str(e.exception))
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                rows = list(popbench.read(self.results, on_error="skip"))
            self.assertEqual({r["repetition"] for r in rows}, {1})
            self.assertEqual([str(w.message) for w in told], [f"left out: {e.exception}"])

    def test_cut_short(self):
        with open(self.paths[0], "rb") as f:
            data = f.read()
        for end, want in ((len(data) - 1, "10: the record is cut short in the middle of a line"),
                          (data.rindex(b"\n", 0, -1) + 1, "9: the record has no footer")):
            with open(self.paths[0], "wb") as f:
                f.write(data[:end])
            with self.assertRaisesRegex(popbench.Error, want):
                list(popbench.read(self.results))

    def test_every_byte(self):
        """No changed byte of the steps goes unnoticed, and none gives another exception."""
        with open(self.paths[0], "rb") as f:
            data = f.read()
        for at in range(data.index(b"\n") + 1, len(data), 29):
            with open(self.paths[0], "wb") as f:
                f.write(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            with self.assertRaises(popbench.Error):
                list(popbench.read(self.results))

    def test_empty_and_strange_files(self):
        with open(self.paths[0], "wb"):
            pass
        with self.assertRaisesRegex(popbench.Error, "000.jsonl:1: the file is empty"):
            list(popbench.read(self.results))
        os.remove(self.paths[0])
        os.mkdir(self.paths[0] + ".tmp")
        with open(self.paths[0] + "-1.tmp", "w") as f:
            f.write("a run that is going on")
        self.assertEqual({r["repetition"] for r in popbench.read(self.results)}, {1})

    def test_no_records(self):
        for folder in (os.path.join(self.folder, "nowhere"), os.path.join(self.results, "records", "branin")):
            with self.assertRaisesRegex(popbench.Error, "has no records; make them with bench run SUITE.yaml"):
                list(popbench.read(folder))
        with self.assertRaises(ValueError):
            popbench.read(self.results, on_error="ignore")

    def test_folder_of_folders(self):
        shutil.copytree(self.results, os.path.join(self.folder, "more", "b"))
        shutil.copytree(self.results, os.path.join(self.folder, "more", "a"))
        self.assertEqual(len(list(popbench.read(os.path.join(self.folder, "more")))), 2 * len(list(popbench.read(self.results))))

    def test_failed_run(self):
        lines = record(self.paths[0])
        seal(self.paths[0], lines[:4] + [dict(lines[-1], status="failed", error="ask: exit code 3")])
        lines = record(self.paths[1])
        lines[0]["problem"].update(lo=None, hi=None)  # it failed before there was a box
        seal(self.paths[1], lines[:1] + [dict(lines[-1], status="failed", error="initialize: exit code 3")])
        rows = list(popbench.read(self.results))
        self.assertEqual([(r["repetition"], r["step"], r["complete"]) for r in rows], [(0, 1, False), (0, 2, False), (0, 3, False)])

    def test_unknown_optimum(self):
        """Regret is against the best value of the complete runs, queried or recommended."""
        values = []
        for path in self.paths:
            lines = record(path)
            del lines[0]["problem"]["optimum"]
            lines[3]["recommendations"][0]["utility"] += 10  # which no query has
            values.append([v for s in lines[1:-1] for v in s["utility"] + [r["utility"] for r in s["recommendations"]]])
            seal(path, lines)
        best = max(values[0] + values[1])
        rows = list(popbench.read(self.results))
        self.assertEqual({(r["optimum"], r["optimum_known"]) for r in rows}, {(best, False)})
        self.assertEqual(min(r["suboptimality"] for r in rows), 0)
        # A failed run has found nothing.
        loser = values.index(min(values, key=max))
        lines = record(self.paths[1 - loser])
        seal(self.paths[1 - loser], lines[:-2] + [dict(lines[-1], status="failed", error="ask: exit code 3")])
        self.assertEqual({r["optimum"] for r in popbench.read(self.results)}, {max(values[loser])})
        lines = record(self.paths[loser])
        seal(self.paths[loser], lines[:-2] + [dict(lines[-1], status="failed", error="ask: exit code 3")])
        self.assertEqual({(r["optimum"], r["regret"], r["suboptimality"], r["cumulative_regret"]) for r in popbench.read(self.results)},
                         {(None,) * 4})

    def test_imported(self):
        """A run of a table has numbers only."""
        lines = record(self.paths[0])
        lines[0]["imported"] = {"file": "theirs.csv", "sha256": "0" * 64}
        lines[0]["problem"].update(lo=None, hi=None, optimum=0)
        for s in lines[1:-1]:
            s.update(points=None, new=1, utility=[-3], winner=0, recommendations=[{"rule": "last", "x": None, "utility": -2}])
        seal(self.paths[0], lines)
        rows = [r for r in popbench.read(self.results) if r["imported"]]
        self.assertEqual([r["cumulative_regret"] for r in rows], [3, 6, 9, 12, 15, 18, 21, 24])
        self.assertEqual({(r["suboptimality"], r["regret"], r["x"], r["points"], r["winner"]) for r in rows}, {(2, 3, None, None, None)})

    def test_names_and_order(self):
        """Labels that are not file names, and repetitions beyond 999."""
        lines = record(self.paths[0])
        for label, safe, repetition in (("B = 1/2", "B%20=%201%2F2", 999), ("B = 1/2", "B%20=%201%2F2", 1000), ("Ä", "%C3%84", 0)):
            cell = f"branin/{safe}/{repetition:03}"
            head = json.loads(json.dumps(lines[0]))
            head["algorithm"]["label"], head["cell"], head["repetition"] = label, cell, repetition
            seal(os.path.join(self.results, "records", cell + ".jsonl"), [head] + lines[1:])
        cells = []
        for r in popbench.read(self.results):
            if (r["algorithm"], r["repetition"]) not in cells:
                cells.append((r["algorithm"], r["repetition"]))
        self.assertEqual(cells, [("B = 1/2", 999), ("B = 1/2", 1000), ("Random", 0), ("Random", 1), ("Ä", 0)])

    def test_results(self):
        """The rows of the selected rule: a DataFrame, or a list without pandas."""
        shutil.rmtree(os.path.join(self.results, "records", "branin", "Random"))
        shutil.copytree(os.path.join(REFERENCE, "records", "branin", "POP-BO"), os.path.join(self.results, "records", "branin", "POP-BO"))
        want = [r for r in popbench.read(self.results) if r["selected"]]
        self.assertLess(len(want), len(list(popbench.read(self.results))))
        with mock.patch.dict(sys.modules, pandas=ABSENT):
            self.assertEqual(popbench.results(self.results), want)
        with mock.patch.dict(sys.modules, pandas=STAND_IN):
            self.assertEqual(popbench.results(self.results), ("frame", want))
        self.paths = [os.path.join(self.results, "records", "branin", "POP-BO", "000.jsonl")]
        self.change(0, b'"t":1,', b'"t":2,')
        with self.assertRaisesRegex(popbench.Error, "this is step 2"):
            popbench.results(self.results)


class Compact(Case):
    """The six runs of a file of the field, in a compact folder and in an archive."""

    def setUp(self):
        super().setUp()
        self.name = os.path.join("records", "beale", "Random.jsonl.gz")
        with gzip.open(os.path.join(FIELD, self.name)) as f:
            self.data = f.read()
        self.results, self.archive = os.path.join(self.folder, "results"), os.path.join(self.folder, "results.zip")
        self.put(gzip.compress(self.data))

    def put(self, packed):
        os.makedirs(os.path.dirname(os.path.join(self.results, self.name)), exist_ok=True)
        with open(os.path.join(self.results, self.name), "wb") as f:
            f.write(packed)
        with zipfile.ZipFile(self.archive, "w") as z:
            z.writestr("records/beale/Random.jsonl.gz", packed)
            z.writestr("timing/beale/Random.jsonl.gz", b"times are not read")

    def test_rows(self):
        rows = list(popbench.read(self.results))
        self.assertEqual([(r["repetition"], r["step"]) for r in rows], [(i, t + 1) for i in range(6) for t in range(80)])
        self.assertEqual(list(popbench.read(self.archive)), rows)
        header, step = (json.loads(line) for line in self.data.split(b"\n")[:2])
        self.assertEqual(rows[0]["regret"], header["problem"]["optimum"] - sum(step["utility"]) / 2)
        self.assertEqual(rows[0]["suboptimality"], header["problem"]["optimum"] - step["recommendations"][0]["utility"])
        self.assertEqual((rows[0]["x"], rows[0]["points"], rows[0]["winner"]), (None, None, step["winner"]))

    def test_unknown_optimum(self):
        """It is the best value of all runs of the file."""
        lines, optimum = [], -math.inf
        for line in self.data.splitlines(True):
            content = json.loads(line)
            if content["kind"] == "header":
                del content["problem"]["optimum"]
                body, line = hashlib.sha256(), json.dumps(content, separators=(",", ":")).encode() + b"\n"
            elif content["kind"] == "footer":
                line = json.dumps(dict(content, sha256=body.hexdigest()), separators=(",", ":")).encode() + b"\n"
            else:
                optimum = max([optimum] + content["utility"] + [r["utility"] for r in content["recommendations"]])
            body.update(line)
            lines.append(line)
        self.put(gzip.compress(b"".join(lines)))
        self.assertEqual({(r["optimum"], r["optimum_known"]) for r in popbench.read(self.archive)}, {(optimum, False)})

    def test_damaged(self):
        """A damaged run is named by the line of the file, and the other runs are read."""
        second = self.data.index(b'{"kind":"header"', 1)
        packed = gzip.compress(self.data)
        for data, line, want, left in (
            (self.data[:second] + self.data[second:].replace(b'"winner":0', b'"winner":1', 1), 164, "the checksum is not that", {0, 2, 3, 4, 5}),
            (self.data[:second] + self.data[second:].replace(b"beale/Random/001", b"beale/Mine/001", 1), 83, "this is the record of beale/Mine/001", {0, 2, 3, 4, 5}),
            (self.data[:-1], 492, "the record is cut short", {0, 1, 2, 3, 4}),
            (b"", 1, "the file is empty", set()),
        ):
            self.put(gzip.compress(data))
            for path in (self.results, self.archive):
                with self.assertRaises(popbench.Error) as e:
                    list(popbench.read(path))
                self.assertTrue(str(e.exception).startswith(f"{os.path.join(path, self.name)}:{line}: {want}"), e.exception)
                self.assertTrue(str(e.exception).endswith("; export the results again"), e.exception)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    self.assertEqual({r["repetition"] for r in popbench.read(path, on_error="skip")}, left)
                self.assertEqual([str(w.message) for w in told], [f"left out: {e.exception}"])
        for packed in (packed[:-100], b"\0" * 100, packed[:20] + b"\0" * 20 + packed[40:]):
            self.put(packed)
            for path in (self.results, self.archive):
                with self.assertRaisesRegex(popbench.Error, "Random.jsonl.gz cannot be read: "):
                    list(popbench.read(path))

    def test_no_archive(self):
        path = self.write("results.txt", "text")
        with self.assertRaisesRegex(popbench.Error, "results.txt is not an archive: "):
            list(popbench.read(path))


class Ranks(Case):
    """field, on the ranks that are committed, and on others."""

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        mock.patch.dict(sys.modules, pandas=ABSENT).start()
        self.addCleanup(mock.patch.stopall)

    def test_committed(self):
        """The rows have the numbers of the page, from any folder of the checkout."""
        os.chdir(os.path.join(ROOT, "clients", "python"))
        rows = popbench.field()
        self.assertEqual(rows, popbench.field(FIELD))
        with open(os.path.join(FIELD, "table.md"), encoding="utf-8") as f:
            page = f.read()
        last = [r for r in rows if r["oracle"] == "73 % right" and r["steps"] == 80]
        self.assertGreater(len(last), 10)
        self.assertEqual(sorted(last, key=lambda r: r["rank"]), last)
        for r in last:
            self.assertIn("| {method} | {rank:.1f} \\[{ci_lo:.1f}, {ci_hi:.1f}\\] |".format(**r), page)
            self.assertEqual((r["published_rank"] is not None, r["problems"]), (r["method"].endswith(" tuned"), 30))
        with mock.patch.dict(sys.modules, pandas=STAND_IN):
            self.assertEqual(popbench.field(), ("frame", rows))

    def test_labels(self):
        """A text that looks like a formula has a mark in the file."""
        self.write("ranks.csv", "oracle,steps,problems,method,rank,ci_lo,ci_hi,published_rank\n73 % right,5,2,'=A,1.5,,,\n")
        self.assertEqual(popbench.field(self.folder), [{"oracle": "73 % right", "steps": 5, "problems": 2, "method": "=A", "rank": 1.5,
                                                        "ci_lo": None, "ci_hi": None, "published_rank": None}])

    def test_absent(self):
        os.chdir(self.folder)
        with self.assertRaisesRegex(popbench.Error, "there is no results/field here or in a folder above.*name its folder"):
            popbench.field()
        with self.assertRaisesRegex(popbench.Error, "ranks.csv cannot be read: .*; bench field --out FOLDER makes it"):
            popbench.field(self.folder)
        for text in ("a,b\n1,2\n", "oracle,steps,problems,method,rank,ci_lo,ci_hi,published_rank\n73 % right,5\n"):
            self.write("ranks.csv", text)
            with self.assertRaisesRegex(popbench.Error, "ranks.csv has no table of ranks: "):
                popbench.field(self.folder)


if __name__ == "__main__":
    unittest.main()
