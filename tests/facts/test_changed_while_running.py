"""State from outside that the program itself changes, between two reads of it, in hidden ways.

What is read is a flag, a number, an array or a function; where it is kept, how it is changed and
where it is read are combined, and each program is compared with differences.
"""

from __future__ import annotations

import itertools
import sys
import types
import zlib
from typing import Any

import numpy as np
import pytest

from srcgrad import grad, jvp
from tests.in_memory import execute
from tests.rotation import cases

STATE = """
import collections, dataclasses, functools, operator, sys, types
import numpy as np

class Kept:
    pass

class Slotted:
    __slots__ = ("a",)

@dataclasses.dataclass
class Record:
    a: object = None

class Shown:
    @property
    def a(self): return self.kept
    def __getitem__(self, key): return self.kept
    def get(self): return self.kept

class Passing:
    def __getattr__(self, name): return vars(HELD)[name]

def noted():
    pass

def with_default(value=None, *, named=None):
    return value if named is None else named

def around():
    value = BEFORE
    def read(): return value
    def write():
        nonlocal value
        value = AFTER
    def back():
        nonlocal value
        value = BEFORE
    return read, write, back

class OfClass:
    a = None

ME, HELD, TABLE, LIST = sys.modules[__name__], Kept(), {}, [None]
MODULE = types.ModuleType("kept")
SLOTTED, RECORD, SHOWN, PASSING = Slotted(), Record(), Shown(), Passing()
QUEUE, NESTED, HOLDER = collections.deque([None]), {"k": [None]}, [Kept()]
DEEP = types.SimpleNamespace(inner=types.SimpleNamespace(a=None))
BOXED = np.empty(1, dtype=object)
CHAIN = collections.ChainMap({}, TABLE)

def put(owner, key, value):
    owner[key] = value

def change(*_):
    STORE
    return 0.0

def by_globals():
    globals()["G"] = AFTER
    vars(HELD)["a"] = MODULE.__dict__["a"] = AFTER
    dict.__setitem__(TABLE, "a", AFTER)
    LIST[:] = [AFTER]
    type.__setattr__(OfClass, "a", AFTER)

def by_names():
    for owner, name in ((ME, "G"), (HELD, "a"), (OfClass, "a"), (MODULE, "a")):
        setattr(owner, name, AFTER)
    TABLE.update(a=AFTER)
    LIST.insert(0, AFTER)

def by_text():
    exec("global G; G = HELD.a = TABLE['a'] = LIST[0] = OfClass.a = MODULE.a = AFTER", globals())

class Hidden:
    def go(self): change()
    def __call__(self): change()
    @property
    def shown(self): return change()
    def __enter__(self): change()
    def __exit__(self, *_): pass
    def __iter__(self): change(); return iter([1.0])
    def __len__(self): change(); return 1
    def __add__(self, other): change(); return 0.0
    def __getattr__(self, name): return change()
    def __repr__(self): change(); return ""
    def __bool__(self): change(); return True
    def __float__(self): change(); return 0.0
    def __getitem__(self, k): return change()
    def __contains__(self, k): change(); return True
    def __eq__(self, other): change(); return True
    __hash__ = object.__hash__

class Meta(type):
    def __call__(cls): change()

class Made(metaclass=Meta): pass

class Base:
    def __init_subclass__(cls): change()

HIDDEN, CALLS, HOOKS = Hidden(), {"go": change}, [change]
SPACE = types.SimpleNamespace(inner=types.SimpleNamespace(go=change))
RUNNING = (change() for _ in iter(int, 1))

def generator():
    yield 1.0
    change()
"""
WAYS = [
    *("change()", "by_globals()", "by_names()", "by_text()", "HIDDEN.go()", "HIDDEN()"),
    *("HIDDEN.shown", "HIDDEN.other", "HIDDEN + 1", "HIDDEN[0]", "len(HIDDEN)", "repr(HIDDEN)"),
    *("f'{HIDDEN}'", "bool(HIDDEN)", "float(HIDDEN)", "1 in HIDDEN", "HIDDEN == 1"),
    *("CALLS['go']()", "HOOKS[0]()", "sorted([2, 1], key=change)", "list(map(change, [1]))"),
    *("max([1, 2], key=change)", "functools.partial(change)()", "getattr(ME, 'change')()"),
    *("ME.change()", "sys.modules[__name__].change()", "(lambda: change())()"),
    *("functools.reduce(lambda a, b: change(), [1, 2])", "[change() for _ in range(1)]"),
    *("{change(): 1}", "any(change() for _ in range(1))", "next(change() for _ in range(1))"),
    *("max(*[change(), 1])", "[1][int(change()) :]", "k = (m := change())", "True and change()"),
    *(
        "change() if True else 0",
        "operator.methodcaller('go')(HIDDEN)",
        "np.vectorize(change)([1])",
    ),
    *("np.apply_along_axis(change, 0, np.ones(1))", "for _ in HIDDEN: pass", "for h in HOOKS: h()"),
    *("for _ in generator(): pass", "while change(): pass", "if change(): pass"),
    *("SPACE.inner.go()", "Made()", "type('Sub', (Base,), {})", "next(RUNNING)"),
    *("if HIDDEN: pass", "with HIDDEN: pass", "k = ME; k.change()"),
]
PLACES = ["G", "ME.G", "HELD.a", "TABLE['a']", "LIST[0]", "OfClass.a", "MODULE.a"]
PLACES += ["SLOTTED.a", "RECORD.a", "SHOWN.a", "SHOWN[0]", "SHOWN.get()", "PASSING.a", "QUEUE[0]"]
PLACES += ["NESTED['k'][0]", "HOLDER[0].a", "DEEP.inner.a", "BOXED[0]", "CHAIN['a']", "noted.a"]
PLACES += ["with_default()", "READ()", "vars(HELD)['a']", "getattr(HELD, 'a')", "TABLE.get('a')"]
PLACES += ["OfClass().a", "next(iter(LIST))", "[*LIST][0]", "{**TABLE}['a']", "(lambda: G)()"]
GIVEN = {  # the same things as arguments
    "o.a": "HELD",
    "o['a']": "TABLE",
    "o[0]": "LIST",
    "o[0].a": "[HELD]",
    "o['k'].a": "{'k': HELD}",
}
OF_HELD = [
    "HELD.a = AFTER",
    "setattr(HELD, 'a', AFTER)",
    "(lambda held: setattr(held, 'a', AFTER))(HELD)",
]
OF_TABLE = ["TABLE['a'] = AFTER", "TABLE.update(a=AFTER)", "put(TABLE, 'a', AFTER)"]
OF_LIST = ["LIST[0] = AFTER", "LIST[:] = [AFTER]", "put(LIST, 0, AFTER)", "t = LIST; t[0] = AFTER"]
OF_NAME = ["global G; G = AFTER", "ME.G = AFTER"]
STORES = {  # the one thing that changes, and nothing beside it that tells of it
    **{"G": OF_NAME, "ME.G": OF_NAME, "OfClass.a": ["OfClass.a = AFTER"]},
    **{"MODULE.a": ["MODULE.a = AFTER", "vars(MODULE)['a'] = AFTER"], "HELD.a": OF_HELD},
    **{"o.a": OF_HELD, "o[0].a": OF_HELD, "o['k'].a": OF_HELD},
    **{"SLOTTED.a": ["SLOTTED.a = AFTER", "Slotted.a.__set__(SLOTTED, AFTER)"]},
    **{"RECORD.a": ["RECORD.a = AFTER", "vars(RECORD).update(a=AFTER)"]},
    **{key: ["SHOWN.kept = AFTER"] for key in ("SHOWN.a", "SHOWN[0]", "SHOWN.get()")},
    **{"PASSING.a": OF_HELD, "vars(HELD)['a']": OF_HELD, "getattr(HELD, 'a')": OF_HELD},
    **{"QUEUE[0]": ["QUEUE[0] = AFTER", "QUEUE.appendleft(AFTER)"], "CHAIN['a']": OF_TABLE},
    **{"NESTED['k'][0]": ["NESTED['k'][0] = AFTER", "NESTED['k'] = [AFTER]"]},
    **{"HOLDER[0].a": ["HOLDER[0].a = AFTER", "HOLDER[0] = Kept(); HOLDER[0].a = AFTER"]},
    **{"DEEP.inner.a": ["DEEP.inner.a = AFTER", "DEEP.inner = types.SimpleNamespace(a=AFTER)"]},
    **{"BOXED[0]": ["BOXED[0] = AFTER", "BOXED.fill(AFTER)"], "noted.a": ["noted.a = AFTER"]},
    **{"with_default()": ["with_default.__defaults__ = (AFTER,)"], "READ()": ["WRITE()"]},
    **{"OfClass().a": ["OfClass.a = AFTER"], "TABLE.get('a')": OF_TABLE, "(lambda: G)()": OF_NAME},
    **{"next(iter(LIST))": OF_LIST, "[*LIST][0]": OF_LIST, "{**TABLE}['a']": OF_TABLE},
    **{"TABLE['a']": OF_TABLE, "o['a']": OF_TABLE, "LIST[0]": OF_LIST, "o[0]": OF_LIST},
}
READ_TWICE = [
    "y = x * {read}\n    {way}\n    return np.sum(y * y * {read})",
    "y = np.sum(np.sin(x * {read}))\n    {way}\n    return y * np.sum(x * {read} * {read})",
    "t = +x\n    for k in range(2):\n        t *= {read}\n        {way}\n    return np.sum(t * t)",
    "y = {read}\n    {way}\n    return np.sum(y * x * x) + np.sum({read} * x)",
    "{way}\n    y = np.exp(x * 0.1 * {read})\n    {way}\n    return np.sum(y * {read} / x)",
]
KINDS = {  # what is kept at first and later, and programs that read it
    "number": ("2.0", "3.0", READ_TWICE),
    "count": ("2", "3", READ_TWICE),
    "entries": ("np.array([1.0, 2.0, 0.5])", "np.array([3.0, 0.7, 0.2])", READ_TWICE),
    "rank": (
        *("2.0", "np.array([1.0, 2.0, 5.0])"),
        [
            "y = x * {read}\n    {way}\n    return np.sum(y * {read})",
            "s = np.sum(x) * {read}\n    {way}\n    return np.sum(s * {read}) + np.sum(x * {read})",
            "s = x[0] * {read}\n    {way}\n    return np.sum(s * {read} + x[1])",
            "{way}\n    y = np.sum(x) * {read}\n    return np.sum(y**2)",
            (
                "t = 1.0\n    for k in range(2):\n        t = t + np.sum(x * {read}) * t\n"
                "        {way}\n    return t"
            ),
        ],
    ),
    "array": (
        *("np.array([1.0, 2.0, 0.5])", "np.array([[1.0, 2.0, 5.0], [0.5, 1.0, 3.0]])"),
        [
            "y = x * {read}\n    {way}\n    return np.sum(np.sum(y) * {read} * x)",
            "{way}\n    return np.sum(np.sin(x) * {read})",
        ],
    ),
    "flag": (
        *("False", "True"),
        [
            "y = 2 * x if {read} else x\n    {way}\n    return np.sum(y * (x if {read} else 3))",
            "{way}\n    if {read}:\n        return np.sum(x**2)\n    return np.sum(x**3)",
            (
                "y = np.sum(x * x, keepdims={read})\n    {way}\n"
                "    return np.sum(np.sum(y * x, keepdims={read}))"
            ),
        ],
    ),
    "none": (
        *("None", "3.0"),
        [
            (
                "k = 1.0 if {read} is None else {read}\n    {way}\n"
                "    return np.sum(k * x * (2.0 if {read} is None else {read}))"
            )
        ],
    ),
    "text": (
        *("'a'", "'b'"),
        [
            (
                "y = x * 2.0 if {read} == 'a' else x\n    {way}\n"
                "    return np.sum(y * (x if {read} == 'a' else 3.0))"
            )
        ],
    ),
    "function": (
        *("np.sin", "np.cos"),
        [
            "y = {read}(x)\n    {way}\n    return np.sum(y * {read}(x))",
            (
                "t = 0.0\n    for k in range(2):\n        t = t + {read}(x[k])\n"
                "        {way}\n    return t"
            ),
        ],
    ),
    "length": (
        *("1", "2"),
        [
            "y = np.sum(x[:{read}])\n    {way}\n    return y * np.sum(x[:{read}])",
            "{way}\n    return np.sum(x[{read}])",
        ],
    ),
}
X, DIRECTION = np.array([0.5, 1.5, 2.0]), np.array([0.3, -0.2, 0.7])


def _programs() -> list[Any]:
    rows = itertools.product(KINDS, [*PLACES, *GIVEN], WAYS)
    out = []
    for kind, place, way in rows:
        for k in range(len(KINDS[kind][2])):
            out.append(pytest.param(kind, k, place, way, id=f"{kind}-{k}-{place}-{way}"))
    return out


def _module(kind: str, k: int, place: str, way: str) -> Any:
    before, after, texts = KINDS[kind]
    body = texts[k].format(read=place, way=way)
    filename = f"<{kind} {k} {place} {way}>"
    stores = STORES[place]
    store = stores[zlib.crc32(filename.encode()) % len(stores)]
    text = f"{STATE.replace('STORE', store)}\nBEFORE, AFTER = {before}, {after}\nG = BEFORE\n"
    text += "READ, WRITE, BACK = around()\n\n"
    text += f"def f(x, o):\n    {body}\n\nO = {GIVEN.get(place)}\n"
    name = f"changed_while_running_{kind}"
    made = types.ModuleType(name)
    sys.modules[name] = made
    execute(text, filename, made.__dict__)
    _reset(made)
    return made


def _reset(program: Any) -> None:
    """Put back what there was, where no text of the program tells that anything changes it."""
    first = program.BEFORE
    program.G = program.HELD.a = program.OfClass.a = program.MODULE.a = first
    program.TABLE["a"], program.LIST[:] = first, [first]
    program.SLOTTED.a = program.RECORD.a = program.SHOWN.kept = program.noted.a = first
    program.HOLDER[0].a = program.DEEP.inner.a = program.BOXED[0] = program.QUEUE[0] = first
    program.NESTED["k"][0], program.with_default.__defaults__ = first, (first,)
    program.BACK()


@pytest.mark.parametrize(
    ("kind", "k", "place", "way"), cases("test_changed_while_running", _programs(), 600)
)
@pytest.mark.one_of(6)
def test_changed_while_running(kind: str, k: int, place: str, way: str) -> None:
    """What is read is what is there when it is read, at the first call and the next."""
    program = _module(kind, k, place, way)

    def value(x: Any) -> Any:
        _reset(program)
        return program.f(x, program.O)

    try:
        step = 1e-6
        moved = [(value(X + step * u), value(X - step * u)) for u in np.eye(3)]
        expected = np.array([(p - q) / (2 * step) for p, q in moved])
    except Exception:  # noqa: BLE001 - no program: what it reads is of another kind than it takes
        pytest.skip("the program raises")
    slope = grad(program.f, recorded="allow")
    for _ in range(2):
        _reset(program)
        found = slope(X, program.O)
        assert np.shape(found) == np.shape(X)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    _reset(program)
    moving = jvp(program.f, (X, program.O), (DIRECTION, None), recorded="allow")[1]
    assert np.shape(moving) == ()
    np.testing.assert_allclose(moving, expected @ DIRECTION, rtol=1e-4, atol=1e-5)


class Quiet:
    """An object whose text is asked for."""

    a = 2.0


QUIET = Quiet()


def quietly(x):
    """Ask for the text of an object, which runs a method that it may have."""
    y = x * QUIET.a
    str(QUIET)
    return np.sum(y * QUIET.a)


def test_a_method_that_is_added_between_calls(monkeypatch):
    """What a class does not have yet may change state at the next call."""

    def changing(self):
        self.a = np.array([1.0, 2.0, 5.0])
        return ""

    slope = grad(quietly, recorded="allow")
    np.testing.assert_allclose(slope(X), np.full(3, 4.0))
    monkeypatch.setattr(Quiet, "__str__", changing, raising=False)
    np.testing.assert_allclose(slope(X), [2.0, 4.0, 10.0])
    QUIET.__dict__.clear()


class Filled:
    """An object whose constructor gives it what attributes there are."""

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)


class Telling:
    """An object that notes elsewhere that an attribute was set."""

    def __init__(self, a):
        self.a = a

    @property
    def a(self):
        return self.kept

    @a.setter
    def a(self, value):
        QUIET.told = True
        self.kept = value


def test_setters_that_constructors_run():
    """What they change is seen; a constructor without any changes nothing outside."""
    QUIET.told = False

    def telling(x):
        y = np.sum(x) if QUIET.told else np.sum(x * x)
        made = Telling(x[0])
        return made.a * y * (2.0 if QUIET.told else 3.0)

    slope = grad(telling, recorded="allow")
    for _ in range(2):
        QUIET.told = False
        expected = 2 * (2 * X[0] * X + np.sum(X * X) * np.eye(3)[0])
        np.testing.assert_allclose(slope(X), expected)
    QUIET.__dict__.clear()

    def filled(x):
        made = Filled(a=x[0], b=x[1:])
        return made.a * np.sum(made.b)

    np.testing.assert_allclose(grad(filled, recorded="refuse")(X), [X[1] + X[2], X[0], X[0]])


LENGTHS = [1]


def lengthened(x, lengths):
    """Change the list that is an argument under the name that it has outside."""
    y = np.sum(x[: lengths[0]])
    LENGTHS[0] = 2
    return y * np.sum(x[: lengths[0]])


def slopes_of_lengthened(x):
    """Take a derivative inside of what is differentiated."""
    return np.sum(grad(lengthened)(x, LENGTHS) ** 2)


def test_an_argument_of_a_derivative_inside():
    """It may be what the program changes outside, too."""
    slope = grad(slopes_of_lengthened, recorded="allow")
    for _ in range(2):
        LENGTHS[0] = 1
        np.testing.assert_allclose(slope(X), [11.0, 5.0, 0.0])
    LENGTHS[0] = 1


class Level:
    """An object whose attributes its class makes: one in a slot, one by a property."""

    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def raised(self, by):
        """Change what is in the slot."""
        self.a = self.a + by

    @property
    def squared(self):
        return self.a**2


def with_another_property(x):
    """Change a property of the class between two reads of it."""
    level, own = Level(x[0]), Level.__dict__["squared"]
    y = level.squared
    setattr(Level, "squared", property(lambda self: self.a**3))
    y = y + level.squared
    setattr(Level, "squared", own)
    return y


class Switched(Level):
    """A class that replaces a property of its own."""

    __slots__ = ()
    cubed = property(lambda self: self.a**2)

    @classmethod
    def switched(cls, power):
        """Let the property be another power."""
        cls.cubed = property(lambda self: self.a**power)


def with_a_property_that_a_class_replaces(x):
    """Call a method of the class between two reads."""
    level = Switched(x[0])
    y = level.cubed
    level.switched(3)
    y = y + level.cubed
    level.switched(2)
    return y


def raised_three_times(x):
    """Change the object alone."""
    level = Level(x[0])
    for _ in range(3):
        level.raised(x[1])
    return level.squared


def test_what_a_class_makes_of_attributes():
    """A property that is replaced is seen; what is put into a slot changes no class."""
    for f in (with_another_property, with_a_property_that_a_class_replaces):
        slope = grad(f, recorded="allow")
        for _ in range(2):
            np.testing.assert_allclose(slope(X), [2 * X[0] + 3 * X[0] ** 2, 0.0, 0.0])
    total = X[0] + 3 * X[1]
    slope = grad(raised_three_times, recorded="refuse")
    np.testing.assert_allclose(slope(X), [2 * total, 6 * total, 0.0])
