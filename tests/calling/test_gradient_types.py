"""A gradient has the dtype of its argument, in every mode, also inside of structures."""

import dataclasses
from collections import namedtuple

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp, value_and_grad, vjp

DTYPES = (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128)
Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass
class Record:
    """A record with one number."""

    part: object


def _given_back(x):
    return x


def _widened(x):
    return np.sum(x * np.array([1.0, 2.0])) * np.float64(3.0)


def _accumulated(x):
    total = 0.0
    for k in range(3):
        total = total + x * k
    return np.sum(total)


def _by_call(x):
    return _given_back(x) * 1.5


PROGRAMS = {
    "square": lambda x: np.sum(x * x * 2.0),
    "sine": lambda x: np.sum(np.sin(x)) * np.float64(2.0),
    "given_back": lambda x: np.sum(_given_back(x)),
    "identity": lambda x: x + 0,
    "widened": _widened,
    "constant": lambda x: 3.0,
    "accumulated": _accumulated,
    "by_call": lambda x: np.sum(_by_call(x)),
}
STRUCTURES = {
    "plain": (lambda x: x, lambda p: p),
    "dict": (lambda x: {"a": x}, lambda p: p["a"]),
    "nested": (lambda x: {"a": [(x,)]}, lambda p: p["a"][0][0]),
    "named_tuple": (lambda x: Pair(x, 1.0), lambda p: p.first),
    "dataclass": (Record, lambda p: p.part),
}
MODES = {
    "grad": lambda f, x: grad(f)(x),
    "value_and_grad": lambda f, x: value_and_grad(f)(x)[1],
    "vjp": lambda f, x: vjp(f, x)[1](1.0),
}


def _real(f, dtype):
    return (lambda x: np.real(f(x))) if np.dtype(dtype).kind == "c" else f


@pytest.mark.one_of(6)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [None, 2])
def test_dtype_of_a_gradient(dtype, name, size):
    """Numbers and arrays of every precision have gradients of their own dtype."""
    x = dtype(1.5) if size is None else np.array([1.5, 2.5], dtype)
    if size and name == "identity":
        pytest.skip("the result is no number")
    f = _real(PROGRAMS[name], dtype)
    for mode, run in MODES.items():
        bar = run(f, x)
        found = np.asarray(bar).dtype
        assert found == x.dtype, f"{mode}: {found}"
        assert np.shape(bar) == np.shape(x)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("dtype", [np.float32, np.longdouble], ids=["float32", "longdouble"])
def test_dtype_in_structures(dtype, structure):
    """Parts of structures have gradients of their own dtype, too."""
    make, part = STRUCTURES[structure]
    for x in (dtype(1.5), np.array([1.5, 2.5], dtype)):
        for f in (_given_back, lambda x: x * np.float64(2.0)):
            bar = part(grad(lambda p, f=f: np.sum(f(part(p))))(make(x)))
            assert np.asarray(bar).dtype == x.dtype
            assert np.shape(bar) == np.shape(x)


@pytest.mark.parametrize("dtype", DTYPES[:4], ids=lambda dtype: dtype.__name__)
def test_dtype_of_tangents(dtype):
    """Tangents have the dtype of the value, products with Hessians that of the argument."""
    for x in (dtype(1.5), np.array([1.5, 2.5], dtype)):
        value, slope = jvp(lambda x: np.sum(np.sin(x) * x), (x,), (x,))
        assert slope.dtype == value.dtype == dtype
        assert hvp(lambda x: np.sum(np.sin(x) * x))(x, x).dtype == dtype


@pytest.mark.parametrize("order", ["<f8", ">f8", ">f4"])
def test_byte_order(order):
    """Numbers in another byte order are numbers as any other."""
    x = np.array([1.5, 2.5]).astype(order)
    assert np.allclose(grad(lambda x: np.sum(x**2))(x), 2 * x)
    assert np.allclose(jvp(lambda x: x**2, (x,), (x,))[1], 2 * x * x)


def _written(x):
    y = x.copy()
    y[...] = y * 2
    return np.sum(y**2)


LAYOUTS = {
    "empty": np.zeros(0),
    "no_rows": np.zeros((0, 3)),
    "no_axes": np.array(2.0),
    "one": np.array([2.0]),
    "backwards": np.arange(1.0, 4.0)[::-1],
    "steps": np.arange(6.0)[::2],
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "broadcast": np.broadcast_to(np.array(2.0), (3,)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", [_written, lambda x: np.sum(np.reshape(x, -1) ** 2) * 4])
def test_layouts(f, layout):
    """No layout of memory and no length makes a difference, and nothing is written into it."""
    x = LAYOUTS[layout]
    before = x.copy()
    x = x.view() if layout != "broadcast" else x
    x.flags.writeable = False
    for mode, run in MODES.items():
        bar = run(f, x)
        assert np.shape(bar) == x.shape, mode
        assert np.array_equal(bar, 8 * x), mode
    _, dot = jvp(f, (x,), (np.ones_like(x),), recorded="allow")
    assert np.allclose(dot, np.sum(8 * x))
    assert np.array_equal(x, before)


def test_one_memory_for_two_arguments():
    """Views of one array as two arguments have gradients of their own."""
    base = np.arange(1.0, 5.0)
    first, second = grad(lambda a, b: np.sum(a * a * b), wrt=(0, 1))(base[:-1], base[1:])
    assert np.array_equal(first, 2 * base[:-1] * base[1:])
    assert np.array_equal(second, base[:-1] ** 2)
    assert not np.shares_memory(first, second)


def test_mapped_file(tmp_path):
    """A mapped file is an array as any other."""
    x = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=(3,))
    x[:] = [1.0, 2.0, 3.0]
    assert np.array_equal(grad(lambda x: np.sum(x**2))(x), 2 * x)
    assert np.array_equal(grad(lambda y, x: np.sum(x * y))(np.ones(3), x), x)
