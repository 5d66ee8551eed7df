"""Array expressions that Numba compiles as loops: what NumPy gives, in every shape and order."""

import ast

import numpy as np
import pytest

from srcgrad import grad, value_and_grad
from srcgrad.generation.loops import Backwards, in_loops

numba = pytest.importorskip("numba")

from srcgrad.generation.loops_in_numba import loops_for_numba  # noqa: E402


def looped(text, jit=numba.njit):
    """Return a function of a text that is compiled in loops, and one that Python runs."""
    (node,) = ast.parse(text).body
    space = {"np": np, **loops_for_numba()}
    exec(text, space)
    plain = space.pop(node.name)
    errors = jit(lambda: None).targetoptions.get("error_model", "python") == "python"
    names = {name: name for name in loops_for_numba()}
    in_loops(Backwards(node).visit(node), lambda name: name == "np", {}, names, errors)
    assert any(name in ast.unparse(node) for name in names)
    exec(compile(ast.Module([node], []), "loops", "exec"), space)
    return jit(space[node.name]), plain


def same(one, other, *arguments):
    """Compare results, and what is left behind in the arguments."""
    kept = [[a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)]
    try:
        expected = other(*kept[1])
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            one(*kept[0])
        return
    found = one(*kept[0])
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    for mine, theirs in zip(*kept, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-13)


def array(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


PAIRS = [
    ((3,), (3,)), ((3,), (1,)), ((1,), (3,)), ((0,), (1,)), ((1,), (0,)), ((1,), (1,)),
    ((3,), (4,)), ((0,), (3,)), ((17,), (17,)),
]  # fmt: skip


def test_lengths():
    """Arrays of length 1 are repeated, and lengths that do not fit are an error."""
    one, other = looped("def f(x, y):\n    return x * y - 2 * np.sin(x)")
    for shapes in PAIRS:
        same(one, other, *(array(*shape) for shape in shapes))


def test_ranks():
    """Ranks differ, and axes are added."""
    one, other = looped("def f(x, y, k):\n    return (x - y) / k + x[:, :1] * y[None]")
    for x, y in (((2, 3), (3,)), ((2, 1), (4,)), ((2, 3), (1,)), ((0, 3), (3,)), ((2, 3), (4,))):
        same(one, other, array(*x), array(*y), 2.0)


def test_orders_of_memory():
    """Rows, columns, transposed and reversed arrays."""
    one, other = looped("def f(x, y):\n    return x[1:, ::-1] * y.T[1:] + np.maximum(x[1:], 0.5)")
    same(one, other, array(3, 4), array(4, 3))
    same(one, other, np.asfortranarray(array(3, 4)), array(4, 8)[:, ::2][:, :3])


@pytest.mark.one_of(3)
def test_sums():
    """Sums and means of expressions, also of nothing."""
    text = "def f(x, y):\n    return np.sum(x * y) + (x[1:] - y[1:]).sum() + np.sum(x[:, 0]**2)"
    one, other = looped(text)
    for shape in ((1, 1), (3, 17), (2, 1), (1, 8), (40, 9)):
        same(one, other, array(*shape), array(*shape))
    one, other = looped("def f(x):\n    return np.mean(x**2) + x.sum()")
    for n in (1, 7, 8, 9, 100):
        same(one, other, array(n))


@pytest.mark.one_of(3)
def test_sums_along_axes():
    """Sums along axes, which may be kept."""
    text = """def f(x, y):
    a = (x * y).sum(axis=0, keepdims=True) - np.mean(x, axis=(0,))
    return a * np.sum(x - y, axis=1, keepdims=True) + x.sum(axis=-1)[:, None]
"""
    one, other = looped(text)
    for shape in ((3, 4), (1, 5), (5, 1)):
        same(one, other, array(*shape), array(*shape))
    same(one, other, array(3, 4), array(8, 4)[2:5])


PLACES = [
    "x[1:] = x[:-1] * 2.0", "x[:-1] = x[1:] - y[1:]", "x[1:] += x[:-1]", "x[::-1] -= 2 * x",
    "x[::2] = y[1::2] * x[::2]", "x += x * y", "x[1:] = y[:1]", "x *= x[::-1]", "x[2:5] = y[:3]",
    "x[:] = x + x[0]", "x[1:4] /= y[0] + x[1:4]", "x[3:2] += y[:0] * 2",
]  # fmt: skip


@pytest.mark.one_of(3)
def test_writes_that_are_read():
    """What is written and read at once is read before it is written."""
    body = "\n".join(f"    if k == {k}:\n        {line}" for k, line in enumerate(PLACES))
    one, other = looped(f"def f(x, y, k):\n{body}\n    return np.sum(x * y)")
    for k in range(len(PLACES)):
        same(one, other, array(8), 0.5 * array(8), k)
        shared = array(16)
        mine, theirs = shared.copy(), shared.copy()  # arguments that overlap
        one(mine[2:10], mine[4:12], k)
        other(theirs[2:10], theirs[4:12], k)
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def test_numbers_that_change():
    """What a number loses, or is multiplied or divided by, is a whole expression."""
    one, other = looped("""def f(x, y):
    s = 2.0
    s -= np.dot(x, y) - y[0]
    s *= np.dot(x, x) + y[1]
    s /= np.dot(y, y) * x[0]
    return s
""")
    same(one, other, array(4), 0.5 * array(4))


@pytest.mark.one_of(3)
def test_writes_of_blocks():
    """Blocks of matrices, with rows and columns that overlap."""
    text = """def f(x, y):
    x[1:, 1:] += x[:-1, :-1] - y[1:, :-1]
    x[:, 1] = 2 * x[:, 0] + x[0, 0]
    x[1, 1:] -= y[0, 1:] * x[2, :-1]
    x[:2] = y[:1] * y[0, 0]
    x[:, 1:] *= np.outer(y[:, 0], y[0, 1:])
    return x
"""
    one, other = looped(text)
    for shape in ((4, 4), (3, 6)):
        same(one, other, array(*shape), array(*shape))
    same(one, other, np.asfortranarray(array(4, 4)), array(8, 8)[::2, ::2])


@pytest.mark.one_of(3)
def test_kinds_of_entries():
    """Masks, whole numbers and single precision."""
    text = (
        "def f(x, n):\n    m = (x > 0.2) & (x < 1.5)\n    y = np.where(m, x, 2.0 * x) * m\n"
        "    return y + n / 2 - n**2 + (n - 1) * x"
    )
    one, other = looped(text)
    same(one, other, array(9), np.arange(9))
    x = array(9).astype(np.float32)
    found = one(x, np.arange(9))
    np.testing.assert_allclose(found, other(x, np.arange(9)), rtol=1e-6)


def test_division_of_numbers():
    """A number divided by zero is an error where Python says so, an array's entry is infinite."""
    one, _ = looped("def f(x, a, b):\n    return x * (a / b) + x / b")
    with pytest.raises(ZeroDivisionError):
        one(array(3), 1.0, 0.0)
    one, _ = looped("def f(x, a):\n    return x + x / a")
    assert np.isinf(one(array(3), 0.0)).all()
    one, _ = looped("def f(x, a, b):\n    return x * (a / b)", numba.njit(error_model="numpy"))
    assert np.isinf(one(array(3), 1.0, 0.0)).all()


def test_numbers_stay():
    """Where nothing is an array nothing changes, and lists are no arrays."""
    text = """def f(x, y):
    kept = []
    for i in range(3):
        kept.append(x * i)
    kept += [y]
    total = 0.0
    for each in kept[::-1]:
        total = total * y + each
    return total
"""
    one, other = looped(text)
    same(one, other, 2.0, 3.0)


def test_operands_that_write():
    """What a called function writes is read behind it only."""
    text = "def f(x, g):\n    y = x * 2.0 + g(x)\n    y += np.sin(x) * g(x)\n    return np.cos(x)"
    (node,) = ast.parse(text).body
    names = {name: name for name in loops_for_numba()}
    in_loops(node, lambda name: name == "np", {"x": 1}, names, False)
    assert [ast.unparse(line) for line in node.body] == [
        "y = elementwise('a0 * 2.0', x) + g(x)",
        "y = written('a0', '+=', y, None, elementwise('sin(a0)', x) * g(x))",
        "return elementwise('cos(a0)', x)",
    ]


def heated(u, rate, scale, steps):
    for _ in range(steps):
        new = np.zeros(u.shape[0])
        new[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new * scale
    return np.sum(u**2)


@pytest.mark.one_of(3)
def test_programs():
    """Gradients of one derivative, whose shapes change from call to call."""
    fast = value_and_grad(heated, (0, 1, 2), jit=numba.njit)
    plain = value_and_grad(heated, (0, 1, 2))
    for n, m, steps in ((6, 6, 3), (6, 1, 3), (9, 9, 0), (2, 2, 2), (6, 6, 3)):
        arguments = array(n), 0.2, array(m), steps
        (value, bars), (expected, others) = fast(*arguments), plain(*arguments)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for one, other in zip(bars, others, strict=True):
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_what_loops_cannot_be_compiled():
    """What Numba cannot compile in loops is compiled as it stands."""

    def of_text(x, word):
        return np.sum(x * x) * (2.0 if word == "a" else 1.0)

    x = array(3)
    np.testing.assert_allclose(grad(of_text, jit=numba.njit)(x, "a"), 4 * x)
