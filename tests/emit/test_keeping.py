"""``policy=``: what is kept of single values, in all modes, and what is said where it cannot be."""

import gc
import tempfile
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad import (
    PolicyWarning,
    checkpoint,
    differentiate,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    source,
    value_and_grad,
    vjp,
)
from srcgrad.errors import ArgumentError
from srcgrad.runtime.on_disk import on_disk
from tests import finite_differences as fd
from tests.programs.table import programs
from tests.test_programs import wrt_of

pytestmark = pytest.mark.filterwarnings("error")

X = np.linspace(0.1, 1, 5)
W = np.linspace(1, 2, 5)


def loss(x, w):
    """Two values that are kept, one computed of the other."""
    h = np.tanh(x * w)
    q = np.exp(h) * h
    return np.sum(q * h * w)


def overwritten(x, w):
    """A name that stands for several values, one of which is written into."""
    h = np.tanh(x * w)
    s = np.sum(h**2 * w)
    h = h * 2
    h[0] = 0.0
    return s + np.sum(np.sin(h) * w)


def views(x, w):
    """Parts of arrays, and other orders of them."""
    z = x * w
    v = z[1:4]
    h = np.exp(v)
    u = h.T[::-1]
    return np.sum(u * u) + np.sum(h * v)


def aliased(x, w):
    """Several names of one array."""
    h = np.tanh(x * w)
    k = h
    k = k * 1.5
    y = h
    return np.sum(y * h * w) + np.sum(np.sin(y) * k)


def branches(x, w):
    """Another value in each branch."""
    if x[0] > 0.05:
        h = np.tanh(x * w)
        r = np.sum(h**2 * w)
    else:
        h = x * w
        r = np.sum(np.sin(h))
    return r * np.sum(h)


def nested(x, w):
    """Values of two loops."""
    total = 0.0
    for i in range(3):
        a = np.tanh(x * w * (i + 1))
        s = np.exp(a)
        for j in range(2):
            b = np.sin(a * s + j)
            x = x + 0.1 * b * a
        total += np.sum(x * s)
    return total


def layer(x, w):
    """A function that is called."""
    h = np.tanh(x * w)
    return h * np.exp(h)


def calling(x, w):
    """Calls of it, one in a loop."""
    y = layer(x, w)
    for _ in range(3):
        y = layer(y, w)
    return np.sum(y**2)


def closing(x, w):
    """A local function that reads a value."""
    h = np.tanh(x * w)

    def scaled(y):
        return np.sum(y * h)

    return scaled(x) + scaled(w) * np.sum(h**2)


EXACT = [
    (loss, {"h": "recompute"}),
    (loss, {"q": "recompute", "h": "recompute"}),
    (loss, {"h": "memmap", "q": "recompute"}),
    (overwritten, {"h": "recompute"}),
    (overwritten, {"h": "memmap"}),
    (views, {"z": "recompute"}),
    (views, {"v": "recompute", "h": "memmap"}),
    (views, {"u": "recompute"}),
    (aliased, {"h": "recompute"}),
    (aliased, {"h": "memmap", "k": "recompute"}),
    (branches, {"h": "recompute"}),
    (nested, {"a": "recompute", "s": "recompute"}),
    (nested, {"a": "memmap", "x": "memmap"}),
    (calling, {"layer.h": "recompute"}),
    (calling, {"layer.h": "memmap", "y": "memmap"}),
    (closing, {"h": "recompute"}),
]


@pytest.mark.parametrize(("f", "policy"), EXACT)
def test_exactly(f, policy):
    """What is computed again, or read from a file, is what it was."""
    expected = grad(f, (0, 1))(X, W)
    found = grad(f, (0, 1), policy=policy)(X, W)
    value, both = value_and_grad(f, (0, 1), policy=policy)(X, W)
    given, backward = vjp(f, X, W, wrt=(0, 1), policy=policy)
    assert value == given == f(X, W)
    for way in (found, both, backward(1.0), backward(1.0)):
        for one, other in zip(way, expected, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize(("f", "names"), [(loss, "hq"), (aliased, "hk"), (nested, "asx")])
def test_in_single_precision(f, names):
    """It is rounded, and of double precision where it is read."""
    for name in names:
        gradient = grad(f, (0, 1), policy={name: "float32"})
        found, expected = gradient(X, W), grad(f, (0, 1))(X, W)
        assert "astype(np.float32)" in source(gradient)
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == float
            assert 0 <= np.abs(one - other).max() < 1e-5


def test_complex_numbers():
    """Complex numbers are kept as complex64."""

    def f(x, w):
        h = np.exp(1j * x * w)
        return np.sum(np.real(h * h * w))

    gradient = grad(f, (0, 1), policy={"h": "float32"})
    np.testing.assert_allclose(gradient(X, W)[0], grad(f)(X, W), rtol=1e-5, atol=1e-6)
    assert "astype(np.complex64)" in source(gradient)


def test_text():
    """Plain lines, in the place where the value is read first; names go when nobody reads them."""
    gradient = grad(loss, (0, 1), policy={"h": "recompute"})
    gradient(X, W)
    lines = [line.strip() for line in source(gradient).splitlines()]
    assert lines.count("h = np.tanh(x * w)") == 1
    assert lines.count("h = np.tanh(x * w)  # recomputed") == 1
    assert "del h" in lines[: lines.index("h = np.tanh(x * w)  # recomputed")]
    gradient = grad(loss, (0, 1), policy={"h": "memmap"})
    gradient(X, W)
    assert "h = on_disk(h)" in source(gradient)


ORDERS = [{"h": "recompute"}, {"q": "recompute"}, {"h": "memmap"}, {"h": "float32"}]


@pytest.mark.parametrize("policy", ORDERS)
def test_other_modes(policy):
    """Forward mode has nothing to keep; second derivatives are what they are without it."""
    f, vector = differentiate(loss, policy=policy), np.arange(5.0)
    assert np.array_equal(jvp(loss, (X, W), (W, X), policy=policy)[1], f.jvp((X, W), (W, X))[1])
    assert np.array_equal(f.jvp((X, W), (W, X))[1], jvp(loss, (X, W), (W, X))[1])
    for made, plain in ((hvp, (vector,)), (hessian, ())):
        expected = made(loss)(X, W, *plain)
        np.testing.assert_allclose(made(loss, policy=policy)(X, W, *plain), expected, rtol=1e-12)
        own = f.hvp if made is hvp else f.hessian
        np.testing.assert_allclose(own(X, W, *plain), expected, rtol=1e-12)

    def squares(x, w):
        return np.sum(grad(loss, policy=policy)(x, w) ** 2)

    first = grad(loss, policy=policy)

    def squares_of_made(x, w):
        return np.sum(first(x, w) ** 2)

    def plain_squares(x, w):
        return np.sum(grad(loss)(x, w) ** 2)

    expected = grad(plain_squares)(X, W)
    np.testing.assert_allclose(grad(squares)(X, W), expected, rtol=1e-12)
    np.testing.assert_allclose(grad(squares_of_made)(X, W), expected, rtol=1e-12)


def test_jacobians():
    """Rows go back through what is kept in each way."""

    def field(x, w):
        h = np.tanh(x * w)
        return np.array([np.sum(h * h), np.sum(np.exp(h) * w)])

    expected = jacobian(field)(X, W)
    for way in ("recompute", "memmap"):
        assert np.array_equal(srcgrad.jacrev(field, policy={"h": way})(X, W), expected)
        assert np.array_equal(jacobian(field, policy={"h": way})(X, W), expected)


def noisy(x, rng):
    """Draws, and what is computed of them."""
    n = rng.normal(size=x.shape)
    h = np.tanh(x * n)
    u = np.sin(h * rng.normal(size=x.shape))
    return np.sum(u * h * n)


@pytest.mark.parametrize("names", ["h", "u", "hu"])
def test_draws(names):
    """Nothing is drawn again, and the generator is left as it is without a policy."""
    policy = dict.fromkeys(names, "recompute")
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    assert np.array_equal(grad(noisy, policy=policy)(X, one), grad(noisy)(X, other))
    assert one.random() == other.random()
    value, backward = vjp(noisy, X, one, policy=policy)
    again, plain = vjp(noisy, X, other)
    assert value == again
    assert np.array_equal(backward(1.0), plain(1.0))
    assert one.random() == other.random()


def test_draws_under_a_checkpoint():
    """A checkpoint draws the same again, beside what is computed again."""

    def noise(x, rng):
        return np.sin(x) * rng.normal(size=x.shape)

    def f(x, rng):
        h = np.tanh(x)
        y = checkpoint(noise)(h, rng)
        return np.sum(y * h)

    def plain(x, rng):
        h = np.tanh(x)
        y = noise(h, rng)
        return np.sum(y * h)

    found = grad(f, policy={"h": "recompute"})(X, np.random.default_rng(5))
    assert np.array_equal(found, grad(plain)(X, np.random.default_rng(5)))


def in_place(x, w):
    """An operand that is written into."""
    z = x * w
    h = np.tanh(z)
    z[1] = 3.0
    return np.sum(h * z * np.exp(h))


REFUSED = [
    (in_place, {"h": "recompute"}, "is computed of 'z', which is overwritten"),
    (noisy, {"n": "recompute"}, "does not depend on what is differentiated"),
    (calling, {"y": "recompute"}, "is handed on by a loop"),
    (loss, {"w": "recompute"}, "is an argument"),
    (loss, {"w": "float32"}, "is an argument"),
    (loss, {"r": "recompute"}, "has no 'r'"),
    (calling, {"h": "recompute"}, "has no 'h'"),
    (branches, {"h": "memmap"}, "is not always assigned"),
    (lambda x, w: maximal(x, w), {"maximal.h": "float32"}, "is compared"),
]


def maximal(x, w):
    """A value that is compared with the largest of its entries."""
    h = x * w
    return np.max(h) * np.sum(h**2)


@pytest.mark.parametrize(("f", "policy", "why"), REFUSED)
def test_refused(f, policy, why):
    """The reason is told, and what is kept."""
    second = np.random.default_rng(0) if f is noisy else W
    with pytest.raises(ArgumentError, match=why):
        grad(f, wrt=0 if f is noisy else (0, 1), policy=policy)(X, second)


def test_words():
    """Other words are refused where they are said."""
    with pytest.raises(ArgumentError, match="is not known"):
        grad(loss, policy={"h": "forget"})
    with pytest.raises(ArgumentError, match="no dict of names"):
        grad(loss, policy="h")


def test_not_kept():
    """What is not kept anyway is told, with what is."""

    def f(x):
        h = x + 1
        return np.sum(h * x)

    def linear(x):
        h = 2 * x
        return np.sum(h + x)

    grad(f, policy={"h": "recompute"})(X)
    with pytest.warns(PolicyWarning, match="'h' is not kept for this derivative of linear"):
        grad(linear, policy={"h": "recompute"})(X)


def test_recorded():
    """What is recorded keeps what the tape keeps, and says so."""

    def f(x):
        h = 2 * x
        exec("pass")
        return np.sum(h + x)

    with pytest.warns(PolicyWarning, match="f is recorded"):
        grad(f, policy={"h": "recompute"}, recorded="allow")(X)


def test_both_texts_at_once():
    """Each policy has its own text; what is decorated hands it on."""
    f = differentiate(loss, policy={"h": "recompute"})
    f.grad(X, W)
    plain = grad(loss)
    plain(X, W)
    assert "# recomputed" in f.source()
    assert "# recomputed" not in source(plain)
    assert "# recomputed" in srcgrad.source(loss, policy={"h": "recompute"})
    assert "# recomputed" in srcgrad.source(plain.__wrapped__, policy={"h": "recompute"})


def test_saved(tmp_path):
    """A saved module has the same lines, and the helper that makes a file."""
    file = tmp_path / "saved.py"
    for way in ("recompute", "memmap", "float32"):
        gradient = grad(loss, policy={"h": way})
        expected = gradient(X, W)
        srcgrad.save(gradient, file)
        space = {"__name__": "saved"}
        exec(compile(file.read_text(), str(file), "exec"), space)
        assert np.array_equal(space["loss_grad"](X, W), expected)


def test_with_text_for_speed():
    """Both options together."""
    for way in ("recompute", "memmap"):
        gradient = grad(loss, (0, 1), policy={"h": way}, optimize="speed")
        for one, other in zip(gradient(X, W), grad(loss, (0, 1))(X, W), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)


def files():
    """The files of arrays that are there."""
    return set(Path(tempfile.gettempdir()).glob("srcgrad-*"))


def test_files_go():
    """Nothing is left where an exception is raised, or the backward function is dropped."""
    before = files()

    def f(x, w):
        h = np.exp(x * w)
        r = np.sum(h * h)
        if w[0] < 0:
            raise ValueError("negative")
        return r

    with pytest.raises(ValueError, match="negative"):
        grad(f, policy={"h": "memmap"})(X, -W)
    _, backward = vjp(f, X, W, policy={"h": "memmap"})
    backward(1.0)
    del backward
    gc.collect()
    assert files() <= before


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 2), ()])
def test_on_disk(shape, order):
    """The same numbers in the same order of memory, which nobody can write into."""
    array = np.asarray(np.random.default_rng(0).normal(size=shape), order=order)
    held = on_disk(array)
    assert type(held) is np.ndarray
    assert np.array_equal(held, array)
    assert held.flags.f_contiguous == array.flags.f_contiguous
    assert type(held + 1) is type(array + 1)


def test_compiled():
    """Compiled text computes again, and keeps nothing in files."""
    numba = pytest.importorskip("numba")
    gradient = grad(loss, (0, 1), jit=numba.njit, policy={"h": "recompute"})
    for one, other in zip(gradient(X, W), grad(loss, (0, 1))(X, W), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    with pytest.raises(ArgumentError, match="keeps nothing in files"):
        grad(loss, jit=numba.njit, policy={"h": "memmap"})(X, W)


TABLE = [case for case in programs() if len(case.wrt) > 1]


@pytest.mark.one_of(2)
@pytest.mark.filterwarnings("ignore::srcgrad.RecordedWarning")
@pytest.mark.parametrize("case", TABLE[::20], ids=lambda case: case.name)
def test_programs(case):
    """Each name that a program keeps, computed again and in a file: exactly the same gradient."""
    wrt = wrt_of(case)
    plain = grad(case.fn, wrt)
    try:
        expected = fd.numbers(plain(*case.make_args()))
    except srcgrad.SrcgradError:
        pytest.skip("it has no gradient")
    if plain.recorded:
        pytest.skip("it is recorded")
    for way in ("recompute", "memmap"):
        for name in kept_names(case, wrt):
            try:
                found = fd.numbers(grad(case.fn, wrt, policy={name: way})(*case.make_args()))
            except ArgumentError:
                continue
            for one, other in zip(found, expected, strict=True):
                assert np.array_equal(one, other, equal_nan=True)


def kept_names(case, wrt):
    """The names of what a program keeps, as the error for a wrong one tells."""
    try:
        grad(case.fn, wrt, policy={"no_such_name": "recompute"})(*case.make_args())
    except ArgumentError as error:
        return error.fixes[0].split("'")[1::2]
    return []
