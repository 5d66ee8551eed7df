"""Entries of arrays on the tape lie in memory where they lie in the program: views depend on it."""

import numpy as np
import pytest

from srcgrad import jvp, tape, value_and_grad
from srcgrad.tape.recording import raw
from tests import finite_differences as fd

WHOLE = np.arange(1.0, 25.0).reshape(2, 3, 4)
LAYOUTS = {
    "by rows": WHOLE,
    "by columns": np.asfortranarray(WHOLE),
    "axes swapped": np.transpose(WHOLE, (1, 0, 2)),
    "parts": WHOLE[:, ::2, 1:],
    "backwards": WHOLE[::-1],
}
EXPRESSIONS = """
x.copy()
x.T.copy()
x.copy("K")
x.copy("A")
x.copy(order="F")
x.astype(np.float32)
x.astype(float, order="C")
x.astype(np.float32, order="F")
x.reshape(-1, 2)
x.reshape((x.shape[2], -1), order="F")
x.flatten("F")
x.swapaxes(0, 2)
x.cumsum(axis=1)
x.diagonal(axis1=0, axis2=2)
x * x.copy()
np.add(x, 1, order="C")
np.exp(x, order="F")
np.modf(x, order="A")[0]
np.exp(x.sum(), order="C")
np.copy(x)
np.array(x)
np.array(x, order="C")
np.asarray(x, order="F")
np.ascontiguousarray(x)
np.array([x, x])
np.stack([x, x])
np.concatenate([x, x])
np.where(x > 3, x, 0.0)
np.zeros_like(x) + x
np.ones_like(x) * x
np.tile(x, 2)
np.einsum("ijk->kij", x)
x @ np.ones((x.shape[2], 2))
x[:, [0, 1]]
x[x.shape[0] - 1 :]
np.pad(x, 1)
np.diff(x, axis=1)
""".strip().splitlines()


def strides(x):
    """Where the entries lie: the steps of the axes that are longer than one."""
    x = raw(x)
    return tuple(s for s, n in zip(np.asarray(x).strides, np.shape(x), strict=True) if n > 1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_entries_lie_as_in_the_program(text, layout):
    """The steps between entries are those of the program, for arguments in several layouts."""
    f, x, found = eval(f"lambda x: {text}"), LAYOUTS[layout], []
    expected = f(x)

    def program(x):
        found.append(f(x))
        return found[0]

    value, _ = tape.vjp(program, x)
    assert strides(found[0]) == strides(expected)
    assert type(value) is type(expected)
    np.testing.assert_array_equal(value, expected)


def _copied(x):
    b = x.T.copy()
    b.reshape(-1)[0:2] = x[1, 1] ** 2
    return np.sum(b**3)


def _cast(x):
    b = x.T.astype(float, order="C")
    c = b.ravel()
    c[0] = c[3]
    return np.sum(b**2)


def _ordered(x):
    b = np.exp(x, order="F")
    c = b.T.reshape(-1)
    c[1] = c[2] * 3
    return np.sum(b**2 * np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("f", [_copied, _cast, _ordered])
def test_what_is_written_through_a_view(f):
    """It is a view in the program, and so it is where the program is recorded."""
    x = np.arange(1.0, 7.0).reshape(2, 3) / 3
    for take in (value_and_grad(f, recorded="allow"), tape.value_and_grad(f)):
        value, slope = take(x.copy())
        assert value == pytest.approx(f(x.copy()))
        np.testing.assert_allclose(slope, fd.gradient(f, (x,), 0), rtol=1e-6)
    _, dot = jvp(f, (x.copy(),), (np.cos(x),), recorded="allow")
    assert dot == pytest.approx(np.sum(slope * np.cos(x)))
