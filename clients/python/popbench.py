"""Preferential Bayesian optimisation with popbench, from Python. One file, standard library only.

Your optimiser in the benchmark, started by ``bench run`` with ``name: external``::

    import random, popbench

    class Mine(popbench.Algorithm):
        def start(self, s): self.box, self.best, self.rng = s.box, s.start, random.Random(s.seed)
        def ask(self): return [self.best, self.box.sample(self.rng)]
        def tell(self, points, winner): self.best = points[winner]
        def recommend(self): return self.best

    popbench.serve(Mine)

Your objective in the benchmark is a `Problem`. An algorithm of popbench in your own experiment is an `Optimizer`. `run`
runs a suite, `results` and `read` give what it found as rows, and `field` the ranks of all methods. docs/python.md explains
them, docs/protocol.md the messages.

Standard output carries the messages of a served program, so nothing else may be printed there. `serve` therefore points
file descriptor 1 at standard error: what you print, or a C library prints, goes to the log. ``bench`` sets the
environment variable POPBENCH_PROTOCOL for the programs that it starts, and then this already happens when popbench is
imported: import it first. Programs that only read records or drive an `Optimizer` keep their standard output.

Points are lists of d floats in the units of the box. Wherever a point is expected, tuples, numpy arrays and numbers of
numpy do as well. Utilities are maximised.
"""

from __future__ import annotations

import copy
import csv
import gzip
import hashlib
import importlib
import io
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import traceback
import urllib.parse
import warnings
import weakref
import zipfile
import zlib
from typing import (IO, Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, NoReturn,
                    Optional, Sequence, SupportsFloat, Tuple, Union)

__version__ = "0.1.0"
__all__ = ["Algorithm", "Belief", "Box", "Comparison", "Error", "FailedCells", "Optimizer", "Problem", "Query", "Records",
           "Start", "Undefined", "field", "find_bench", "read", "results", "run", "serve"]

PROTOCOL = 1  # the highest version of the protocol that this file speaks
MAX_LINE = 64 << 20  # bytes of a message
MAX_STATE = 16 << 20  # bytes of a saved state
_PATIENCE = 5.0  # seconds that a child has to end

Point = List[float]
Vector = Iterable[SupportsFloat]  # what is accepted as a point: a list, a tuple, a numpy array
_Path = Union[str, "os.PathLike[str]"]
Table = Any  # a pandas.DataFrame, or without pandas a List[Dict[str, Any]]


class Error(Exception):
    """What `Optimizer`, `run` and `read` raise: one line that says what is wrong and how to correct it.

    code is that of the protocol's error object, or None; data is what came with it, such as a traceback.
    """

    def __init__(self, message: str, code: Optional[int] = None, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class FailedCells(Error):
    """What `run` raises if a suite ran and some of its cells failed. The results of the others are in folder."""

    def __init__(self, message: str, folder: str = "") -> None:  # a pool of processes makes it anew of the message
        super().__init__(message)
        self.folder = folder


class Undefined(Exception):
    """Raise it in start: this program does not do such a cell, for the reason given.

    The cell is then listed as left out. It does not count as a failure.
    """


class Query(NamedTuple):
    """Points to compare, oldest first; the last `new` of them are proposed by this query."""

    points: Sequence[Vector]
    new: int


class Comparison(NamedTuple):
    """An answered query: its points and the index of the preferred one."""

    points: List[Point]
    winner: int


class Belief(NamedTuple):
    """A model's estimate of the utility with a lower and an upper bound: lists of one number for each point."""

    estimate: List[float]
    lower: List[float]
    upper: List[float]


class Box:
    """The points x with lo[i] <= x[i] <= hi[i]."""

    lo: Point
    hi: Point

    def __init__(self, lo: Vector, hi: Vector) -> None:
        """Raises ValueError, which names the wrong bound."""
        self.lo = _vector(lo, "lo")
        self.hi = _vector(hi, "hi", len(self.lo))
        for i, (l, h) in enumerate(zip(self.lo, self.hi)):
            if l > h:
                raise _Wrong(f"lo[{i}] = {l} is above hi[{i}] = {h}")

    @property
    def dim(self) -> int:
        """The number of coordinates, d."""
        return len(self.lo)

    def sample(self, rng: Any) -> Point:
        """A uniformly random point; rng is a random.Random or a numpy generator."""
        return self.from_unit([rng.random() for _ in self.lo])

    def contains(self, x: Vector) -> bool:
        """Whether x has d coordinates and lies in the box."""
        point = [float(v) for v in x]
        return len(point) == self.dim and all(l <= v <= h for l, v, h in zip(self.lo, point, self.hi))

    def clip(self, x: Vector) -> Point:
        """The point of the box that is nearest to x."""
        return [min(max(v, l), h) for l, v, h in zip(self.lo, _vector(x, "x", self.dim), self.hi)]

    def to_unit(self, x: Vector) -> Point:
        """x scaled so that the box becomes [0, 1]^d."""
        point = _vector(x, "x", self.dim)
        return [(v - l) / (h - l) if h > l else 0.0 for l, v, h in zip(self.lo, point, self.hi)]

    def from_unit(self, u: Vector) -> Point:
        """The inverse of to_unit; the result lies in the box, whatever the rounding."""
        unit = _vector(u, "u", self.dim)
        return self.clip([h if v == 1 else l + v * (h - l) for l, v, h in zip(self.lo, unit, self.hi)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.lo, self.hi) == (other.lo, other.hi)

    def __repr__(self) -> str:
        return f"Box({self.lo}, {self.hi})"


class Start:
    """What an algorithm knows before its first query.

    cell      the name of the run, such as "branin/Mine/007"
    box       the points that may be queried; with arms the smallest box around them
    arms      the only points that may be queried, or None if all of the box may be
    start     the first point to compare with; the same for every algorithm of a repetition
    steps     planned number of queries; 0 if unknown
    seed      0 to 2**53 - 1, for the algorithm's own random numbers
    stream    64 hexadecimal digits, of which seed is the first 53 bits; None if there are none
    settings  the settings of the suite, and the defaults that the class declares for the others
    pilot     comparisons before the first query, for hyper-parameters only
    known     what the experiment discloses about the objective: kernel, norm_bound
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        """params is that of the message start. Raises ValueError, which names the wrong field."""
        self.cell = _text(params.get("cell", ""), "cell")
        self.arms: Optional[List[Point]] = None
        if params.get("arms") is not None:
            self.arms = _points(params["arms"], "arms", at_least=1)
            self.box = Box([min(c) for c in zip(*self.arms)], [max(c) for c in zip(*self.arms)])
        else:
            box = _object(params.get("box"), "box")
            self.box = Box(_vector(box.get("lo"), "box.lo"), _vector(box.get("hi"), "box.hi"))
        middle = self.arms[0] if self.arms else self.box.from_unit([0.5] * self.box.dim)
        self.start = _vector(params.get("start", middle), "start", self.box.dim)
        self.check(self.start, "start")
        self.steps = _whole(params.get("steps", 0), "steps", 0)
        self.seed = _whole(params.get("seed", 0), "seed", 0, (1 << 53) - 1)
        self.stream: Optional[str] = params.get("stream")
        self.settings: Dict[str, Any] = dict(_object(params.get("settings") or {}, "settings"))
        self.known: Dict[str, Any] = dict(_object(params.get("known") or {}, "known"))
        self.pilot: List[Comparison] = []
        for i, c in enumerate(_list(params.get("pilot") or [], "pilot")):
            where = f"pilot[{i}]"
            points = _points(_object(c, where).get("points"), where + ".points", self.box.dim)
            self.pilot.append(Comparison(points, _whole(c.get("winner"), where + ".winner", 0, len(points) - 1)))

    def check(self, x: Point, where: str) -> None:
        """Raises ValueError if x may not be queried."""
        if self.arms is not None and x not in self.arms:
            raise _Wrong(f"{where} is none of the {len(self.arms)} arms")
        for i, (l, v, h) in enumerate(zip(self.box.lo, x, self.box.hi)):
            if not l <= v <= h:
                raise _Wrong(f"{where}[{i}] is {v}, outside [{l}, {h}]")


class _Program:
    """What algorithms and problems have in common. Set these in the class.

    name           of the program; the name of the class by default
    version        of the program, which changes when its answers do
    provenance     further texts by name that identify the program, such as a commit; the same at every start
    deterministic  False if equal starts may give other answers
    """

    name: str = ""
    version: str = "0"
    provenance: Mapping[str, str] = {}
    deterministic: bool = True


class Algorithm(_Program):
    """An optimiser that learns from comparisons. Define start, ask, tell and recommend.

    `serve` makes a new object for each start. The other methods are optional; bench is told which of
    them the class defines. An exception in any method is the answer to that call; bench shows it and continues with
    the next run.

    arms      True if the algorithm can choose from a list of points in place of a box
    ties      True if the algorithm learns from ties: the winner of tell may then be None
    settings  what a suite may set, with the defaults: {"radius": 0.1}. A run whose settings have another name is refused.
              None accepts all names
    """

    arms: bool = False
    ties: bool = False
    settings: Optional[Mapping[str, Any]] = None

    def start(self, s: Start) -> None:
        """Begins a run. Raise `Undefined` if the algorithm does not do such a run."""
        raise NotImplementedError

    def ask(self) -> Union[Query, Iterable[Vector]]:
        """The next query: two or more points, those of the previous query first.

        `serve` calls it at most once between two answers, so it may draw random numbers. New are all points from the first
        one on that is neither the start nor in the previous query. If there is none, the query is repeated, and all of its
        points are new. Return a `Query` to state the number of new points yourself.
        """
        raise NotImplementedError

    def tell(self, points: List[Point], winner: Any) -> None:
        """Learns that points[winner] is preferred. The points need not be those that ask returned.

        winner is an int; with ties = True also None, if the oracle cannot tell the points apart.
        """
        raise NotImplementedError

    def tell_values(self, points: List[Point], values: List[float]) -> None:
        """Learns noisy utilities: values[i] at points[i], which are the new points of a query.

        Define it in place of tell, for an algorithm that learns from values.
        """
        raise NotImplementedError

    def recommend(self) -> Union[Vector, Sequence[Tuple[str, Vector]]]:
        """The point to use now, or a list of (rule, point) with the preferred one first.

        `serve` calls it at most once between two answers.
        """
        raise NotImplementedError

    def metrics(self) -> Mapping[str, Union[SupportsFloat, Tuple[SupportsFloat, str]]]:
        """Numbers for the record, by name: the same names throughout a run, and never times.

        A value may come with its kind: (12, "work") counts work, "certificate" bounds an error, "state" is anything else.
        """
        raise NotImplementedError

    def belief(self, points: List[Point]) -> Union[Belief, Tuple[Vector, Vector, Vector]]:
        """The model's estimate of the utility at each point, with lower and upper bounds. It changes nothing."""
        raise NotImplementedError

    def state(self) -> Any:
        """All that restore needs, as lists, dicts, texts and finite numbers. It changes nothing."""
        raise NotImplementedError

    def restore(self, s: Start, state: Any) -> None:
        """Continues a run in place of start, from what state returned."""
        raise NotImplementedError


class Problem(_Program):
    """An objective. Define evaluate, and set what is known in the class; the suite may state the box instead.

    box        where it is defined
    arms       the only points where it is defined, in place of a box
    optimum    its largest value (its smallest if the suite says `minimize: true`); None if unknown
    optimum_x  all points where it is attained, as far as they are known
    title      its name, for hosts without labels: bench shows the label of the suite
    source     where it is from
    """

    box: Optional[Box] = None
    arms: Optional[Sequence[Vector]] = None
    optimum: Optional[float] = None
    optimum_x: Sequence[Vector] = ()
    title: str = ""
    source: str = ""

    def evaluate(self, x: Point) -> SupportsFloat:
        """The value at x, which depends on x alone: it may be remembered."""
        raise NotImplementedError


# ---------------------------------------------------------------------------------------------------------------------
# Numbers and lists from anywhere: from a message, or from somebody's class. Errors name the field.


class _Wrong(Error, ValueError):
    """A value that is not what it has to be. The message says all."""


def _number(value: Any, where: str) -> float:
    if isinstance(value, (list, tuple)):
        raise _Wrong(f"{where} is a list, not a number")
    if isinstance(value, (str, bytes, bool)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise _Wrong(f"{where} is {_brief(value)}, not a number")
    try:
        number = float(value)
    except (OverflowError, ValueError, TypeError) as e:
        raise _Wrong(f"{where} is {_brief(value)}, not a number: {_line(e)}") from None
    if not math.isfinite(number):
        raise _Wrong(f"{where} is {number}, not a finite number")
    return number


def _list(value: Any, where: str) -> List[Any]:
    if hasattr(value, "tolist"):  # a numpy array
        value = value.tolist()
    if value is None or isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise _Wrong(f"{where} is {'a number' if isinstance(value, float) else _brief(value)}, not a list")
    return list(value)


def _vector(value: Any, where: str, dim: Optional[int] = None, at_least: int = 1) -> Point:
    numbers = [_number(v, f"{where}[{i}]") for i, v in enumerate(_list(value, where))]
    if dim is not None and len(numbers) != dim:
        raise _Wrong(f"{where} has {_count(len(numbers), 'number')}, not {dim}")
    if len(numbers) < at_least:
        raise _Wrong(f"{where} is empty")
    return numbers


def _points(value: Any, where: str, dim: Optional[int] = None, at_least: int = 2) -> List[Point]:
    points: List[Point] = []
    for i, x in enumerate(_list(value, where)):
        points.append(_vector(x, f"{where}[{i}]", dim))
        dim = len(points[0])
    if len(points) < at_least:
        raise _Wrong(f"{where} has {_count(len(points), 'point')}, not {at_least} or more")
    return points


def _whole(value: Any, where: str, least: int, most: Optional[int] = None) -> int:
    number = _number(value, where)
    whole = int(value)
    if number != whole or whole < least or most is not None and whole > most:
        limits = f"{least} up" if most is None else f"{least} to {most}"
        raise _Wrong(f"{where} is {_brief(value)}, not a whole number from {limits}")
    return whole


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"{where} is {_brief(value)}, not a text")
    return value


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _Wrong(f"{where} is {_brief(value)}, not an object")
    return value


def _brief(value: Any) -> str:
    if value is None:
        return "missing"
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _line(e: BaseException) -> str:
    """An exception on one line."""
    text = " ".join(str(e).split())
    if isinstance(e, _Wrong):
        return text
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


def _fresh(points: List[Point], before: List[Point]) -> int:
    """How many points are new: all from the first one on that is not among those before, or all if there is none."""
    for i, x in enumerate(points):
        if x not in before:
            return len(points) - i
    return len(points)


def _encode(message: Any) -> bytes:
    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):  # an array or a number of numpy
            return value.tolist()
        raise TypeError(f"there is an object of type {type(value).__name__}")
    return json.dumps(message, allow_nan=False, separators=(",", ":"), default=plain).encode() + b"\n"


def _decode(line: bytes) -> Any:
    """JSON without NaN and Infinity. Raises ValueError, or RecursionError."""
    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    def whole(text: str) -> Union[int, float]:
        return -0.0 if text == "-0" else int(text)  # a coordinate -0.0 is written -0, and no int has a sign of zero
    return json.loads(line.decode("utf-8"), parse_constant=constant, parse_int=whole)


# ---------------------------------------------------------------------------------------------------------------------
# A program that bench starts.

_pipes: Optional[Tuple[BinaryIO, int]] = None


def _take_pipes() -> Tuple[BinaryIO, int]:
    """The pipes to the host: a reader and a file descriptor. Whatever else uses descriptors 0 and 1 gets other files."""
    global _pipes
    if _pipes is None:
        fd_in, fd_out = os.dup(0), os.dup(1)  # no child of this process inherits these
        os.dup2(2, 1)
        sys.stdout.flush()  # only now: what waits here is not a message
        sys.stdout = sys.stderr
        if isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(line_buffering=True)  # as it is from Python 3.9 on
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        _pipes = open(fd_in, "rb"), fd_out
    return _pipes


if os.environ.pop("POPBENCH_PROTOCOL", ""):  # popped, since a program that this one starts is not the host's
    _take_pipes()


def serve(program: Union[Algorithm, Problem, Callable[[], Union[Algorithm, Problem]]]) -> None:
    """Answers the requests on standard input until the host says shutdown or the input ends.

    program is a class (or another function without parameters) that makes an `Algorithm` or a `Problem`. Each run gets a
    new algorithm. An object does as well if its start forgets everything earlier. In a notebook it raises `Error`.
    """
    if hasattr(sys, "ps1") and _pipes is None:
        raise Error("serve is for a program that bench starts, not for a notebook or a prompt; save the class and serve as a "
                    "file, with %%writefile mine.py, and name it in the command of a suite")
    if sys.stdin is not None and sys.stdin.isatty() and _pipes is None:
        print(f"{sys.argv[0]}: bench starts this program and talks to it on standard input; name it in the command of a "
              f"suite, or try: bench check {os.path.basename(sys.executable)} {sys.argv[0]}", file=sys.stderr)
    reader, fd = _take_pipes()
    server = _Server(program)
    while not server.over:
        line = reader.readline(MAX_LINE + 2)
        if not line:
            return
        rest = line
        while rest and not rest.endswith(b"\n"):  # the line is too long, and refused as it is
            rest = reader.readline(1 << 20)
        answer = server.respond(line)
        try:
            while answer:
                answer = answer[os.write(fd, answer):]
        except OSError:
            return  # nobody listens any more


class _Refusal(Exception):
    """An error object for the host."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Server:
    """Answers requests on behalf of an object that make makes."""

    def __init__(self, program: Union[Algorithm, Problem, Callable[[], Union[Algorithm, Problem]]]) -> None:
        if isinstance(program, (Algorithm, Problem)):
            same = program
            self.make: Callable[[], Union[Algorithm, Problem]] = lambda: same
        else:
            self.make = program
        self.over = False  # after shutdown
        self.spare: Union[Algorithm, Problem, None] = None  # made for initialize, and not used yet
        self.identity: Optional[Tuple[str, str]] = None  # name and version, after initialize
        self.methods: Dict[str, Callable[[Mapping[str, Any]], Any]] = {"initialize": self.initialize}
        self.run: Optional[_Run] = None

    def respond(self, line: bytes) -> bytes:
        """The answer to a line, which may be empty."""
        ident: Any = None
        try:
            if not line.strip():
                return b""
            if len(line.rstrip(b"\r\n")) > MAX_LINE:
                raise _Refusal(-32600, f"the line is longer than {MAX_LINE >> 20} MiB")
            try:
                request = _decode(line)
            except (ValueError, RecursionError) as e:
                raise _Refusal(-32700, f"this is not JSON: {_line(e)}") from None
            method = request.get("method") if isinstance(request, dict) else None
            if not isinstance(method, str) or request.get("jsonrpc") != "2.0":
                raise _Refusal(-32600, f"this is not a request of JSON-RPC 2.0: {_brief(request)}")
            if "id" not in request:
                return b""  # a notification
            ident = request["id"]
            return _encode({"jsonrpc": "2.0", "id": ident, "result": self.call(method, request.get("params"))})
        except _Refusal as e:
            error: Dict[str, Any] = {"code": e.code, "message": " ".join(str(e).split())}
        except Exception as e:
            text = _traceback(e)
            print(text, file=sys.stderr, end="", flush=True)
            error = {"code": -32000, "message": _line(e) + _place(e), "data": {"traceback": text}}
        return _encode({"jsonrpc": "2.0", "id": ident, "error": error})

    def call(self, method: str, params: Any) -> Any:
        if method == "shutdown":
            self.over = True
            return {}
        params = {} if params is None else params
        if not isinstance(params, dict):
            raise _Refusal(-32602, f"{method}: params is {_brief(params)}, not an object")
        if self.identity is None and method != "initialize":
            raise _Refusal(-32600, f"{method}: initialize comes first")
        if method not in self.methods:
            raise _Refusal(-32601, f"there is no method {method}; there are {', '.join(sorted(self.methods))}")
        return self.methods[method](params)

    def initialize(self, params: Mapping[str, Any]) -> Any:
        if self.identity is not None:
            raise _Refusal(-32600, "initialize comes once")
        with _Params():
            protocol = _whole(params.get("protocol"), "protocol", 0)
        if protocol < 1:
            raise _Refusal(-32003, f"the host speaks protocol {protocol}, and this program 1 to {PROTOCOL}")
        program = self.spare = self.make()
        if not isinstance(program, (Algorithm, Problem)):
            name = type(program).__name__
            raise _Refusal(-32000, f"class {name} is not a popbench.Algorithm or popbench.Problem; write class "
                                   f"{name}(popbench.Algorithm), and serve({name})")
        capabilities: Dict[str, Any] = {} if program.deterministic else {"deterministic": False}
        if isinstance(program, Algorithm):
            kind = "algorithm"
            has = {name for name in vars(Algorithm) if getattr(type(program), name) is not getattr(Algorithm, name)}
            learn = "tell_values" if "tell_values" in has else "tell"
            for name in ("start", "ask", learn, "recommend"):
                if name not in has:
                    raise _Refusal(-32000, f"class {type(program).__name__} does not define {name}; add the method")
            if ("state" in has) != ("restore" in has):
                raise _Refusal(-32000, f"class {type(program).__name__} defines only one of state and restore")
            self.methods.update({"start": self.start, "ask": self.ask, "tell": self.tell, "recommend": self.recommend})
            if "tell_values" in has:
                capabilities["values"] = True
            if "belief" in has:
                capabilities["belief"] = True
                self.methods["belief"] = self.belief
            if "state" in has:
                capabilities["state"] = True
                self.methods.update({"state": self.state, "restore": self.restore})
            if program.arms:
                capabilities["arms"] = True
            if program.ties and "tell_values" not in has:
                capabilities["ties"] = True
        else:
            kind = "problem"
            if type(program).evaluate is Problem.evaluate:
                raise _Refusal(-32000, f"class {type(program).__name__} does not define evaluate; add the method")
            self.methods.update({"describe": self.describe, "evaluate": self.evaluate})
        provenance = _provenance()
        provenance.update({k: str(v) for k, v in program.provenance.items()})
        self.identity = program.name or type(program).__name__, str(program.version)
        return {"protocol": min(protocol, PROTOCOL), "kind": kind, "name": self.identity[0], "version": self.identity[1],
                "capabilities": capabilities, "provenance": provenance}

    # Of algorithms. A run is replaced only when everything has gone well, so that a refused call changes nothing.

    def begin(self, params: Mapping[str, Any], begin: Callable[[Algorithm, Start], None]) -> _Run:
        with _Params():
            run_start, start = Start(params), Start(copy.deepcopy(params))  # the algorithm may change its own
        algorithm, self.spare = self.spare or self.make(), None
        assert isinstance(algorithm, Algorithm)
        declared = type(algorithm).settings
        if declared is not None:
            for name in start.settings:
                if name not in declared:
                    raise _Refusal(-32602, f"settings: there is no {name}; {type(algorithm).__name__} has "
                                           f"{', '.join(declared) or 'none'}")
            start.settings = {**copy.deepcopy(dict(declared)), **start.settings}
        try:
            if start.arms is not None and not algorithm.arms:
                raise Undefined("it does not choose from a list of points")
            begin(algorithm, start)
        except Undefined as e:
            raise _Refusal(-32001, str(e) or "undefined") from None
        return _Run(algorithm, run_start, params)

    def start(self, params: Mapping[str, Any]) -> Any:
        self.run = self.begin(params, lambda algorithm, s: algorithm.start(s))
        return {}

    def running(self, method: str) -> _Run:
        if self.run is None:
            raise _Refusal(-32600, f"{method}: start comes first")
        return self.run

    def ask(self, params: Mapping[str, Any]) -> Any:
        run = self.running("ask")
        if run.asked is None:
            answer = run.algorithm.ask()
            with _Returned(run.algorithm.ask, answer, f"two or more points, each of {_count(run.start.box.dim, 'number')}"):
                if isinstance(answer, Query):
                    points = _points(answer.points, "points", run.start.box.dim)
                    new = _whole(answer.new, "new", 0, len(points))
                else:
                    points = _points(answer, "points", run.start.box.dim)
                    new = _fresh(points, run.before + [run.start.start])
            run.asked = {"points": points, "new": new}
        return run.asked

    def tell(self, params: Mapping[str, Any]) -> Any:
        run = self.running("tell")
        with _Params():
            points = run.checked(params.get("points"))
            new = _whole(params.get("new"), "new", 0, len(points))
            values = winner = None
            if type(run.algorithm).tell_values is not Algorithm.tell_values:
                values = _vector(params.get("values"), "values", new)
            elif not run.algorithm.ties or "winner" not in params or params["winner"] is not None:
                winner = _whole(params.get("winner"), "winner", 0, len(points) - 1)
        copies = [list(x) for x in points]
        if values is not None:
            run.algorithm.tell_values(copies[len(copies) - new:], values)
        else:
            run.algorithm.tell(copies, winner)
        run.before, run.asked, run.recommended = points, None, None
        return {}

    def recommend(self, params: Mapping[str, Any]) -> Any:
        run = self.running("recommend")
        if run.recommended is None:
            answer = run.algorithm.recommend()
            form = f"a point of {_count(run.start.box.dim, 'number')}, or a list of (rule, point)"
            with _Returned(run.algorithm.recommend, answer, form):
                listed = _list(answer, "recommend")
                if listed and isinstance(listed[0], (list, tuple)):
                    pairs = [_list(pair, f"recommendations[{i}]") for i, pair in enumerate(listed)]
                else:
                    pairs = [["own", listed]]
                recommendations = []
                for i, pair in enumerate(pairs):
                    where = f"recommendations[{i}]"
                    if len(pair) != 2:
                        raise _Wrong(f"{where} is not a rule and a point")
                    rule = _text(pair[0], where + ".rule")
                    recommendations.append({"rule": rule, "x": _vector(pair[1], where + ".x", run.start.box.dim)})
            recommended: Dict[str, Any] = {"recommendations": recommendations}
            if type(run.algorithm).metrics is not Algorithm.metrics:
                recommended["metrics"] = self.metrics(run)
            run.recommended = recommended
        return run.recommended

    def metrics(self, run: _Run) -> List[Dict[str, Any]]:
        metrics: List[Dict[str, Any]] = []
        answer = run.algorithm.metrics()
        with _Returned(run.algorithm.metrics, answer, "finite numbers by name, of the same names every time"):
            for name, value in _object(answer, "metrics").items():
                value, kind = value if isinstance(value, tuple) else (value, "state")
                if kind not in ("work", "certificate", "state"):
                    raise _Wrong(f"metrics: {name} is of kind {_brief(kind)}, not work, certificate or state")
                metrics.append({"name": str(name), "value": _number(value, f"metrics: {name}"), "kind": kind})
            names = [m["name"] for m in metrics]
            if run.metric_names is None:
                run.metric_names = names  # of this run: a box of another dimension has other lengthscales
            if names != run.metric_names:
                raise _Wrong(f"metrics are {names}, and were {run.metric_names} before")
        return metrics

    def belief(self, params: Mapping[str, Any]) -> Any:
        run = self.running("belief")
        with _Params():
            points = run.checked(params.get("points"), at_least=1)
        answer = run.algorithm.belief([list(x) for x in points])
        form = f"estimate, lower and upper, each of {_count(len(points), 'number')} here: one for each point"
        with _Returned(run.algorithm.belief, answer, form):
            parts = list(answer) if isinstance(answer, tuple) else _list(answer, "belief")
            if len(parts) != 3:
                raise _Wrong(f"belief has {_count(len(parts), 'part')}, not 3")
            return {name: _vector(v, name, len(points)) for name, v in zip(Belief._fields, parts)}

    def state(self, params: Mapping[str, Any]) -> Any:
        run = self.running("state")
        assert self.identity is not None
        answer = run.algorithm.state()
        with _Returned(run.algorithm.state, answer, "lists, dicts, texts and finite numbers"):
            try:
                own = _decode(_encode(answer))  # of plain lists and numbers
            except (TypeError, ValueError, RecursionError) as e:
                raise _Wrong(f"state is not JSON: {_line(e)}") from None
        state = {"name": self.identity[0], "version": self.identity[1], "start": run.params, "before": run.before,
                 "asked": run.asked, "recommended": run.recommended, "metric_names": run.metric_names, "state": own}
        size = len(_encode(state))
        if size > MAX_STATE:
            raise _Refusal(-32000, f"the state is {size} bytes long, and at most {MAX_STATE} may be saved")
        return {"state": state}

    def restore(self, params: Mapping[str, Any]) -> Any:
        with _Params():
            saved = _object(params.get("state"), "state")
            if (saved.get("name"), saved.get("version")) != self.identity:
                raise _Wrong(f"the state is of {saved.get('name')} {saved.get('version')}, "
                                 f"and this is {' '.join(self.identity or ())}")
            start = _object(saved.get("start"), "state.start")
            if "state" not in saved:
                raise _Wrong("state.state is missing")
            before = [_vector(x, "state.before") for x in _list(saved.get("before"), "state.before")]
        run = self.begin(start, lambda algorithm, s: algorithm.restore(s, saved["state"]))
        run.before, run.asked, run.recommended = before, saved.get("asked"), saved.get("recommended")
        run.metric_names, self.run = saved.get("metric_names"), run
        return {}

    # Of problems.

    def problem(self) -> Problem:
        assert isinstance(self.spare, Problem)
        return self.spare

    def describe(self, params: Mapping[str, Any]) -> Any:
        problem = self.problem()
        about: Dict[str, Any] = {}
        if problem.arms is not None:
            about["arms"] = _points(problem.arms, "arms", at_least=1)
        elif problem.box is not None:
            if not isinstance(problem.box, Box):
                raise _Wrong(f"box is {_brief(problem.box)}; write it as popbench.Box(lo, hi)")
            about["box"] = {"lo": problem.box.lo, "hi": problem.box.hi}
        if problem.optimum is not None:
            about["optimum"] = _number(problem.optimum, "optimum")
        optimum_x = _points(problem.optimum_x, "optimum_x", at_least=0)
        if optimum_x:
            about["optimum_x"] = optimum_x
        for key, text in (("title", problem.title), ("source", problem.source)):
            if text:
                about[key] = text
        return about

    def evaluate(self, params: Mapping[str, Any]) -> Any:
        problem = self.problem()
        with _Params():
            x = _vector(params.get("x"), "x", problem.box.dim if problem.box else None)
            if problem.box is not None and not problem.box.contains(x):
                raise _Wrong(f"x = {x} is outside {problem.box}")
        value = problem.evaluate(x)
        with _Returned(problem.evaluate, value, "a finite number"):
            return {"value": _number(value, "value")}


class _Run:
    """A run of an algorithm, with what it has answered since the last tell."""

    def __init__(self, algorithm: Algorithm, start: Start, params: Mapping[str, Any]) -> None:
        self.algorithm, self.start, self.params = algorithm, start, params
        self.before: List[Point] = []  # the points of the query that was told last
        self.asked: Any = None
        self.recommended: Any = None
        self.metric_names: Optional[List[str]] = None

    def checked(self, value: Any, at_least: int = 2) -> List[Point]:
        """The points of a request. Raises ValueError."""
        points = _points(value, "points", self.start.box.dim, at_least)
        for i, x in enumerate(points):
            self.start.check(x, f"points[{i}]")
        return points


class _Params:
    """Errors within are about the params of a request."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        if isinstance(error, ValueError):
            raise _Refusal(-32602, str(error)) from None


class _Returned:
    """Errors within are about what a method of the program's class has returned; form says what it should be."""

    def __init__(self, method: Callable[..., Any], answer: Any, form: str) -> None:
        self.method, self.answer, self.form = method, answer, form

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        if not isinstance(error, _Wrong):
            return
        text = "it returned None" if self.answer is None else str(error)
        code = getattr(self.method, "__code__", None)
        place = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else ""
        name = getattr(self.method, "__qualname__", "the method")
        raise _Refusal(-32000, f"{text}; {name}{place} has to return {self.form}") from None


def _library(path: str) -> bool:
    """Whether a source file is of Python itself."""
    library = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
    return path.startswith(library) and "-packages" not in path[len(library):]


def _place(e: BaseException) -> str:
    """Where in the program an exception is from: the last line that is of no package."""
    here = os.path.abspath(__file__)
    for frame in reversed(traceback.extract_tb(e.__traceback__)):
        path = os.path.abspath(frame.filename)
        if path != here and not (frame.filename.startswith("<") or "-packages" in path or _library(path)):
            return f" ({os.path.basename(path)}:{frame.lineno}, in {frame.name})"
    return ""


def _traceback(e: BaseException) -> str:
    """The traceback from the program's class on: the frames of this file come before it."""
    tb = e.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename == __file__:
        tb = tb.tb_next
    return "".join(traceback.format_exception(type(e), e, tb))


def _provenance() -> Dict[str, str]:
    """The versions of Python and of the packages that are imported, by name."""
    versions = {"python": f"{platform.python_implementation()} {platform.python_version()}", "popbench": __version__}
    for name in sorted(sys.modules):
        module = sys.modules[name]
        version = vars(module).get("__version__") if hasattr(module, "__dict__") else None
        path = getattr(module, "__file__", None)
        if "." in name or name.startswith("_") or not isinstance(version, str) or not isinstance(path, str):
            continue
        if not _library(os.path.abspath(path)):
            versions.setdefault(name, version)
    return versions


# ---------------------------------------------------------------------------------------------------------------------
# An algorithm of popbench, from Python.


class Optimizer:
    """An algorithm that ``bench serve`` runs as a child process::

        with popbench.Optimizer("popbo", lo=[18, 0], hi=[30, 1]) as opt:
            for _ in range(20):
                a, b = opt.ask()
                opt.tell(preferred=1 if utility(b) > utility(a) else 0)
            print(opt.recommend())

    algorithm is a name of ``bench list algorithms``, or the command of any program of the protocol as a list of words.
    lo and hi are the bounds of the box; arms are the only points to choose from, for programs that can. start is the
    first point to compare with, the centre of the box by default. steps is the planned number of queries, 0 if unknown.
    seed is 0 to 2**53 - 1: the same seed and answers give the same queries. stream, 64 hexadecimal digits, replaces it.
    settings are those of ``bench list algorithms``; known is what is known of the utility, {"kernel": {...},
    "norm_bound": ...}; pilot are comparisons (points, winner) to fit hyper-parameters. state is what `state` returned,
    and replaces all of these.

    bench is the program's path. Without it the variable POPBENCH is used, then the program that was installed with this
    module, then ``bench`` in PATH.

    Every method raises `Error`. The experiment is then as it was before, unless the program has ended. After a tell that
    Ctrl-C interrupts, the answer counts: ask again. Only one thread at a time may use it.

    name, version, capabilities, provenance  as the program reports them
    """

    def __init__(self, algorithm: Union[str, Sequence[str]] = "popbo", lo: Optional[Vector] = None,
                 hi: Optional[Vector] = None, *, arms: Optional[Iterable[Vector]] = None, start: Optional[Vector] = None,
                 steps: int = 0, seed: int = 0, stream: Optional[str] = None, settings: Optional[Mapping[str, Any]] = None,
                 known: Optional[Mapping[str, Any]] = None, pilot: Iterable[Tuple[Iterable[Vector], int]] = (),
                 state: Any = None, bench: Optional[str] = None) -> None:
        params: Dict[str, Any] = {"cell": "python", "steps": steps, "seed": seed, "settings": dict(settings or {})}
        self._start: List[Point] = []
        if isinstance(state, (str, bytes)):
            raise _Wrong("state is a text; read it with json.loads first")
        for name in known or {}:
            if name not in ("kernel", "norm_bound"):
                raise _Wrong(f"known: there is no {name}; there are kernel and norm_bound")
        if state is None:
            if arms is not None:
                params["arms"] = _points(arms, "arms", at_least=1)
            elif lo is None or hi is None:
                raise TypeError("give lo and hi, the bounds of the box")
            else:
                box = Box(lo, hi)
                params["box"] = {"lo": box.lo, "hi": box.hi}
            if start is not None:
                params["start"] = _vector(start, "start")
            if stream is not None:
                params["stream"] = stream
            if known:
                params["known"] = dict(known)
            params["pilot"] = [{"points": _points(points, f"pilot[{i}]"), "winner": winner}
                               for i, (points, winner) in enumerate(pilot)]
            self._start = [Start(params).start]  # Start names what is wrong
        self._before: List[Point] = []  # the points of the query that was told last
        self._query: Optional[Query] = None
        self._recommended: Optional[Dict[str, Any]] = None
        command = [find_bench(bench), "serve", algorithm] if isinstance(algorithm, str) else list(algorithm)
        self._child = _Child(command)
        try:
            about = self._child.call("initialize", {"protocol": PROTOCOL, "client": {"name": "popbench.py",
                                                    "version": __version__}, "capabilities": {}})
            if about.get("protocol") != PROTOCOL or about.get("kind") != "algorithm":
                raise Error(f"{self._child.name} is not an algorithm that speaks protocol {PROTOCOL}: {_brief(about)}")
            self.name: str = about.get("name", "")
            self.version: str = about.get("version", "")
            self.capabilities: Dict[str, Any] = about.get("capabilities") or {}
            self.provenance: Dict[str, Any] = about.get("provenance") or {}
            if state is None:
                self._child.call("start", params)
            else:
                self._child.call("restore", {"state": state})
        except BaseException:
            self.close()
            raise

    def ask(self) -> List[Point]:
        """The points to compare next, two or more, oldest first. The same until tell."""
        return _points(self.query.points, "points")

    @property
    def query(self) -> Query:
        """The query of ask, with how many of its points are new."""
        if self._query is None:
            answer = self._child.call("ask")
            self._query = Query(_points(answer.get("points"), "points"), int(answer.get("new", 0)))
        return self._query

    def tell(self, points: Optional[Iterable[Vector]] = None, winner: Optional[int] = None, *,
             preferred: Optional[int] = None, values: Optional[Vector] = None, tie: bool = False) -> None:
        """Adds an answer: the index of the preferred point in the query of ask, or any points and the index of their winner.

        To an algorithm that learns from values, give values of the new points of the query, or of the last points given.
        To one that learns from ties, give tie=True if nobody can tell the points apart.
        """
        answers = {"winner": winner, "preferred": preferred, "values": values, "tie": tie or None}
        given = [name for name, answer in answers.items() if answer is not None]
        if len(given) != 1:
            raise Error("give the index of the preferred point, tell(preferred=1); or any points and the index of their "
                        "winner, tell(points, 1); or values, or tie=True")
        if points is None:
            if self._query is None:
                raise Error("tell without points answers the query of ask; call ask first, or give the points")
            told, new = _points(self._query.points, "points"), self._query.new
        else:
            told = _points(points, "points")
            new = _fresh(told, self._before + self._start)
        params: Dict[str, Any] = {"points": told, "new": new}
        if values is not None:
            params["values"] = _vector(values, "values")
            params["new"] = len(params["values"]) if points is not None else new
        elif tie:
            params["winner"] = None
        else:
            index = winner if preferred is None else preferred
            index = int(index) if isinstance(index, bool) else index  # of f(b) > f(a)
            params["winner"] = _whole(index, given[0], 0, len(told) - 1)
        known = self._before, self._query, self._recommended
        self._before, self._query, self._recommended = told, None, None  # also after Ctrl-C: the program has the answer
        try:
            self._child.call("tell", params)
        except Error:
            self._before, self._query, self._recommended = known
            raise

    def recommend(self) -> Point:
        """The point to use now."""
        return self.recommendations[0][1]

    @property
    def recommendations(self) -> List[Tuple[str, Point]]:
        """The point of each recommendation rule, with the name of the rule; the algorithm's own choice comes first."""
        return [(r["rule"], _vector(r["x"], "x")) for r in self._recommendation()["recommendations"]]

    @property
    def metrics(self) -> Dict[str, float]:
        """The algorithm's numbers after the last answer, by name."""
        return {m["name"]: float(m["value"]) for m in self._recommendation().get("metrics") or []}

    def _recommendation(self) -> Dict[str, Any]:
        if self._recommended is None:
            self._recommended = self._child.call("recommend")
        return self._recommended

    def belief(self, points: Iterable[Vector]) -> Belief:
        """The algorithm's estimate of the utility at each point, with lower and upper bounds."""
        answer = self._child.call("belief", {"points": _points(points, "points", at_least=1)})
        return Belief(*(_vector(answer[name], name) for name in Belief._fields))

    def state(self) -> Any:
        """The experiment so far, as JSON can hold it: ``Optimizer(algorithm, state=...)`` continues it."""
        return self._child.call("state")["state"]

    def close(self) -> None:
        """Ends the child process. Leaving a with block and the end of Python do it too."""
        self._child.end()

    def __enter__(self) -> Optimizer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise Error("an Optimizer cannot be copied, since it has a program that runs; make another from its state()")


def find_bench(path: Optional[str] = None) -> str:
    """The path of the program bench: the one given, or of the variable POPBENCH, or installed with this module, or in PATH.

    Raises `Error` if there is none.
    """
    for name, origin in ((path, "bench="), (os.environ.get("POPBENCH"), "the variable POPBENCH")):
        if name:
            found = shutil.which(name)
            if found is None:
                raise Error(f"{name}, from {origin}, is not a program, or may not be executed; give the path of bench")
            return os.path.abspath(found)
    here = os.path.dirname(os.path.abspath(__file__))
    for scheme in sysconfig.get_scheme_names():
        if here in (sysconfig.get_path("purelib", scheme), sysconfig.get_path("platlib", scheme)):
            found = shutil.which("bench", path=sysconfig.get_path("scripts", scheme))
            if found is not None:
                return found
    found = shutil.which("bench")
    if found is None:
        raise Error("there is no program bench; install the wheel of popbench, which carries it, or build it with "
                    "go build -o bin/ ./cmd/bench and set POPBENCH to its path")
    return found


class _Child:
    """A program of the protocol. It ends when its standard input does, so also if this process is killed."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = " ".join(command)
        self.id = 0
        self.log = tempfile.TemporaryFile()  # a file never fills up, as a pipe that nobody reads does
        # In a group of its own, so that Ctrl-C in a terminal interrupts the caller only.
        own: Dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, **own)
        except OSError as e:
            self.log.close()
            raise Error(f"{self.name} cannot be started: {_line(e)}") from None
        self.end = weakref.finalize(self, _end, self.process, self.log)

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """The result of a request."""
        if not self.end.alive:
            raise Error(f"{self.name} has ended; make another Optimizer")
        self.id += 1
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        try:
            message = _encode({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params or {}})
        except (TypeError, ValueError) as e:
            raise Error(f"{method}: {_line(e)}") from None
        try:
            stdin.write(message)
            stdin.flush()
        except OSError:
            pass  # it has ended, and what it said is more to the point
        while True:
            line = stdout.readline()
            if not line:
                raise Error(self.epitaph(method))
            try:
                answer = _object(_decode(line), "the message")
                ident = answer.get("id", 0)  # a notification has none
            except (ValueError, TypeError, RecursionError):
                self.end()
                raise Error(f"{self.name} is not a program of the protocol: it printed {_brief(line.decode(errors='replace'))}"
                            ) from None
            if isinstance(ident, int) and ident < self.id:
                continue  # the answer to a call that Ctrl-C interrupted
            if answer.get("error") is not None:
                error = answer["error"]
                raise Error(f"{method}: {error.get('message')}", error.get("code"), error.get("data"))
            if not isinstance(answer.get("result"), dict):
                raise Error(f"{method}: the answer has no result: {_brief(answer)}")
            result: Dict[str, Any] = answer["result"]
            return result

    def epitaph(self, method: str) -> str:
        """Why the program ended, as far as it is known."""
        try:
            code: Any = self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            code = "none, its standard output ended"
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 4096))
        said = self.log.read().decode(errors="replace").strip()
        self.end()
        return f"{method}: {self.name} ended (exit code {code})" + (f": {said}" if said else "")


def _end(process: subprocess.Popen[Any], log: Optional[IO[bytes]] = None) -> None:
    """Ends a process: by the end of its input, or less kindly."""
    try:
        assert process.stdin is not None
        process.stdin.close()
    except OSError:
        pass  # it has ended, and did not read everything
    for harder in (process.terminate, process.kill, None):
        try:
            process.wait(_PATIENCE)
            break
        except subprocess.TimeoutExpired:
            if harder is not None:
                harder()
    assert process.stdout is not None
    process.stdout.close()
    if log is not None:
        log.close()


# ---------------------------------------------------------------------------------------------------------------------
# A run of a suite.


def run(suite: _Path, out: Optional[_Path] = None, *, seeds: Union[None, int, str] = None, workers: Optional[int] = None,
        force: bool = False, quiet: bool = False, bench: Optional[str] = None) -> str:
    """Runs a suite as ``bench run`` does, and returns the path of its results folder.

    suite    a YAML file, or the name of a suite that is part of the program: ``bench list suites``
    out      the results folder; results/NAME by default, with the name of the suite. Complete cells in it are kept
    seeds    how many repetitions, in place of the suite's number, or which: "31-60"
    workers  how many cells run at the same time; one for each core by default
    force    whether complete cells run again
    quiet    whether no progress goes to sys.stderr
    bench    path of the program; without it as for `Optimizer`

    A suite file may name programs, which are started with your rights. Raises `FailedCells` if some cells failed, and
    another `Error`, in bench's words, if the suite could not be run.
    """
    path = os.fspath(suite)
    if path.startswith("-"):  # a file, and no flag
        path = os.path.join(".", path)
    command = [find_bench(bench), "run", path]
    for flag, value in (("--out", out), ("--seeds", seeds), ("--workers", workers)):
        if value is not None:
            command += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    process = subprocess.Popen(command + ["--force"] * force, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    folder, errors = "", []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("bench: "):
                errors.append(line[len("bench: "):].strip())
            elif not quiet:
                sys.stderr.write(line)
            if line.startswith("results: "):
                folder = line[len("results: "):-1]
        code = process.wait()
    finally:
        _end(process)  # after an interrupt, which bench may have got too: records are complete at any instant
    named, folder = folder, folder if out is None else os.fspath(out)
    message = "; ".join(errors) or f"{command[0]} run {os.fspath(suite)} ended (exit code {code})"
    if code == 1 and named:
        raise FailedCells(message, folder)
    if code != 0:
        raise Error(message)
    if not named:
        raise Error(f"{command[0]} run {os.fspath(suite)} named no results folder; is it bench?")
    return folder


# ---------------------------------------------------------------------------------------------------------------------
# Records.

_Record = Tuple[Dict[str, Any], List[Dict[str, Any]], Dict[str, Any]]  # header, steps, footer


class Records:
    """The records of a results folder as rows; see `read`. Each loop over it reads the folder again."""

    def __init__(self, folder: _Path, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f'on_error is {on_error!r}, not "raise" or "skip"')
        self.folder = os.fspath(folder)
        self.on_error = on_error

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        for folder in self._folders():
            files = _Files(folder)
            best = self._best(files)
            for name in files.names:
                for header, steps, footer in self._records(files, name):
                    yield from _rows(header, steps, footer, best)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. Metrics that an algorithm does not have are NaN."""
        return importlib.import_module("pandas").DataFrame(list(self))

    def _folders(self) -> List[str]:
        """The folder or archive itself, or the results folders in it."""
        if os.path.isfile(self.folder) or os.path.isdir(os.path.join(self.folder, "records")):
            return [self.folder]
        names = sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []
        folders = [os.path.join(self.folder, n) for n in names if os.path.isdir(os.path.join(self.folder, n, "records"))]
        if not folders:
            raise Error(f"{self.folder} has no records; make them with bench run SUITE.yaml")
        return folders

    def _best(self, files: _Files) -> Dict[str, float]:
        """The best value of the complete runs on each problem with an unknown optimum."""
        best: Dict[str, float] = {}
        for path in files.names:
            try:
                problem = _decode(files.head(path))["problem"]
                known = problem.get("optimum") is not None
            except (_Unreadable, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue  # reading the rows reports what is wrong
            if known:
                continue
            for header, steps, footer in self._records(files, path, quiet=True):
                if footer["status"] != "ok":
                    continue
                name = header["problem"]["name"]
                for s in steps:
                    values = s["utility"] + [r["utility"] for r in s["recommendations"]]
                    best[name] = max(values + [best.get(name, -math.inf)])
        return best

    def _records(self, files: _Files, name: str, quiet: bool = False) -> Iterator[_Record]:
        """The records of a file, of which there are several in a compact folder."""
        try:
            pieces = files.pieces(name)
        except Error as e:
            self._damaged(e, quiet)
            return
        for first, data in pieces:
            try:
                record = _parse(files.path(name), name, first, data)
            except Error as e:
                self._damaged(e, quiet)
            else:
                yield record

    def _damaged(self, e: Error, quiet: bool) -> None:
        if self.on_error == "raise":
            raise e
        if not quiet:
            warnings.warn(f"left out: {e}", stacklevel=5)


def read(folder: _Path, on_error: str = "raise") -> Records:
    """The records of a results folder, of all results folders in it, or of an archive, as rows: a dict for each step and rule.

    The rows come one record at a time, so that the folder may be larger than memory, ordered by problem, algorithm and
    repetition. A damaged record raises `Error` with file and line; with on_error="skip" it is left out with a warning.
    Utilities are in the scale of the suite and maximised. The columns:

    suite, problem, algorithm  names; the algorithm's is its label in the suite, the column label of ``bench export``
    method           the algorithm's own name, such as "qeubo"; "external" of a program; algorithm of ``bench export``
    repetition       from 0
    seed             of the suite
    step             from 1
    rule, selected   the recommendation rule, and whether it is the one that the settings select
    x, utility       the recommended point, and the utility there
    suboptimality    optimum - utility
    points, new, winner  the query: its points, how many at the end are new, and the index of the preferred one
    regret           mean of optimum - utility over the new points of the query; None if none is new
    cumulative_regret    sum of the regrets so far
    optimum          the largest utility; if it is unknown, the best of all complete runs in the folder
    optimum_known    whether it is known; optimum and what is computed from it are None if no run is complete
    complete         whether the run made all its steps
    imported         whether bench import made the record from a table: x, points and winner are then None, and utilities
                     are relative to the optimum where it is known
    metric_NAME      the algorithm's metrics of the step, such as metric_newton

    Archives and compact folders of ``bench export`` have the selected rule only and no points: points and x are None. Their
    metrics stand in the last step, for the whole run.
    """
    return Records(folder, on_error)


def results(folder: _Path, on_error: str = "raise") -> Table:
    """The rows of `read` for the selected rule, one for each step of each run: a pandas.DataFrame, or without pandas a list.

    folder is what `run` returned, a folder of several, or an archive of ``bench export --format archive``. All rows are in
    memory at once.
    """
    return _table([row for row in read(folder, on_error) if row["selected"]])


def field(folder: Optional[_Path] = None) -> Table:
    """The average ranks of all methods, as ``bench field`` made them: a pandas.DataFrame, or without pandas a list of dicts.

    folder is what ``bench field --out`` names; without it results/field, here or in a folder above. It has a row for each
    method with each oracle after each number of steps, the best first. Raises `Error` if there are no ranks. The columns:

    oracle          how often the better of two points wins that are one unit of scaled utility apart: "73 % right"
    steps           after how many steps
    problems        on how many problems
    method          the label
    rank            the average rank by the mean suboptimality; 1 is the best
    ci_lo, ci_hi    its 95 % interval by resampling problems and runs
    published_rank  of a tuned method: the rank of its published form in its place. NaN of others, None without pandas

    Programs of others are ranked on the page only.
    """
    if folder is None:
        above = os.getcwd()
        while not os.path.isfile(os.path.join(above, "results", "field", _RANKS)):
            if above == os.path.dirname(above):
                raise Error("there is no results/field here or in a folder above; it is in popbench's repository, and bench "
                            "field makes it: name its folder")
            above = os.path.dirname(above)
        folder = os.path.join(above, "results", "field")
    path = os.path.join(os.fspath(folder), _RANKS)
    rows: List[Dict[str, Any]] = []
    try:
        with open(path, encoding="utf-8", newline="") as f:
            for line in csv.DictReader(f):
                row: Dict[str, Any] = {"oracle": line["oracle"], "steps": int(line["steps"]), "problems": int(line["problems"]),
                                       "method": line["method"][line["method"].startswith("'"):]}  # the CSV's mark of a text
                for key in ("rank", "ci_lo", "ci_hi", "published_rank"):
                    row[key] = float(line[key]) if line[key] else None
                rows.append(row)
    except OSError as e:
        raise Error(f"{path} cannot be read: {e.strerror}; bench field --out FOLDER makes it") from None
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise Error(f"{path} has no table of ranks: {_line(e)}; bench field --out FOLDER makes it") from None
    return _table(rows)


_RANKS = "ranks.csv"


def _table(rows: List[Dict[str, Any]]) -> Table:
    try:
        return importlib.import_module("pandas").DataFrame(rows)
    except ImportError:
        return rows


_COMPACT = ".jsonl.gz"  # ends the name of a file of a compact folder, which has all runs of an algorithm on a problem


class _Unreadable(Error):
    """A file that cannot be read."""


class _Files:
    """The files of the records of a results folder or an archive.

    names  below records, in the order of their cells. A file of a run that is going on is not among them
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.archive: Optional[zipfile.ZipFile] = None
        if os.path.isfile(folder):
            try:
                self.archive = zipfile.ZipFile(folder)
            except (OSError, zipfile.BadZipFile) as e:
                raise Error(f"{folder} is not an archive: {_line(e)}; bench export --format archive makes one") from None
            names = [n[len("records/"):] for n in self.archive.namelist() if n.startswith("records/") and n.endswith(_COMPACT)]
        else:
            top = os.path.join(folder, "records")
            names = [os.path.relpath(os.path.join(parent, n), top).replace(os.sep, "/") for parent, _, inside in os.walk(top) for n in inside]

        def order(name: str) -> List[Tuple[str, int, str]]:
            *folders, last = name.split("/")
            cell = ("", len(last), last)  # 1000 comes after 999
            if not last.endswith(".jsonl"):
                cell = (urllib.parse.unquote(last[:-len(_COMPACT)]), 0, "")
            return [(urllib.parse.unquote(n), 0, "") for n in folders] + [cell]
        self.names = sorted((n for n in names if not n.endswith(".tmp")), key=order)

    def path(self, name: str) -> str:
        """What errors call the file."""
        return os.path.join(self.folder, "records", *name.split("/"))

    def head(self, name: str) -> bytes:
        """The first line of a file."""
        if name.endswith(_COMPACT):
            return self.data(name).split(b"\n", 1)[0]
        try:
            with open(self.path(name), "rb") as f:
                return f.readline()
        except OSError as e:
            raise _Unreadable(_line(e)) from None

    def data(self, name: str) -> bytes:
        """The content of a file, unpacked."""
        path = self.path(name)
        if self.archive is None and not os.path.isfile(path):
            raise _Unreadable(f"{path}:0: this is no regular file; {_remedy(name)}")
        try:
            if self.archive is not None:
                data = self.archive.read("records/" + name)
            else:
                with open(path, "rb") as f:
                    data = f.read()
            return gzip.decompress(data) if name.endswith(_COMPACT) else data
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as e:
            raise _Unreadable(f"{path} cannot be read: {_line(e)}") from None

    def pieces(self, name: str) -> List[Tuple[int, bytes]]:
        """The records of a file with the numbers of their first lines."""
        data = self.data(name)
        if not name.endswith(_COMPACT):
            return [(1, data)]
        pieces: List[Tuple[int, bytes]] = []
        first, start = 1, 0
        while start < len(data) or not pieces:
            end = data.find(b'\n{"kind":"header"', start) + 1 or len(data)
            pieces.append((first, data[start:end]))
            first, start = first + data.count(b"\n", start, end), end
        return pieces


def _remedy(name: str) -> str:
    if name.endswith(_COMPACT):
        return "export the results again"
    return "run the suite again: bench run repeats this cell"


def _parse(path: str, name: str, first: int, data: bytes) -> _Record:
    """A record that begins in a line of the file at path, whose name below records is given. Raises Error with file and line."""
    remedy = _remedy(name)

    def fail(number: int, what: str) -> NoReturn:
        raise Error(f"{path}:{first - 1 + number}: {what}; {remedy}")

    lines = data.split(b"\n")
    if lines.pop() != b"" or not lines:
        fail(len(lines) + 1, "the record is cut short in the middle of a line" if data else "the file is empty")
    objects: List[Dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            objects.append(dict(_object(_decode(line), "the line")))
        except (ValueError, TypeError, RecursionError) as e:
            fail(number, f"this is not a JSON object: {_line(e)}")
        want = "header" if number == 1 else "footer" if number == len(lines) else "step"
        kind = objects[-1].get("kind")
        if kind != want:
            fail(number, f"the record has no footer, so it is cut short" if want == "footer" and kind == "step" else
                 f"this is {_brief(kind)}, not a {want}")
    header, steps, footer = objects[0], objects[1:-1], objects[-1]
    number = 1
    try:
        if header["format"] != 2:
            fail(1, f"the record has format {_brief(header['format'])}, and popbench.py {__version__} reads 2")
        cell = header["cell"]
        if name != (cell.rpartition("/")[0] + _COMPACT if name.endswith(_COMPACT) else cell + ".jsonl"):
            fail(1, f"this is the record of {cell}, but its file is {name}")
        problem, algorithm = _object(header["problem"], "problem"), _object(header["algorithm"], "algorithm")
        for text in (header["suite"], problem["name"], algorithm["name"], algorithm["label"]):
            _text(text, "suite, problem or algorithm")
        if problem.get("optimum") is not None:
            _number(problem["optimum"], "problem.optimum")
        dim = len(problem["lo"] or [])  # a run that failed early, or is imported, has no box
        imported = header.get("imported") is not None
        if imported and not name.endswith(_COMPACT):
            remedy = "import the table again"
        points = not imported and not header.get("compact")
        _whole(header["repetition"], "repetition", 0)
        for t, s in enumerate(steps, 1):
            number = t + 1
            if s["t"] != t:
                fail(number, f"this is step {_brief(s['t'])}, but step {t} is next")
            n = len(_points(s["points"], "points", dim)) if points else None
            n = len(_vector(s["utility"], "utility", n, 0 if imported else 1))
            _whole(s["new"], "new", 0, n)
            if not imported:
                _whole(s["winner"], "winner", 0, n - 1)
            for i, r in enumerate(_list(s["recommendations"], "recommendations")):
                where = f"recommendations[{i}]"
                _text(r["rule"], where + ".rule")
                if points:
                    _vector(r["x"], where + ".x", dim)
                _number(r["utility"], where + ".utility")
            for name, value in _object(s.get("metrics", {}), "metrics").items():
                _number(value, "metrics." + name)
        number = len(lines)
        if footer["steps"] != len(steps):
            fail(number, f"the footer counts {_brief(footer['steps'])} steps, there are {len(steps)}")
        if footer["sha256"] != hashlib.sha256(data[:len(data) - len(lines[-1]) - 1]).hexdigest():
            fail(number, "the checksum is not that of the lines before: the record was changed")
        if footer["status"] not in ("ok", "failed") or footer["status"] == "ok" and len(steps) != header["budget"]:
            fail(number, f"status is {_brief(footer['status'])} after {len(steps)} of {header['budget']} steps")
    except KeyError as e:
        fail(number, f"there is no {e.args[0]}")
    except (ValueError, TypeError, AttributeError) as e:
        fail(number, _line(e))
    return header, steps, footer


def _rows(header: Dict[str, Any], steps: List[Dict[str, Any]], footer: Dict[str, Any],
          best: Dict[str, float]) -> Iterator[Dict[str, Any]]:
    problem, algorithm, imported = header["problem"], header["algorithm"], header.get("imported") is not None
    optimum: Optional[float] = problem.get("optimum")
    known = optimum is not None
    if not known:
        optimum = best.get(problem["name"])
    cumulative = 0.0
    for s in steps:
        regret = None
        if optimum is not None and s["new"] > 0:
            regret = sum((optimum - f) / s["new"] for f in s["utility"][len(s["utility"]) - s["new"]:])
            cumulative += regret
        for i, r in enumerate(s["recommendations"]):
            row: Dict[str, Any] = {
                "suite": header["suite"], "problem": problem["name"], "algorithm": algorithm["label"],
                "method": algorithm["name"], "repetition": header["repetition"], "seed": header.get("seed"),
                "step": s["t"], "rule": r["rule"], "selected": i == 0, "x": None if imported else r["x"],
                "utility": r["utility"],
                "suboptimality": None if optimum is None else optimum - r["utility"],
                "points": None if imported else s["points"], "new": s["new"],
                "winner": None if imported else s["winner"], "regret": regret,
                "cumulative_regret": None if optimum is None else cumulative, "optimum": optimum,
                "optimum_known": known, "complete": footer["status"] == "ok", "imported": imported,
            }
            row.update(("metric_" + name, value) for name, value in s.get("metrics", {}).items())
            yield row
