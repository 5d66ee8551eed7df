"""Text for speed: what it writes into again, and that nobody can tell by the numbers.

Whatever is differentiated is so twice with ``optimize="speed"``, and compared with the readable
text: the programs of the table, those of the golden files, realistic ones, random ones, and
functions in which somebody else holds an array that is needed no more.
"""

import copy
import importlib.util
import inspect
import re

import numpy as np
import pytest

import srcgrad.calling.transformed
from srcgrad import grad, jvp, source, value_and_grad, vjp
from srcgrad.errors import SrcgradError
from tests import finite_differences as fd
from tests.fuzz.__main__ import search
from tests.fuzz.witnesses import Tally
from tests.golden import test_golden
from tests.programs.table import programs
from tests.realistic.table import programs as realistic
from tests.test_programs import assert_equal, assert_gradients_are_the_callers, wrt_of

pytestmark = pytest.mark.filterwarnings("ignore")


def assert_near(found, expected):
    """Compare trees of numbers nearly to the last bit."""
    rows = zip(fd.leaves(found), fd.leaves(expected), strict=True)
    for a, b in rows:
        assert np.shape(a) == np.shape(b)
        if isinstance(b, np.ndarray | np.generic):
            assert np.asarray(a).dtype == b.dtype
        if fd.is_number(b) or isinstance(b, np.ndarray):
            wide = np.finfo(np.result_type(b, np.float16)).eps < 1e-15
            size, rtol = float(np.max(np.abs(b), initial=0.0)), 1e-13 if wide else 1e-5
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * size)


def compared(fn, made, wrt):
    """Compare what both texts give, twice, and what they leave behind."""
    args = made()
    before = copy.deepcopy(args)
    value, backward = vjp(fn, *args, wrt=wrt, optimize="readable")
    number = isinstance(value, float | np.floating)
    bar = 1.0 if number else fd.random_like(value, np.random.default_rng(3))
    expected = backward(bar)
    fast, again = vjp(fn, *made(), wrt=wrt, optimize="speed")
    bar_before = copy.deepcopy(bar)
    first = again(bar)
    kept = copy.deepcopy(first)
    second = again(bar)
    for found in (first, second, kept):
        assert_near(found, expected)
    assert_equal((bar,), (bar_before,))
    assert_near(fast, value)
    if not number:
        return args, before, first
    expected = grad(fn, wrt=wrt, optimize="readable")(*made())
    gradient = grad(fn, wrt=wrt, optimize="speed")
    both = value_and_grad(fn, wrt=wrt, optimize="speed")
    for _ in range(2):
        assert_near(gradient(*args), expected)
        found, slope = both(*args)
        assert_near(slope, expected)
        assert_near(found, value)
    return args, before, first


@pytest.mark.one_of(16)
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in programs()])
def test_programs(case):
    """The programs of the table have the same derivatives, and nothing of the caller's changes."""
    args, before, gradients = compared(case.fn, case.make_args, wrt_of(case))
    assert_equal(args, before)
    many = gradients if len(case.wrt) > 1 else (gradients,)
    assert_gradients_are_the_callers(case, many, args)


@pytest.mark.one_of(16)
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in programs()])
def test_tangents(case):
    """In forward mode, too."""
    args = case.make_args()
    rng = np.random.default_rng(8)
    dots = [fd.random_like(a, rng) if k in case.wrt else None for k, a in enumerate(args)]
    try:
        expected = jvp(case.fn, args, dots, optimize="readable")
    except SrcgradError:
        return
    for _ in range(2):
        assert_near(jvp(case.fn, case.make_args(), dots, optimize="speed"), expected)


@pytest.mark.one_of(8)
@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p in test_golden.FILES])
def test_golden_files(path, monkeypatch):
    """The programs of the golden files, as they are called there."""
    golden = test_golden.Golden(path, monkeypatch)
    wrt = tuple(golden.wrt) if golden.many or len(golden.wrt) > 1 else golden.wrt[0]
    compared(golden.function, golden.module.arguments, wrt)


@pytest.mark.one_of(96)
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in realistic()])
def test_realistic(case, monkeypatch):
    """Realistic programs, in which objects hold what was computed."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    found = []
    for optimize in ("readable", "speed"):
        fn, args = case.made()
        value, backward = vjp(fn, *args, wrt=case.wrt, optimize=optimize)
        bar = fd.random_like(value, np.random.default_rng(3))
        found.append((value, backward(bar), backward(bar)))
    assert_near(found[1], found[0])


@pytest.mark.one_of(2)
@pytest.mark.parametrize("kind", ["programs", "memory", "hands", "mazes"])
def test_random_programs(kind, monkeypatch):
    """Random programs whose every text is one for speed agree with the tape and differences."""
    monkeypatch.setattr(srcgrad.calling.transformed, "TEXTS", ("speed", "readable"))
    assert search(100, 4, Tally(), kind) is None


UNARY = [
    "np.exp(-{}**2)", "np.sin({})", "np.tanh({})", "np.abs({})", "-{}", "{}**2",
    "np.sqrt(1 + {}**2)",
]  # fmt: skip
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / (2 + np.cos({}))", "np.maximum({}, {})",
          "np.where({} > 0, {}, 0.5)"]  # fmt: skip
ENDS = [
    "np.sum({})",
    "np.mean({} * 2)",
    "np.sum({}[1:] * {}[:-1])",
    "np.max({})",
    "np.sum({}.T.ravel())",
]


def chain(seed):
    """Return the text of a function of elementwise operations, with views and other names."""
    rng = np.random.default_rng(seed)
    names, lines = ["x", "y", "w", "s"], []
    pick = lambda: names[rng.integers(max(0, len(names) - 5), len(names))]  # noqa: E731
    for k in range(rng.integers(3, 9)):
        kind = rng.integers(10)
        if kind < 3:
            made = UNARY[rng.integers(len(UNARY))].format(pick())
        elif kind < 8:
            made = BINARY[rng.integers(len(BINARY))].format(pick(), pick())
        elif kind == 8:
            made = f"({pick()} + x)[::-1]"
        else:
            made = pick()
        if rng.integers(8) == 0 and lines:
            lines.append(
                f"for _ in range({rng.integers(3)}):\n        {names[-1]} = {names[-1]} * y"
            )
        if rng.integers(8) == 0 and len(names) > 4:
            lines.append(f"kept.append({names[-1]})")
        name = f"v{k}" if rng.integers(4) else names[-1] if len(names) > 4 else f"v{k}"
        lines.append(f"{name} = {made}")
        if name not in names:
            names.append(name)
    ends = [ENDS[rng.integers(len(ENDS))].replace("{}", f"({n} + x)") for n in names[-2:]]
    body = "\n    ".join(
        ["kept = [x]", *lines, f"return {' + '.join(ends)} + np.sum(kept[-1] * x)"]
    )
    return f"import numpy as np\n\n\ndef f(x, y, w, s):\n    {body}\n"


@pytest.mark.parametrize("seed", range(0, 400))
@pytest.mark.one_of(80)
def test_chains(seed, tmp_path):
    """Chains of elementwise operations, in double and single precision, with shared arguments."""
    file = tmp_path / f"chain_{seed}.py"
    file.write_text(chain(seed))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.random.default_rng(seed).normal(size=(4, 3))
    for made in (
        lambda: (x.copy(), x[::-1].copy(), x[0].copy(), 0.7),
        lambda: (x, x, x[1], 0.7),
        lambda: tuple(a.astype(np.float32) for a in (x, x + 1, x[:1], np.float32(0.7))),
        lambda: (x, x.astype(np.float32), x[0], 1.5),
    ):
        args, before, _ = compared(module.f, made, (0, 1, 2))
        assert_equal(args, before)


LOG, STATE = [], {}


def to_a_list(x):
    """Keep an array in a list."""
    z = np.sin(x)
    LOG.append(z)
    return np.sum(z * z)


def to_a_dict(x):
    """Keep an array in a dict."""
    z = np.sin(x)
    STATE["z"] = z
    return np.sum(z**2)


def parts(x):
    """Read views and parts of an array."""
    z = np.sin(x)
    s, v, w = z[0], z[1:], z.reshape(2, -1)
    u = np.cos(z) * s
    return np.sum(v**2) + np.sum(w[0] * w[1]) + np.sum(z**2) + np.sum(u * u) * s


def rounds(x):
    """Read an array in each round of a loop, and behind it."""
    z, total = np.sin(x), 0.0
    for k in range(3):
        u = z * k
        total = total + np.sum(u**2 * z)
    return total + np.sum(z**2)


def halves(a, b):
    """Return a sum, and what was summed."""
    c = a * b
    return np.sum(c**2), c


def called(x):
    """Hand arrays to a function that gives one back."""
    z, e = np.sin(x), np.exp(x)
    s, c = halves(z, e)
    return s + np.sum(c * z) + np.sum(z**2)


def same(a):
    """Return the same array."""
    return a


def handed_back(x):
    """Read an array that was given back under another name."""
    z = np.sin(x)
    k = same(z)
    m = np.asarray(k * 2)
    return np.sum(k**2) + np.sum(z * k) + np.sum(m**2) * np.sum(m)


def captured(x):
    """Read an array in a local function and a dict."""
    z = np.sin(x)
    f = lambda t: t * z  # noqa: E731
    held = {"z": z, "n": z.sum()}
    return np.sum(f(x) ** 2) + np.sum(f(z)) + np.sum(held["z"] ** 2) * held["n"]


def chosen(x):
    """Read one of two arrays."""
    z = np.sin(x)
    w = z if x[0] > 0 else np.cos(x)
    return np.sum(w**2) + np.sum(z**2)


def spread(x):
    """Read views of an array, of which one cannot be written."""
    z = np.sin(x)
    b = np.broadcast_to(z, (3, z.size))
    p, q = np.split(z, 2)
    return np.sum(b**2) + np.sum(z**2) + np.sum(p**2) + np.sum(q * p)


def of_other_precision(x):
    """Multiply with numbers that are of double precision."""
    z = np.sin(x) / np.sqrt(2.0)
    return np.sum(z**2 * np.float64(1.5))


HELD = [to_a_list, to_a_dict, parts, rounds, called, handed_back, captured, chosen, spread,
        of_other_precision]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("fn", HELD)
def test_arrays_that_others_hold(fn, dtype, monkeypatch):
    """An array with another name, in a list, in an object or in a part of it, stays what it is."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    x = np.array([0.3, 0.7, 1.1, 0.2], dtype)
    found = []
    for optimize in ("readable", "speed"):
        gradient = grad(fn, optimize=optimize)
        for _ in range(2):
            LOG.clear()
            STATE.clear()
            slope = gradient(x)
            found.append((slope, *map(np.copy, LOG), *map(np.copy, STATE.values())))
    for other in found[1:]:
        assert_near(other, found[0])


def with_parts(x):
    """Return arrays beside the value."""
    z = np.sin(x)
    e = np.exp(z)
    return np.sum(z**2 * e), {"z": z, "v": z[1:], "e": e}


def test_what_comes_beside_a_gradient():
    """Arrays that are returned beside the value are not written into."""
    x = np.array([0.3, 0.7, 1.1])
    for make in (grad, value_and_grad):
        expected = make(with_parts, has_aux=True)(x)
        assert_near(make(with_parts, has_aux=True, optimize="speed")(x), expected)


def energy(x, w):
    """Square and sum."""
    z = x * w
    e = np.exp(z) + 1
    return np.sum(e**2)


def test_text():
    """What nobody reads any more is written into, and keeps its old name beside the new one."""
    x = np.ones(3)
    gradient = grad(energy, wrt=(0, 1), optimize="speed")
    gradient(x, x)
    written = inspect.cleandoc('''
        def energy_grad(x, w):
            """Gradient of energy (test_reused.py:LINE) with respect to (x, w)."""
            z = x * w
            exp_z = np.exp(z)
            e = exp_z + 1

            # test_reused.py:LINE  return np.sum(e**2)
            e *= 2
            e_bar = e
            # test_reused.py:LINE  e = np.exp(z) + 1
            e_bar *= exp_z
            z_bar = e_bar
            # test_reused.py:LINE  z = x * w
            x_bar = z_bar * w
            z_bar *= x
            w_bar = z_bar
            return x_bar, w_bar
    ''')
    assert re.sub(r"(test_reused.py):\d+", r"\1:LINE", source(gradient)).strip() == written


def test_residuals_are_kept():
    """The backward function of a pair may run again: it writes into nothing that was kept."""
    x = np.array([0.3, 0.7])
    value, backward = vjp(lambda x: np.exp(x * 2) * x, x, optimize="speed")
    first, second = backward(np.ones(2)), backward(np.ones(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(value, np.exp(x * 2) * x)
