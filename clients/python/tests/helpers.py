"""What the tests share: programs in a temporary folder, and a host that talks to them."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(SOURCE))
sys.path.insert(0, SOURCE)

# The programs that the tests start import a copy of the client, which is compiled once.
CLIENT = tempfile.mkdtemp()
atexit.register(shutil.rmtree, CLIENT)
shutil.copy(os.path.join(SOURCE, "popbench.py"), CLIENT)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

MINE = """
import random, popbench

class Mine(popbench.Algorithm):
    def start(self, s): self.box, self.best, self.rng = s.box, s.start, random.Random(s.seed)
    def ask(self): return [self.best, self.box.sample(self.rng)]
    def tell(self, points, winner): self.best = points[winner]
    def recommend(self): return self.best

popbench.serve(Mine)
"""

START = {"cell": "sphere/Mine/000", "box": {"lo": [0, -1], "hi": [1, 1]}, "start": [0.5, 0], "steps": 3, "seed": 7}


class Case(unittest.TestCase):
    """A test with a folder for programs, which are ended after it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def serve(self, source, host=True, site=False):
        """A Host of a program with this source; host says whether bench would be the one that starts it."""
        return Host(self.write("program.py", source), self.addCleanup, host, site)


class Host:
    """Starts a program and sends requests, as bench does. cleanup is told how to end it. Without site it starts sooner."""

    def __init__(self, path, cleanup, host=True, site=False):
        self.env = dict(os.environ, PYTHONPATH=CLIENT)
        for name in ("POPBENCH_PROTOCOL", "PYTHONUNBUFFERED"):
            self.env.pop(name, None)
        if host:
            self.env["POPBENCH_PROTOCOL"] = "1"
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([sys.executable] + ["-S"] * (not site) + [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=self.env)
        self.id = 0
        self.guard = threading.Timer(300, self.process.kill)  # so that a program which never answers fails its test
        self.guard.start()
        cleanup(self.end)

    def line(self, line):
        """The line that answers a line, both as bytes without their ends."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()[:-1]

    def answer(self, method, **params):
        """The answer to a request."""
        self.id += 1
        request = {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}
        line = self.line(json.dumps(request).encode())
        assert line, self.finish()
        answer = json.loads(line)
        assert answer["jsonrpc"] == "2.0" and answer["id"] == self.id, answer
        return answer

    def call(self, method, **params):
        """The result of a request that goes well."""
        answer = self.answer(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method, **params):
        """The code and the message of a request that is refused."""
        answer = self.answer(method, **params)
        assert "result" not in answer, answer
        message = answer["error"]["message"]
        assert message and "\n" not in message, answer
        return answer["error"]["code"], message

    def begin(self, **more):
        """Initializes the program and starts a run."""
        result = self.call("initialize", protocol=1, client={"name": "test", "version": "0"}, capabilities={})
        self.call("start", **dict(START, **more))
        return result

    def finish(self):
        """Ends the input. Returns the exit code, what else the program wrote to standard output, and its standard error."""
        out, _ = self.process.communicate()
        self.log.seek(0)
        return self.process.returncode, out, self.log.read().decode()

    def end(self):
        self.guard.cancel()
        self.process.kill()
        self.process.communicate()
        self.log.close()
