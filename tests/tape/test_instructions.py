"""Functions whose text cannot be had: their instructions are rewritten, and they are recorded."""

import contextlib
import math
import os
import py_compile
import subprocess
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad import SrcgradError, grad, hessian, hvp, jacobian, jvp, tape, value_and_grad, vjp
from srcgrad.errors import NotFiniteError, SourceNotFoundError
from srcgrad.tape import instructions, rewriting
from srcgrad.tape.assembly import put_together, taken_apart
from tests import finite_differences as fd
from tests.in_memory import execute
from tests.programs.table import programs
from tests.tape.test_programs import PROGRAMS as ON_THE_TAPE
from tests.tape.test_table import assert_same, is_plain
from tests.test_programs import as_tuple, assert_equal, pick, wrt_of

FILES = sorted(Path(os.__file__).parent.glob("*.py"))
POINT = np.array([0.7, 1.3, 2.1])
DIRECTION = np.array([0.3, -0.5, 0.2])


@contextlib.contextmanager
def no_text():
    """Let no function have a text, for the tape."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewriting, "_rewrite", lambda code, *_: rewriting.code_of_code(code))
        patch.setattr(rewriting, "_made", {})
        yield


def codes_of(file):
    """Return the code of all functions, classes and modules in a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        waiting = [compile(file.read_bytes(), str(file), "exec")]
    for code in waiting:
        waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return waiting


@pytest.mark.one_of(24)
@pytest.mark.parametrize("file", [pytest.param(f, id=f.name) for f in FILES])
def test_taken_apart_and_put_together(file):
    """Code that is taken apart and put together again is what it was; all of it is known."""
    for code in codes_of(file):
        steps, protected = taken_apart(code)
        made = put_together(code, [[step] for step in steps], protected, list(code.co_consts))
        assert made.co_code == code.co_code
        assert made.co_exceptiontable == code.co_exceptiontable
        assert [*made.co_positions()] == [*code.co_positions()]
        alone = tuple(None if isinstance(c, types.CodeType) else c for c in code.co_consts)
        made = instructions.rewritten(code.replace(co_consts=alone), rewriting.HELPERS)
        assert made is not None, code.co_qualname


@pytest.mark.one_of(9)
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in programs() if is_plain(c)])
def test_programs_of_the_table(case):
    """Without text, programs have the value and the derivatives that they have with it."""
    found, rng, wrt = [], np.random.default_rng(5), wrt_of(case)
    weights = fd.random_like(case.fn(*case.make_args()), rng)
    inner = tuple(fd.random_like(x, rng) for x in pick(case, case.make_args()))
    for around in (contextlib.nullcontext, no_text):
        args, plain = case.make_args(), case.make_args()
        with around():
            value, backward = tape.vjp(case.fn, *args, wrt=wrt)
            gradients = as_tuple(case, backward(weights))
            if not case.vector and case.order2:
                _, second = tape.vjp(tape.grad(case.fn, wrt=wrt), *case.make_args(), wrt=wrt)
                gradients += as_tuple(case, second(inner if len(inner) > 1 else inner[0]))
        primal = case.fn(*plain)
        for ours, theirs in zip(fd.leaves(value), fd.leaves(primal), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
        assert_equal(args, plain)  # what it writes into
        found.append(gradients)
    assert_same(*found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.one_of(72)
@pytest.mark.parametrize("f", [pytest.param(*p.values, id=p.id) for p in ON_THE_TAPE])
def test_programs_that_are_recorded(f):
    """What has no generated code anyhow is the same without text, in every mode."""
    found = []
    for around in (contextlib.nullcontext, no_text):
        with around():
            value, slope = tape.value_and_grad(f)(POINT.copy())
            _, dot = tape.jvp(f, (POINT.copy(),), (DIRECTION,))
            _, second = tape.jvp(tape.grad(f), (POINT.copy(),), (DIRECTION,))
        found.append([value, slope, dot, second])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


# Programs that are executed, so that no file has their text


def executed(text, **names):
    """Return what a text defines as ``f``."""
    space = {"__name__": "executed", "np": np, **names}
    exec(compile(text, "<of no file>", "exec"), space)
    return space["f"]


PROGRAM = """
import math
import functools
from dataclasses import dataclass

def scaled(x, *, by=2.0, **more):
    return math.sin(x) * by + more.get("shift", 0.0)

def spread(*args, **options):
    return scaled(*args, **options)

class Model:
    rate = 1.5
    def __init__(self, w):
        self.w = w
        self.seen = []
    def energy(self, x):
        self.seen.append(x[0])
        return np.sum(self.w * x) * self.rate
    @property
    def size(self):
        return np.sum(self.w**2)
    @staticmethod
    def twice(x):
        return 2.0 * x
    @classmethod
    def made(cls, w):
        return cls(w)
    def __add__(self, other):
        return math.exp(other) + self.w[0]

class Better(Model):
    def energy(self, x):
        return super().energy(x) + super(Better, self).size

@dataclass
class Point:
    a: object
    b: object
    def norm(self):
        return self.a**2 + self.b**2

def numbers(x):
    for k in range(len(x)):
        got = yield x[k] * k
        if got is not None:
            yield got
    yield from (v * 3.0 for v in x)

def f(x):
    y = np.zeros(3)
    for k, v in enumerate(x):
        y[k] = v**2
    y[1] += x[0]
    y[:2] *= 1.5
    parts = [scaled(v, by=1.5, shift=v) for v in y]
    table = {str(k): v for k, v in enumerate(parts)}
    model = Better.made(x)
    with np.errstate(all="ignore"):
        total = sum(u * u for u in parts)
    try:
        total /= x[0]
        raise KeyError("gone")
    except KeyError as error:
        total = total + len(str(error)) * x[1]
    finally:
        total = total * 1.25
    point = Point(x[0], b=x[1])
    match point:
        case Point(a=first, b=second):
            total += first * second
    first, *others = x
    (total, extra), others[0] = (total, -first), first * 2
    add = lambda u, k=2: u + k * total
    pair = (x[0], {"by": 3.0})
    total = total + spread(pair[0], **pair[1]) + spread(*[x[2]])
    g = numbers(x)
    total += next(g) + g.send(x[1]) + sum(g)
    local = functools.partial(scaled, by=x[1])
    total += local(0.3) + np.array([x[0], 2.0])[0] + float(x[1]) + (model + x[0])
    z = x.copy()
    z.sort()
    z[0] -= x[1]
    total += (z @ x) + eval("x[0] * x[1]") + extra + others[0] + abs(-x[0])
    exec("y[2] = x[1] * 4.0")
    total += f"{total:.2f}".count(".") * y[2] if y[0] < 1e9 else 0.0
    while True:
        total += table["1"]
        break
    return add(model.energy(x)) + point.norm() + Model.twice(x[2]) + model.seen[0]
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Return one program twice: from no file, and from a file."""
    path = tmp_path_factory.mktemp("program") / "program_in_a_file.py"
    path.write_text("import numpy as np\n" + PROGRAM)
    space = {"__name__": "in_a_file"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return executed(PROGRAM), space["f"]


MODES = {
    "grad": lambda f: grad(f)(POINT.copy()),
    "value_and_grad": lambda f: np.hstack(value_and_grad(f)(POINT.copy())),
    "vjp": lambda f: vjp(f, POINT.copy())[1](1.5),
    "jvp": lambda f: np.array(jvp(f, (POINT.copy(),), (DIRECTION,))),
    "hvp": lambda f: hvp(f)(POINT.copy(), DIRECTION),
    "hessian": lambda f: hessian(f)(POINT.copy()),
    "jacobian": lambda f: jacobian(lambda x: f(x) * x)(POINT.copy()),
    "decorator": lambda f: srcgrad.differentiate(f).grad(POINT.copy()),
    "third": lambda f: hessian(lambda x: np.sum(grad(f)(x)))(POINT.copy()),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.one_of(3)
def test_every_mode(pair, mode, monkeypatch):
    """A program from no file has the derivatives that it has in a file."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    without, inside = (MODES[mode](f) for f in pair)
    np.testing.assert_allclose(without, inside, rtol=1e-11)


def test_against_differences(pair):
    """The gradient is that of the program."""
    slope = grad(pair[0], recorded="allow")(POINT.copy())
    h = 1e-6
    for k, unit in enumerate(np.eye(3)):
        ahead, behind = pair[0](POINT + h * unit), pair[0](POINT - h * unit)
        np.testing.assert_allclose(slope[k], (ahead - behind) / (2 * h), rtol=1e-6)


def test_namespaces_without_a_name():
    """Classes executed in an empty namespace say that they are Python's own, and are not."""
    text = """
import numpy as np
class A:
    def __init__(self, w):
        self.w = w
    def m(self, x):
        y = np.zeros(2)
        y[0] = self.w[0] * x[1]
        return y[0] * 3.0
def f(x):
    return A(x).m(x)
"""
    for space in ({}, {"__name__": None}):
        exec(text, space)
        slope = grad(space["f"], recorded="allow")(np.array([2.0, 5.0]))
        np.testing.assert_allclose(slope, [15.0, 6.0])


def test_objects_of_classes_without_a_name():
    """What is differentiated in an object of such a class is found, and written back."""
    space = {}
    exec("class A: pass\ndef f(a):\n    a.y = a.w * 2.0\n    return a.w * a.y", space)
    a = space["A"]()
    a.w = 3.0
    assert tape.grad(space["f"])(a).w == 12.0
    assert a.y == 6.0
    assert type(a.y) is float


def test_code_that_is_executed():
    """Code objects that a function executes are rewritten as text is."""
    code = compile("y[0] = math.sin(x)", "<of no file>", "exec")

    def f(x):
        y = np.zeros(2)
        exec(code, {"math": math}, {"x": x, "y": y})
        exec(b"y[1] = x * x", {}, {"x": x, "y": y})
        return eval(compile("np.sum(y) + x", "<of no file>", "eval"), {"np": np, "y": y, "x": x})

    np.testing.assert_allclose(tape.grad(f)(0.5), np.cos(0.5) + 1.0 + 1.0)


def test_calls_that_look_at_their_frame():
    """They are given that of the function, with its text and without, under any name."""
    text = """
import inspect, sys, builtins
run = builtins.exec
k = 2.0
def above():
    return sys._getframe(1).f_locals["y"], inspect.currentframe().f_back.f_locals["y"]
def vars(x):
    return x.sum()
def f(x):
    y = x * 3.0
    total = sum(above()) + eval("k * y") + locals()["y"] + inspect.stack()[0].frame.f_locals["x"]
    total += sys._getframe().f_locals["x"] * globals()["k"] + len(dir())
    space = {"y": y, "np": np, "z": np.zeros(2)}
    run("z[0] = y * y; z = z * 2.0", space)
    total += eval("sum(v for v in z)", space) + vars(space["z"])
    return total + [eval("k", None, {"k": y})][0] + sum(eval("v * v") for v in (y, x))
"""
    space = {"np": np}
    exec(text, space)

    def f(x):
        return 3 * x + 3 * x + 6 * x + 3 * x + x + 2 * x + 36 * x * x + 3 * x + 10 * x * x

    assert abs(space["f"](1.5) - f(1.5) - 3) < 1e-12
    expected = tape.grad(f)(1.5)
    np.testing.assert_allclose(tape.grad(space["f"])(1.5), expected)
    np.testing.assert_allclose(tape.grad(of_a_file(text))(1.5), expected)


def test_classes_that_calls_make():
    """A class made by a call is one of the module of the function, and its properties are seen."""
    text = """
import collections, enum
def f(x):
    y = np.zeros(2)
    y[0] = x * x
    A = type("A", (), {"twice": property(doubled), "y": y})
    P = collections.namedtuple("P", "a b")
    kinds = [A.__module__, P.__module__, enum.Enum("E", "a b").__module__]
    return A().twice.sum() * P(x, 1.0).a, kinds
def doubled(self):
    return self.y * 2.0
"""
    f = executed(text)
    (value, kinds), backward = tape.vjp(f, 3.0)
    assert kinds == ["executed"] * 3
    assert (value, backward((1.0, None))) == (54.0, 54.0)


def test_generators_that_hand_exceptions_on():
    """What is thrown into a generator reaches the one that it hands on."""
    f = executed(
        "def inner(x):\n"
        "    try:\n        yield x * 2.0\n"
        "    except KeyError:\n        yield x * 5.0\n    return x\n"
        "def outer(x):\n    got = yield from inner(x)\n    yield got * 7.0\n"
        "def f(x):\n    g = outer(x)\n    return next(g) + g.throw(KeyError()) + next(g)\n"
    )
    assert tape.grad(f)(3.0) == 14.0


def test_code_that_runs_where_nothing_is_recorded():
    """In another thread, a function that is being recorded does what it does without a tape."""
    f = executed(
        "import threading\n"
        "def told(found, k=3):\n    found.append((sorted(locals()), eval('k + 1'), dir()))\n"
        "def f(x):\n    found = []\n    told([])\n"
        "    thread = threading.Thread(target=told, args=(found,))\n"
        "    thread.start()\n    thread.join()\n"
        "    return x * (found == [(['found', 'k'], 4, ['found', 'k'])])\n"
    )
    assert tape.grad(f)(3.0) == 1.0


def of_a_file(text):
    """Return what a text defines as ``f``, which ``linecache`` is told."""
    name = "<a file of frames>"
    space = execute(text, name, {"np": np, "__name__": "of_a_file"})
    return space["f"]


def test_a_function_whose_code_was_changed():
    """The code that runs counts, not the text of the file."""

    def f(x):
        return x**2

    def g(x):
        return np.sum(np.sin(x))

    f.__code__ = g.__code__
    np.testing.assert_allclose(grad(f, recorded="allow")(POINT), np.cos(POINT))
    h = types.FunctionType(f.__code__.replace(co_filename="/of/no/file.py"), globals())
    np.testing.assert_allclose(grad(h, recorded="allow")(POINT), np.cos(POINT))


def test_called_from_functions_with_text():
    """A helper without text is recorded with its caller."""
    helper = executed("def f(x):\n    y = np.zeros(3)\n    y[:] = x * x\n    return y")

    def loss(x):
        return np.sum(helper(x) * x)

    np.testing.assert_allclose(grad(loss, recorded="allow")(POINT), 3 * POINT**2)


def test_callbacks_without_text():
    """Functions that libraries call are rewritten, too."""
    square = executed("import math\ndef f(x):\n    return math.pow(x, 3)")

    def f(x):
        return sum(map(square, x)) + max(x, key=square)

    np.testing.assert_allclose(tape.grad(f)(POINT), 3 * POINT**2 + [0.0, 0.0, 1.0])


def test_formulas_without_text():
    """Formulas are read, so that one without text is refused where it is registered."""
    with pytest.raises(SourceNotFoundError, match="the source of rule cannot be read"):
        executed(
            "from srcgrad import formula\n"
            "def f(x):\n    return x * x * x\n"
            "@formula(f)\n"
            "def rule(x):\n    return x * x * x, lambda bar: 3 * x * x * bar\n"
        )


# What is refused


BACKWARD_OF = """
from srcgrad import backward_of
def f(x):
    h = x * x
    with backward_of(h) as h_bar:
        h_bar = h_bar * 0
    return np.sum(h)
"""


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    from array import array\n    return array('d', [x[0], x[1]])[0] + x[0]",
        "def f(x):\n    import pickle\n    return np.sum(pickle.loads(pickle.dumps(x)))",
        "def f(x):\n    return float(str(x[0])) * x[1]",
        "def f(x):\n    import struct\n    return struct.unpack('d', struct.pack('d', x[0]))[0]",
        "def f(x):\n    import decimal\n    return float(decimal.Decimal(x[0]))",
        "def f(x):\n    return memoryview(x)[0] + x[1]",
        BACKWARD_OF,
        "from srcgrad import on_backward as o\ndef f(x):\n    o(x[0], abs)\n    return x[0]",
        "from srcgrad import on_backward as o\ndef f(x):\n    return o(x[0], fn=abs)",
    ],
)
def test_what_is_refused(text):
    """What would lose a derivative is an error."""
    with pytest.raises((SrcgradError, TypeError)):
        tape.grad(executed(text))(POINT)


def test_refusals_say_what_to_do():
    """Where instructions are not known, a file is the way out."""
    f = executed("def f(x):\n    return np.sum(x**2)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instructions, "_VERSIONS", ())
        with pytest.raises(SourceNotFoundError, match="its instructions are not known"):
            tape.grad(f)(POINT)
    with pytest.raises(SourceNotFoundError, match="the source of f cannot be read"):
        grad(f, recorded="refuse")(POINT)


def test_what_needs_the_text():
    """Asking for what only the text tells is an error that says so; the rest works."""
    f = executed("def f(x):\n    h = x * x\n    return np.sum(h)")
    for call in (
        lambda: grad(f, wrt="h")(POINT),
        lambda: grad(f, wrt="h@2")(POINT),
        lambda: srcgrad.breakpoint_at(f, "h"),
        lambda: srcgrad.save(f, "never_written.py"),
        lambda: grad(f, on_final=print)(POINT),
    ):
        with pytest.raises(SrcgradError, match="the source of f cannot be read"):
            call()
    watched = grad(f, check_finite=True, recorded="allow")
    np.testing.assert_allclose(watched(POINT), 2 * POINT)
    with pytest.raises(NotFiniteError, match="the argument 'x' of f is not finite before"):
        watched(POINT * np.nan)
    loss = srcgrad.differentiate(f, recorded="allow")
    assert "mul" in str(loss.trace(POINT))
    assert "tape.grad(f, wrt=0)(x)" in loss.source("grad")
    srcgrad.check(f, POINT, recorded="allow")


# In processes of their own


PIPED = """
import numpy as np
from srcgrad import differentiate, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

class Spring:
    def __init__(self, k):
        self.k = k
    def energy(self, x):
        y = np.zeros(2)
        y[0] = self.k * x[0]
        y[1] = x[1] ** 2
        return y @ x

def outer(x):
    def inner(z):
        return scale * z
    scale = np.sum(x)
    return inner(x[0])

@differentiate
def loss(x):
    return Spring(2.0).energy(x) + outer(x)

x = np.array([2.0, 3.0])
print(loss.grad(x), *loss.value_and_grad(x), grad(Spring(2.0).energy)(x))
print(vjp(outer, x)[1](1.0), jvp(outer, (x,), (np.array([1.0, 0.0]),)), grad(lambda x: x**2)(3.0))
print(hessian(outer)(x).tolist(), hvp(outer)(x, x), jacobian(lambda x: x * x)(x).tolist())
"""
SAID = """[15. 29.] 45.0 [15. 29.] [ 8. 27.]
[7. 2.] (np.float64(10.0), np.float64(7.0)) 6.0
[[2.0, 1.0], [1.0, 0.0]] [7. 2.] [[4.0, 0.0], [0.0, 6.0]]
"""


@pytest.mark.parametrize("way", ["pipe", "here-document", "without a text file"])
def test_programs_from_pipes(tmp_path, way):
    """A program that Python reads from a pipe is recorded, and says why."""
    environment = {k: v for k, v in os.environ.items() if k != "SRCGRAD_RECORDED"}
    options = {"capture_output": True, "text": True, "check": False, "env": environment}
    if way == "pipe":
        done = subprocess.run([sys.executable, "-"], input=PIPED, **options)
    elif way == "here-document":
        shell = f"{sys.executable} - <<'END'\n{PIPED}END\n"
        done = subprocess.run(["bash", "-c", shell], **options)
    else:
        (tmp_path / "program.py").write_text(PIPED)
        py_compile.compile(str(tmp_path / "program.py"), str(tmp_path / "program.pyc"))
        (tmp_path / "program.py").unlink()
        done = subprocess.run([sys.executable, str(tmp_path / "program.pyc")], **options)
    assert done.stdout == SAID, done.stderr
    if way != "here-document":  # which may be a file
        assert "loss is recorded while it runs: the source of loss cannot be read" in done.stderr
