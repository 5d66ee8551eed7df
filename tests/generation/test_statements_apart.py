"""Statements that no code can be generated for: these alone are recorded, the rest is text."""

import linecache
import pickle
import random
import textwrap
import types
import warnings

import numpy as np
import pytest

from srcgrad import (
    RecordedWarning,
    differentiate,
    grad,
    hessian,
    jvp,
    source,
    tape,
    trace,
    value_and_grad,
    vjp,
)  # fmt: skip
from srcgrad.calling.recorded import holding
from srcgrad.errors import ResultError, SaveError
from tests.programs.table import programs
from tests.rotation import has_its_turn

X = np.array([0.3, 0.7, 0.9])
LOG = []


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here, and nobody was warned yet."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    monkeypatch.setattr("srcgrad.calling.recorded._warned", set())


def is_partly(derivative):
    """Whether there is text, and statements of it are recorded."""
    text = source(derivative)
    return "recorded(" in text and "tape." not in text.replace("srcgrad.tape.", "")


def generator(x):
    """Consume a local generator in a loop that is left early."""
    scale = np.exp(-x[1] * x)

    def steps():
        s = 1.0
        for v in scale:
            s = s * 0.5 + v
            yield s

    total = 0.0
    for k, s in enumerate(steps()):
        if s > 2.5:
            break
        total = total + s * k
    r = total - x * x[0]
    return np.mean(r**2)


def in_a_loop(x):
    """Go through a set of numbers, in each turn of a loop."""
    total = 0.0
    for k in range(3):
        y = x * (k + 1)
        try:
            z = np.sin(y[k]) * y
        finally:
            done = True
        parts = set(z.tolist())
        total = total + np.sum(z) * len(parts)
    return total * done


def in_a_branch(x):
    """Sort and unpack with a star, in one arm."""
    if x[0] > 0.1:
        low, *_, high = sorted({float(k): v for k, v in enumerate(x)}.items(), key=lambda p: -p[1])
        y = low[1] * x + high[1]
    else:
        y = x * 2
    return np.sum(y**3)


def at_the_end(x):
    """Return what is added up in the order of hashes."""
    y = np.sin(x) * x
    pairs = {name: v for name, v in zip("abc", y)}
    return sum(v for _, v in sorted(pairs.items(), key=lambda p: hash(p[0])))


def logged(x):
    """Note each call outside, and consume a generator."""
    LOG.append(len(LOG))
    y = np.sin(x) * x

    def two():
        yield y[0]
        yield y[1] * y[2]

    a, b = two()
    return a * b * np.sum(y)


def numbers_changed(x):
    """Add to a number that there was before."""
    total = x[0] * 2.0

    def parts():
        yield from x

    for v in parts():
        total += v * x[1]
    return total * np.sum(x)


PROGRAMS = [generator, in_a_loop, in_a_branch, at_the_end, logged, numbers_changed]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_all_modes(f):
    """All modes, at both orders, give what the whole function gives on the tape."""
    expected = tape.grad(f)(X)
    gradient = grad(f)
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)
    assert value_and_grad(f)(X)[0] == f(X)
    np.testing.assert_allclose(vjp(f, X)[1](2.0), 2 * expected, rtol=1e-12)
    np.testing.assert_allclose(jvp(f, (X,), (np.ones(3),))[1], np.sum(expected), rtol=1e-12)
    curvature = np.array([tape.grad(lambda x, k=k: tape.grad(f)(x)[k])(X) for k in range(3)])
    found = hessian(f)
    for _ in range(2):
        np.testing.assert_allclose(found(X), curvature, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("f", [generator, numbers_changed], ids=lambda f: f.__name__)
def test_the_rest_is_text(f):
    """After the first call there is text; the statements are a function in it."""
    gradient = grad(f)
    gradient(X)
    assert is_partly(gradient)
    assert len(gradient.recorded) == 1
    assert gradient.recorded[0].function == f.__name__


def test_the_text():
    """The user's own lines are a function of their own, and the call says why."""
    gradient = grad(numbers_changed)
    gradient(X)
    text = source(gradient)
    call = "total, make_total_backward = recorded(make_total, x, total, wrt=(0, 1), gives=0)"
    assert call in text
    assert "# recorded: numbers_changed uses syntax that srcgrad cannot differentiate" in text
    own = """
    def make_total(x, total):
        def parts():
            yield from x

        for v in parts():
            total += v * x[1]
        return total
    """
    assert textwrap.dedent(own) in text


def test_the_warning():
    """One warning says that a part is recorded, and names the line."""
    gradient = grad(generator)
    with holding("warn"), pytest.warns(RecordedWarning, match="a part of generator is recorded"):
        gradient(X)
    with holding("warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(X)


def test_effects_happen_once():
    """A program that changes what is outside runs once in each call."""
    LOG.clear()
    gradient = grad(logged)
    for count in range(1, 4):
        gradient(X)
        assert len(LOG) == count


def writes(x):
    """Write into an array that there was before."""
    out = np.zeros(3)

    def places():
        yield 0
        yield 2

    for k in places():
        out[k] = x[k] ** 2
    return np.sum(out * x)


def adds_in_place(x):
    """Add to an array that has another name."""
    y = x * 2
    z = y

    def parts():
        yield x[0]

    for v in parts():
        y += v
    return np.sum(y * z)


def uses_up(x):
    """Take one element of an iterator that goes on behind."""
    rows = iter([x[0], x[1], x[2]])

    def first(it):
        yield next(it)

    a = sum(first(rows))
    return a * next(rows)


def gives_its_argument(x):
    """Give an array that has another name already, and write into it."""
    y = x * 1.5

    def same():
        yield y

    (z,) = same()
    z[0] = 3.0
    return np.sum(y * x)


def changes_a_name(x):
    """Bind a name of the function around in a generator."""
    total = x[0]

    def add(v):
        nonlocal total
        total = total + v
        yield total

    for v in x:
        for _ in add(v * v):
            pass
    return total * x[1]


class Level:
    """Holds a number that a program changes."""

    def __init__(self, scale):
        self.scale = scale


def changes_an_object(x, level):
    """Change an object behind statements that have read it."""
    level.scale = 2.0

    def parts():
        yield x[0] ** 3 * level.scale
        yield x[1] ** 2

    y = sum(parts())
    level.scale = 7.0
    return y * x[2]


def changes_a_list(x, rows):
    """Change a list behind statements that have read it."""
    rows.append(2.0)

    def parts():
        yield x[0] ** 3 * rows[-1]
        yield x[1] ** 2

    y = sum(parts())
    rows[-1] = 7.0
    return y * x[2]


TABLE = {"scale": 1.0}


def changes_a_global(x):
    """Change a dict outside behind statements that have read it."""
    TABLE["scale"] = 2.0

    def parts():
        yield x[0] ** 3 * TABLE["scale"]
        yield x[1] ** 2

    y = sum(parts())
    TABLE["scale"] = 7.0
    return y * x[2]


@pytest.mark.parametrize(
    ("f", "given"),
    [(changes_an_object, lambda: (Level(1.0),)), (changes_a_list, lambda: ([],)),
     (changes_a_global, tuple)],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_is_changed_behind(f, given):
    """What statements have read is what it was for them, at the second order, too."""
    expected = tape.grad(f)(X, *given())
    gradient, again = grad(f), hessian(f)
    curvature = np.array(
        [tape.grad(lambda x, k=k: tape.grad(f)(x, *given())[k])(X) for k in range(3)]
    )
    for _ in range(3):
        np.testing.assert_allclose(gradient(X, *given()), expected, rtol=1e-12)
        np.testing.assert_allclose(again(X, *given()), curvature, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "f",
    [writes, adds_in_place, uses_up, gives_its_argument, changes_a_name],
    ids=lambda f: f.__name__,
)
def test_what_has_effects(f):
    """What writes into what others see is right, whatever is recorded of it."""
    expected = tape.grad(f)(X)
    gradient = grad(f)
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)
    again = hessian(f)
    curvature = np.array([tape.grad(lambda x, k=k: tape.grad(f)(x)[k])(X) for k in range(3)])
    for _ in range(2):
        np.testing.assert_allclose(again(X), curvature, rtol=1e-9, atol=1e-12)


def of_another_kind(x, table):
    """Give an array or a number, as an argument says."""
    LOG.append(1)

    def chosen():
        yield x if table["level"] > 0.5 else x[0]

    (y,) = chosen()
    return np.sum(y * 2) * x[1]


def test_something_of_another_kind():
    """Where statements give something else than before, that is said, and then all is recorded."""
    gradient, low, high = grad(of_another_kind), {"level": 0.1}, {"level": 0.9}
    for _ in range(2):
        np.testing.assert_allclose(gradient(X, low), [1.4, 0.6, 0.0])
    with pytest.raises(ResultError, match="gave something of another kind"):
        gradient(X, high)
    for table in (high, low):
        expected = tape.grad(of_another_kind)(X, table)
        np.testing.assert_allclose(gradient(X, table), expected)


ODD = """
def odd_{k}():
    for part in (0.25, 0.75):
        yield {name} * part
{name} = sum(odd_{k}())
"""


def with_odd_statements(fn, seed):
    """Return a function with statements in random places that are only recorded, None for none."""
    code = fn.__code__
    lines = linecache.getlines(code.co_filename)
    found, rng = [], random.Random(seed)
    last = max(line for _, _, line in code.co_lines() if line)
    text = textwrap.dedent("".join(lines[code.co_firstlineno - 1 : last]))
    body = text[text.index("def ") :].splitlines()
    targets = [k for k, line in enumerate(body) if _assigned(line) is not None]
    if not targets:
        return None
    for k in sorted(rng.sample(targets, min(len(targets), rng.choice((1, 1, 2)))), reverse=True):
        indent = body[k][: len(body[k]) - len(body[k].lstrip())]
        odd = ODD.format(k=k, name=_assigned(body[k])).strip().splitlines()
        body[k + 1 : k + 1] = [indent + line for line in odd]
        found.append(k)
    filename = f"<odd {fn.__name__} {seed}>"
    text = "\n".join(body) + "\n"
    space = dict(fn.__globals__)
    try:
        exec(compile(text, filename, "exec"), space)
    except SyntaxError:
        return None
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    made = space[fn.__name__]
    return made if isinstance(made, types.FunctionType) else None


def _assigned(line):
    """The name that a whole line gives a value."""
    name, sign, value = line.strip().partition(" = ")
    whole = value.count("(") == value.count(")") and value.count("[") == value.count("]")
    fine = sign and name.isidentifier() and whole and not value.rstrip().endswith((",", ":", "\\"))
    return name if fine and not line.strip().startswith(("#", "return")) else None


TRIED = [(case, seed) for case in programs() for seed in range(2)]


@pytest.mark.parametrize(
    ("case", "seed"),
    [pytest.param(c, s, id=f"{c.name}-{s}") for c, s in TRIED if has_its_turn(f"{c.name}{s}", 40)],
)
def test_odd_statements_anywhere(case, seed):
    """With odd statements anywhere, what is partly text agrees with the recorded whole."""
    fn = with_odd_statements(case.fn, seed) if isinstance(case.fn, types.FunctionType) else None
    if fn is None:
        pytest.skip("no statement gives a name a value")
    with np.errstate(all="ignore"):
        try:
            value, back = tape.vjp(fn, *case.make_args(), wrt=case.wrt)
            bar = like(value)
            expected = back(bar)
        except Exception:  # noqa: BLE001  # what is named is no number
            pytest.skip("it is no program")
        for _ in range(3):
            found_value, found_back = vjp(fn, *case.make_args(), wrt=case.wrt)
            compare(found_value, value)
            compare(found_back(bar), expected)


def like(value):
    """A cotangent of a value."""
    if isinstance(value, tuple | list):
        return type(value)(like(part) for part in value)
    return np.ones_like(value) * 0.7 if isinstance(value, np.ndarray) else 0.7


def compare(found, expected):
    """Compare trees of numbers."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = [found[k] for k in expected], [*expected.values()]
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            compare(one, other)
    elif isinstance(expected, np.ndarray | float | np.floating | complex):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_those_who_watch():
    """What looks for nan, traces and pickles goes through statements that are recorded."""
    expected = tape.grad(generator)(X)
    gradient = grad(generator, check_finite=True)
    for _ in range(2):
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)
    assert "total = make_total(scale)" in str(trace(grad(generator), X))
    again = pickle.loads(pickle.dumps(gradient))
    np.testing.assert_allclose(again(X), expected, rtol=1e-12)
    with pytest.raises(SaveError, match="cannot be saved"):
        differentiate(generator).save("nowhere.py")


def made(y):
    """Return a list of pairs."""
    rows = []
    for k in range(2):
        rows.append((k, y))
    return rows


def rows_beside_others(x):
    """Keep the rows of a list in another one, which is made of a list of unknown length."""
    pairs = made(np.sin(x[1]))
    pairs.append((-1.5, 1.0))
    rows = [[0.5, x[2] - x[1]], [x[0], 2.0]]
    rows.append([x[0] * x[0], x[1] * x[2]])
    others = []
    for _ in range(len(x) - 3):
        others.append([2.0, 1.0])
    others.append([0.5, 2.0])
    both = rows + others
    both = list(both)
    first = sum(p[0] + p[1] ** 2 for p in rows)
    return len(both) * first * sum(p[0] + p[1] ** 2 for p in rows)


def test_a_result_that_holds_what_was_given():
    """It is no result of a part, at the first call as at the second."""
    expected = tape.grad(rows_beside_others)(X)
    for _ in range(3):
        np.testing.assert_allclose(vjp(rows_beside_others, X)[1](1.0), expected, rtol=1e-12)
