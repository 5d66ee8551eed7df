"""Every exception that a user sees is the program's own or a refusal."""

import enum
import random
import zlib

import numpy as np
import pytest

import srcgrad.generation.generate
from srcgrad import (
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jvp,
    save,
    source,
    value_and_grad,
    vjp,
)
from srcgrad.errors import (
    InternalError,
    ResultError,
    SourceNotFoundError,
    SrcgradError,
    UnsupportedSyntaxError,
)
from tests.foreign_exceptions import MODES, foreign, mutations, raised
from tests.language import rows
from tests.programs.table import programs

X = np.array([0.3, 0.7, 1.1])

rows.load()
PROGRAMS = [*programs(), *(case for _, case in rows.PROGRAMS)]


@pytest.mark.one_of(120)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_programs_at_arguments_that_were_not_meant(case, capsys):
    """Programs are called with values of other kinds, in modes that are drawn by their names."""
    drawn = random.Random(zlib.crc32(case.name.encode()))
    wrt = case.wrt[0] if len(case.wrt) == 1 else case.wrt
    cases = list(mutations(case.make_args()))
    for how, args in drawn.sample(cases, min(4, len(cases))):
        for mode in drawn.sample(list(MODES), 2):
            error = foreign(case.fn, wrt, args, mode)
            assert error is None, f"{mode}, {how}: {type(error).__name__}: {error}"


def test_a_failure_of_srcgrad_is_named(monkeypatch):
    """What goes wrong while code is generated tells the function, and keeps its cause."""

    def fail(*args):
        raise KeyError("lost")

    monkeypatch.setattr(srcgrad.generation.generate, "lower_function", fail)
    with pytest.raises(InternalError, match=r"of .*cubed \(.*cannot be generated: KeyError"):
        grad(cubed)(2.0)
    assert isinstance(raised(lambda: grad(cubed)(2.0)).__cause__, KeyError)
    with pytest.raises(InternalError, match="cannot be generated"):
        source(cubed)


def cubed(x):
    return x**3


def failing(x):
    return x * {"a": 1.0}["b"]


def test_what_the_program_raises_is_its_own():
    """An exception of the program is neither changed nor wrapped when it runs."""
    with pytest.raises(KeyError, match="b"):
        failing(2.0)
    assert isinstance(raised(lambda: grad(failing)(2.0)), KeyError | SrcgradError)
    with pytest.raises(ValueError, match=r"shapes|broadcast"):
        grad(lambda x: np.sum(x + np.ones(5)))(X)


class Whole(enum.IntEnum):
    """A number whose text is no Python."""

    ONE = 1


class Loud(float):
    """Another one."""

    def __repr__(self):
        return "a b c"


class Letters(enum.StrEnum):
    """Text that is a member, too."""

    A = "a"


class Plain(enum.Enum):
    """What cannot be written at all."""

    A = 1


KEYS = [
    Whole.ONE, Loud(2.0), Letters.A, Plain.A, 1, True, 1.5, float("inf"), float("nan"), -1, 1j,
    (1, 2), (Whole.ONE, 2), None, "a'b", 'a"b', "a\nb", "{x}", "\\", "\ud800", b"x",
    np.float64(2.0), frozenset([1]), int, "é",
]  # fmt: skip


def uses_of(key):
    """Programs that have a value as a key, a default, an option and a constant."""

    def read(d):
        return d[key] ** 2 + sum(d.values())

    def through_keys(d):
        total = 0.0
        for name in d:
            total = total + d[name] ** 2
        return total

    def through_items(d):
        total = 0.0
        for _, value in d.items():
            total = total + value**2
        return total

    def displayed(x):
        d = {key: x, "o": x * x}
        return d[key] * d["o"] + sum(d[name] for name in d)

    def written(x):
        d = {}
        d[key] = x
        for _ in range(3):
            d[key] = d[key] * x
        return d[key]

    def of_option(x, d):
        return x * d[key]

    def compared(x, option):
        return x * (2.0 if option == key else 3.0)

    def by_default(x, option=key):
        return x * (2.0 if option == key else 3.0)

    def calls_default(x):
        return by_default(x) + by_default(x, option=key) + sum(by_default(v) for v in [x, x])

    def local_default(x):
        def inner(v, option=key):
            return v * (2.0 if option == key else 3.0)

        return inner(x) + sum(map(inner, [x, x]))

    return [
        (read, ({key: 2.0},)), (through_keys, ({key: 2.0},)), (through_items, ({key: 2.0},)),
        (displayed, (2.0,)), (written, (2.0,)), (of_option, (2.0, {key: 3.0})),
        (compared, (2.0, key)), (by_default, (2.0,)), (calls_default, (2.0,)),
        (local_default, (2.0,)),
    ]  # fmt: skip


@pytest.mark.one_of(2)
@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys_and_defaults_of_every_kind(key):
    """Values whose ``repr`` is no source, or means something else, never get into the text."""
    for f, args in uses_of(key):
        error = foreign(f, 0, args, "grad")
        assert error is None, f"{f.__name__}: {error}"
    for mode in ("vjp", "jvp"):
        assert foreign(uses_of(key)[0][0], 0, ({key: 2.0},), mode) is None


def test_dicts_with_other_keys_are_refused():
    """A differentiated dict has keys that can be written."""
    with pytest.raises(UnsupportedSyntaxError, match="keys that cannot be written"):
        grad(lambda d: d[Whole.ONE] * 2)({Whole.ONE: 1.0})


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: np.sum(np.repeat(x, 2)), 0.5, 2.0),
        (lambda x: np.sum(np.repeat(0.5, 2) * x), 0.5, 1.0),
        (lambda x: np.sum(np.repeat(x, 2)), np.array(0.5), 2.0),
        (lambda x: np.sum(np.repeat(x, [1, 2, 0]) ** 2), X, X * [2, 4, 0]),
        (lambda x: np.sum(np.tile(x, ())), X, np.ones(3)),
        (lambda x: np.sum(np.tile(x, ()) ** 2), 0.5, 1.0),
        (lambda x: np.sum(np.tile(x, 2)), 0.5, 2.0),
        (lambda x: np.sum(np.tile(x, (2, 3)) ** 2), 0.5, 6.0),
        (lambda x: np.sum(np.tile(x, (2, 1)) ** 2), X, 4 * X),
    ],
)
def test_copies_of_numbers(f, x, expected):
    """Numbers are repeated as arrays are, and ``()`` is a number of copies, too."""
    made = grad(f)(x)
    np.testing.assert_allclose(made, expected)
    assert np.shape(made) == np.shape(x)
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], np.sum(expected * x))


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
@pytest.mark.parametrize("f", [np.mean, lambda x: x.mean() * 2, lambda x: np.mean(x[:0])])
def test_means_of_nothing(f):
    """The mean of an empty array is nan, as NumPy has it, and its gradient is empty or zero."""
    value, gradient = value_and_grad(lambda x: f(x))(np.zeros(0))
    assert np.isnan(value)
    assert gradient.shape == (0,)
    assert value_and_grad(lambda x: np.mean(x[:0]))(X)[1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:(invalid value|divide by zero)")
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.mean(np.zeros((0, 3)) * x, axis=0)),
        lambda x: np.sum(np.mean(x[:, None] * np.zeros((3, 0)), axis=1)),
        lambda x: 2 * np.sum(np.mean(x * np.zeros((2, 0, 3)), axis=(0, 1))),
        lambda x: np.average(x[:0]),
        lambda x: np.sum(np.average(np.zeros((0, 3)) * x, axis=0)),
    ],
)
def test_means_of_no_rows(f):
    """A mean over an axis of length zero is nan, and nothing depends on it."""
    value, gradient = value_and_grad(f)(X)
    np.testing.assert_equal(value, f(X))
    assert gradient.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "f", [lambda x: f"{x}", lambda x: x > 1, lambda x: True, lambda x: "text", lambda x: str(x)]
)
def test_results_that_are_no_numbers(f):
    """Text and truth values have no gradient, which is said, and not zeros."""
    for mode in (grad, value_and_grad):
        with pytest.raises(TypeError):
            mode(f)(2.0)
    with pytest.raises(ResultError, match="without a derivative"):
        vjp(f, 2.0)


def test_products_have_the_structure_of_the_argument():
    """A list gives a list, in ``hvp``, ``jvp`` and inside of other structures."""

    def f(p):
        return p[0] ** 3 + p[1] ** 2 * p[0]

    assert hvp(f)([1.0, 2.0], [1.0, 0.0]) == [6.0, 4.0]
    assert hvp(f)((1.0, 2.0), (1.0, 0.0)) == (6.0, 4.0)
    assert hvp(lambda p: f(p["a"]))({"a": [1.0, 2.0]}, {"a": [1.0, 0.0]}) == {"a": [6.0, 4.0]}
    assert jvp(lambda x: [x, (x, [x])], (2.0,), (1.0,))[1] == [1.0, (1.0, [1.0])]
    pair = hvp(lambda a, b: a**3 * b, wrt=(0, 1))
    assert pair(1.0, 2.0, [1.0, 0.0]) == [12.0, 3.0]
    assert pair(1.0, 2.0, (1.0, 0.0)) == (12.0, 3.0)


THINGS = [
    5, "text", None, print, int, len, np.sum, np.linalg, object(), [1], dict, str.upper, X.sum, X,
    iter([1]), property(abs), staticmethod(abs), Exception, np.ndarray, np.vectorize(abs), type,
]  # fmt: skip


@pytest.mark.parametrize("thing", THINGS, ids=range(len(THINGS)))
def test_things_that_cannot_be_differentiated(thing, tmp_path):
    """Whatever is handed over in the place of a function is refused by the one error for it."""
    uses = [
        lambda: grad(thing)(X),
        lambda: vjp(thing, 2.0),
        lambda: jvp(thing, (X,), (X,)),
        lambda: hessian(thing)(X),
        lambda: jacfwd(thing)(X),
        lambda: source(thing),
        lambda: save(thing, tmp_path / "made.py"),
        lambda: differentiate(thing),
    ]
    own = raised(lambda: thing(X))
    for use in uses:
        error = raised(use)
        fitting = error is None or isinstance(error, SrcgradError)
        assert fitting or type(error) is type(own), error
        assert not isinstance(error, InternalError)
    if not callable(thing):
        with pytest.raises(SourceNotFoundError):
            grad(thing)
