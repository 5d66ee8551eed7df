"""Between `vjp` and its backward function, the user's code may write into what was kept."""

import gc
import types
import weakref

import numpy as np
import pytest

from srcgrad import differentiate, jacrev, nondifferentiable, vjp
from srcgrad.errors import OverwrittenError
from srcgrad.runtime import kept

TABLE = np.array([1.0, 2.0, 3.0])


def product(x, y):
    z = x * y
    return np.sum(z * z)


def exponential(x):
    y = np.exp(x)
    return y


def shapes_only(x):
    return np.sum(x) * np.ones(2)


def read_a_table(x):
    return np.sum(np.sin(x * TABLE))


def in_a_loop(x, rows):
    total = 0.0
    for row in rows:
        total = total + np.sum(np.tanh(row * x))
    return total


def helper(a, b):
    return np.sum(np.cos(a) * b)


def in_a_call(x, y):
    return helper(x, y) * 2.0


def half(x):
    first = x[:2]
    return np.sum(first * first)


def of_a_dict(params):
    return np.sum(params["w"] ** 3) + params["b"]


def pair():
    return np.array([0.5, -1.0, 2.0]), np.array([1.5, 1.0, -2.0])


def test_an_argument():
    """The message names the variable, the line that needs it, and the ways out."""
    x, y = pair()
    _, backward = vjp(product, x, y, wrt=(0, 1))
    y[1] = 7.0
    with pytest.raises(OverwrittenError) as info:
        backward(1.0)
    line = product.__code__.co_firstlineno + 1
    assert str(info.value) == (
        "'y' was overwritten between vjp and the call of its backward function\n"
        f"  test_overwriting.py:{line}, in product\n"
        "    z = x * y\n"
        "            ^\n"
        "  The derivative of this line needs the value that it had then.\n"
        "  Fix: call the backward function before writing, or pass a copy to product, or write "
        "into one, or find the write with vjp(..., strict=True).\n"
        "  See docs/errors.md#overwritten"
    )


def test_the_result():
    """What the user was given may be what is kept."""
    value, backward = vjp(exponential, pair()[0])
    value *= 2
    with pytest.raises(OverwrittenError, match=r"'y' was overwritten.*\n.*in exponential"):
        backward(np.ones(3))


def test_a_result_that_nothing_needs():
    """A sum is not read by its backward part."""
    x, y = pair()
    value, backward = vjp(lambda x, y: x + y, x, y)
    value *= 2
    x += 1
    assert backward(np.ones(3)).tolist() == [1.0, 1.0, 1.0]


def test_a_global_array(monkeypatch):
    """It is nobody's argument, and anybody may write to it."""
    table = TABLE.copy()
    monkeypatch.setitem(globals(), "TABLE", table)
    _, backward = vjp(read_a_table, pair()[0])
    table[0] = 5.0
    with pytest.raises(OverwrittenError, match="in read_a_table"):
        backward(1.0)


def test_a_global_that_is_another_one_now(monkeypatch):
    """The backward part reads globals when it runs."""
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    _, backward = vjp(read_a_table, pair()[0])
    monkeypatch.setitem(globals(), "TABLE", TABLE * 2)
    with pytest.raises(OverwrittenError, match=r"'TABLE'.*\n.*in read_a_table\n"):
        backward(1.0)


def test_a_captured_number():
    """A cell that holds another number now."""
    scale = 2.0

    def scaled(x):
        return np.sum(np.sin(x * scale))

    _, backward = vjp(scaled, pair()[0])
    scale = 3.0
    with pytest.raises(OverwrittenError, match="'scale'"):
        backward(1.0)


def test_a_captured_array():
    """The same for what a local function closes over."""
    scale = np.array([1.0, 2.0, 3.0])
    _, backward = vjp(lambda x: np.sum(np.sin(x * scale)), pair()[0])
    scale[0] = 5.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_a_view():
    """What is kept may be a part of what is written, or of an array that has it as a part."""
    whole = np.arange(6.0)
    _, backward = vjp(product, whole[:3], whole[3:], wrt=(0, 1))
    whole[4] = 0.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_the_part_that_is_not_kept():
    """The slice is kept; the rest of the array is the user's to write."""
    x, _ = pair()
    _, backward = vjp(half, x)
    x[2] = 100.0
    assert backward(1.0).tolist() == [1.0, -2.0, 0.0]
    x[1] = 100.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_in_a_loop_and_in_a_call():
    """The variable is found in the lists of loops, and in what called functions keep."""
    x, y = pair()
    rows = [np.ones(3), np.full(3, 2.0)]
    _, backward = vjp(in_a_loop, x, rows)
    rows[1][0] = 3.0
    with pytest.raises(OverwrittenError, match=r"'row'.*\n.*in in_a_loop\n.*np\.tanh\(row \* x\)"):
        backward(1.0)
    _, backward = vjp(in_a_call, x, y)
    y[0] = 3.0
    with pytest.raises(OverwrittenError, match=r"'b'.*\n.*in helper\n"):
        backward(1.0)


def test_parts_of_a_tree():
    """Arrays in a dictionary are arguments as well."""
    params = {"w": pair()[0], "b": 0.5}
    _, backward = vjp(of_a_dict, params)
    params["b"] = 2.0
    params["w"] = params["w"] * 2  # another array under the same key changes nothing
    first = backward(1.0)
    assert first["w"].tolist() == [0.75, 3.0, 12.0]
    _, backward = vjp(of_a_dict, params)
    params["w"] *= 2
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_only_the_shape_is_read():
    """Writing changes no shape."""
    x, _ = pair()
    _, backward = vjp(shapes_only, x)
    x += 1
    assert backward(np.ones(2)).tolist() == [2.0, 2.0, 2.0]


def test_updates_after_the_backward_function():
    """A step of an optimiser writes into the parameters, and nothing is wrong with that."""
    x, y = pair()
    for _ in range(3):
        _, backward = vjp(product, x, y, wrt=(0, 1))
        x -= 0.1 * backward(1.0)[0]
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_the_same_value_written_again():
    """Only what is different is wrong."""
    x, y = pair()
    _, backward = vjp(product, x, y, wrt=(0, 1))
    x[:] = x.copy()
    backward(1.0)


def test_not_a_number():
    """A NaN is no change."""
    x = np.array([np.nan, 1.0, 2.0])
    _, backward = vjp(product, x, x + 1)
    backward(1.0)


def test_decorated():
    """The method of a decorated function watches as well."""
    x, y = pair()
    _, backward = differentiate(product, wrt=(0, 1)).vjp(x, y)
    x[0] = 9.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_jacobians_compute_no_checksums(monkeypatch):
    """No foreign code runs between the two parts there."""
    monkeypatch.setattr(kept, "fingerprint", None)
    assert np.shape(jacrev(exponential)(pair()[0])) == (3, 3)


@pytest.mark.parametrize("shape", [(3,), (200, 200), (9000,)])
@pytest.mark.parametrize(
    "turn", [lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[1:, ...]]
)
def test_fingerprints(shape, turn):
    """One changed entry anywhere, in any layout, shows; so do two that were swapped."""
    rng = np.random.default_rng(0)
    array = turn(rng.normal(size=shape))
    before = kept.fingerprint(array)
    assert kept.fingerprint(array) == before
    for place in rng.integers(0, array.size, 5):
        old = array.flat[place]
        array.flat[place] = np.nextafter(old, np.inf)
        assert kept.fingerprint(array) != before
        array.flat[place] = old
    assert kept.fingerprint(array) == before
    first, last = array.flat[0], array.flat[-1]
    array.flat[0], array.flat[-1] = last, first
    assert kept.fingerprint(array) != before


def test_what_nobody_else_can_reach_is_not_watched():
    """Intermediates of the forward part are not compared."""

    def deep(x):
        for _ in range(3):
            y = np.tanh(x)
            x = y[:2].sum() * np.sin(y * y)
        return np.sum(x * x)

    _, backward = vjp(deep, pair()[0])
    cells = [c.cell_contents for c in backward.__closure__]
    (watch,) = (c for c in cells if isinstance(c, kept.Kept))
    assert len(watch.watched) <= 1  # the argument


TAKEN = []


@nondifferentiable
def put_aside(y):
    TAKEN.append(y)


def noted(x):
    y = np.exp(x)
    put_aside(y)
    return np.sum(y)


def test_an_intermediate_that_somebody_took():
    """A function that the derivative passes over may have put it aside."""
    _, backward = vjp(noted, pair()[0])
    TAKEN.pop()[0] = 100.0
    with pytest.raises(OverwrittenError, match="'y'"):
        backward(1.0)


def test_without_reference_counts(monkeypatch):
    """Where references are not counted, everything is watched."""
    monkeypatch.setattr(kept, "_references", None)
    x, y = pair()
    _, backward = vjp(product, x, y, wrt=(0, 1))
    backward(1.0)
    x[0] = 9.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


class Foreign:
    """An array of another library: not NumPy's, with the operators that are needed."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def copy(self):
        return Foreign(self.array.copy())

    def __eq__(self, other):
        return self.array == other.array

    def __ne__(self, other):
        return self.array != other.array


def test_arrays_of_other_libraries():
    """They are compared with a copy, by their own operators."""
    mine = Foreign(np.array([1.0, np.nan]))
    watch = kept.Kept(([mine, 1.0],), [])
    assert list(watch.changed()) == []
    mine.array[0] = 2.0
    assert list(watch.changed()) == [(0, 0)]


def test_a_list_that_is_kept():
    """Another object in a list that somebody else holds is a change."""
    parts = [np.ones(2), 1.0]
    watch = kept.Kept((parts,), [])
    parts[1] = 2.0
    assert list(watch.changed()) == [(0,)]


def test_strict():
    """NumPy refuses the line that writes, until the backward function ran."""
    x, y = pair()
    value, backward = vjp(lambda x, y: np.exp(x) * y, x, y, strict=True)
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1.0
    backward(np.ones(3))
    y[0] = 1.0
    value[0] = 1.0


def test_strict_locks_what_shares_memory():
    """Of a view that is kept, the array that owns the memory is locked as well."""
    whole = np.arange(6.0)
    _, backward = vjp(product, whole[:3], whole[3:], wrt=(0, 1), strict=True)
    with pytest.raises(ValueError, match="read-only"):
        whole[0] = 1.0
    backward(1.0)
    whole[0] = 1.0


def test_strict_twice():
    """The array is free when both have run."""
    x, y = pair()
    _, first = vjp(product, x, y, wrt=(0, 1), strict=True)
    _, second = vjp(product, x, y, wrt=(0, 1), strict=True)
    first(1.0)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0
    second(1.0)
    x[0] = 1.0


def test_strict_ends_with_the_backward_function():
    """A backward function that nobody calls, and nobody holds, locks nothing."""
    x, y = pair()
    _, backward = vjp(product, x, y, strict=True)
    gone = weakref.ref(backward)
    assert isinstance(backward, types.FunctionType)
    del backward
    gc.collect()
    assert gone() is None
    x[0] = 1.0


def test_strict_leaves_read_only_arrays_alone():
    """What was read-only before is so afterwards."""
    x, y = pair()
    x.flags.writeable = False
    _, backward = vjp(product, x, y, strict=True)
    backward(1.0)
    assert not x.flags.writeable
