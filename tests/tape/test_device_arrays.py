"""The tape with arrays that lie on a device: a stand-in, or with ``--gpu`` CuPy's own."""

import importlib
import sys

import numpy as np
import pytest

import srcgrad
from srcgrad import tape
from srcgrad.errors import SrcgradError
from srcgrad.tape.derivatives import hvp
from tests.formulas.strict_arrays import StrictArray, plain, strict_module, transfers
from tests.tape.test_programs import DIRECTION, POINT, found_in

X, W = np.array([0.7, 1.3, 2.1]), np.array([0.3, 0.9, 1.7])


class OnStandIn:
    """How arrays come to the stand-in, and back."""

    kind = StrictArray

    def there(self, array):
        return StrictArray(np.array(array))

    def back(self, value):
        return plain(value)


class OnGpu:
    """How arrays come to a GPU, and back."""

    def __init__(self, cupy):
        self.there, self.back, self.kind = cupy.asarray, cupy.asnumpy, cupy.ndarray


def sums(x, w):
    """Read nothing but whole arrays."""
    return np.sum(np.sin(x * w) ** 2) / np.mean(w)


def entries(x, w):
    """Read entries one by one."""
    total = 0.0
    for k in range(3):
        total += x[k] * w[k - 1] ** 2
    return total


def written(x, w):
    """Write into arrays in place."""
    y = np.zeros_like(x)
    y[1:] = x[:-1] * w[1:]
    y[0] = 2.0
    y += x
    y[::2] *= w[0]
    return np.sum(y * y)


def masked(x, w):
    """Write under masks, and through views."""
    y = x.copy()
    y[y > 1] *= w[0]
    tail = y[::2]
    tail += 1
    return np.sum(y**3) + np.max(x) * np.where(w > 0.5, x, 0.0).sum()


def twice_in_an_index(x, w):
    """Name entries twice in an index."""
    y = np.zeros_like(x)
    places = (w > 0.5).astype(int)
    y[places] = (places + 1) * w[0]  # the same number twice: which one stays is not defined
    np.add.at(y, places, x**2)
    return np.sum(y * w) + np.sum(x[places] ** 2)


def branches(x, w):
    """Ask for a number, and raise an exception."""
    try:
        if x[0] > 0.5:
            raise ValueError
        return np.sum(x)
    except ValueError:
        return np.sum(x * w) ** 2


def generated(x, w):
    """Go through a generator."""

    def parts():
        for k in range(2):
            yield x[k:] * w[: 3 - k]

    return sum(part.sum() for part in parts())


def matrices(x, w):
    """Call functions of linear algebra."""
    a = np.stack([x, w, x * w])
    b = a.T @ a + np.diag(np.ones_like(x))
    return np.linalg.solve(b, x).sum() + a.reshape(-1)[::2].sum() + np.linalg.norm(a)


def complex_numbers(x, w):
    """Compute with complex numbers, and their parts."""
    z = x + 1j * w
    z.imag = np.real(z) * w
    return np.abs(z.sum()) ** 2 + np.sum(z.real)


PROGRAMS = [
    *(sums, entries, written, masked, twice_in_an_index, branches),
    *(generated, matrices, complex_numbers),
]
each = pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)


@each
def test_derivatives(program):
    """All derivatives are those of NumPy's arrays, in all modes, and lie on the device."""
    check(program, OnStandIn())


@each
def test_derivatives_on_a_gpu(cupy, program):
    """The same with CuPy."""
    check(program, OnGpu(cupy))


def check(program, device):
    """Compare the derivatives of a program with those of NumPy's arrays."""

    def there(*arrays):
        return [device.there(array) for array in arrays]

    value, slopes = tape.value_and_grad(program, (0, 1))(X.copy(), W.copy())
    found, made = tape.value_and_grad(program, (0, 1))(*there(X, W))
    near(device.back(found), value)
    for slope, expected in zip(made, slopes, strict=True):
        assert type(slope) is device.kind
        assert slope.dtype == expected.dtype
        near(device.back(slope), expected)
    value, backward = tape.vjp(program, *there(X, W), wrt=(0, 1))
    for scale in (1.0, 3.0):
        for slope, expected in zip(backward(device.there(scale)), slopes, strict=True):
            near(device.back(slope), scale * expected)
    _, dot = tape.jvp(program, there(X, W), there(W, X))
    near(device.back(dot), tape.jvp(program, (X.copy(), W.copy()), (W, X))[1])
    near(device.back(hvp(program)(*there(X, W, W))), hvp(program)(X.copy(), W.copy(), W))
    single = tape.grad(program)(*there(X.astype("f4"), W.astype("f4")))
    assert single.dtype == np.float32


def near(found, expected):
    """Assert that two results are the same, but for rounding."""
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


MODULES = (
    *("callees", "callees_decorated", "callees_given", "callers", "effects"),
    *("effects_in_containers", "everyday", "iterating", "libraries", "objects", "views"),
)
# Their records are NumPy's: CuPy has none
WITHOUT = {"structured_tuplewrite", "structured_from_boxes"}
TAPE_PROGRAMS = [
    pytest.param(f, id=f"{name}.{f.__name__}")
    for name in MODULES
    for f in found_in(importlib.import_module(f"tests.tape.programs.{name}"))
    if f.__name__ not in WITHOUT
]


def runs(f, device):
    """Whether a program runs on a device, and gives there what it gives on the host."""
    try:
        value = f(device.there(POINT))
        return np.allclose(device.back(value), f(POINT.copy()))
    except Exception:  # noqa: BLE001 -- it makes arrays of NumPy's, or calls what CuPy does not have
        return False


@pytest.mark.one_of(4)
@pytest.mark.parametrize("f", TAPE_PROGRAMS)
def test_programs_of_the_tape(f):
    """What the tape takes with NumPy's arrays, it takes with those of a device, or says why not."""
    check_program(f, OnStandIn())


@pytest.mark.one_of(6)
@pytest.mark.parametrize("f", TAPE_PROGRAMS)
def test_programs_of_the_tape_on_a_gpu(cupy, f):
    """The same with CuPy."""
    check_program(f, OnGpu(cupy))


def check_program(f, device):
    """Compare with the tape on NumPy's arrays; what runs on a device may be refused, by name."""
    if not runs(f, device):
        return
    value, slope = tape.value_and_grad(f)(POINT.copy())
    try:
        found, made = tape.value_and_grad(f)(device.there(POINT))
    except SrcgradError:
        return
    near(device.back(found), value)
    near(device.back(made), slope)
    _, dot = tape.jvp(f, (device.there(POINT),), (device.there(DIRECTION),))
    near(device.back(dot), tape.jvp(f, (POINT.copy(),), (DIRECTION,))[1])


# What a recorded gradient asks of the device beyond what the program asks for
ASKED = {sums: [], matrices: ["bool"], branches: ["bool"], entries: ["bool"], written: ["bool"]}


@pytest.mark.parametrize("program", ASKED, ids=lambda f: f.__name__)
def test_nothing_is_copied(program):
    """Where parts of arrays are left out, it is asked once whether the gradient is finite."""
    x, w = StrictArray(X.copy()), StrictArray(W.copy())
    transfers()
    program(StrictArray(X.copy()), w)
    own = transfers()
    tape.grad(program, (0, 1))(x, w)
    assert transfers() == own + ASKED[program]


def test_constants_are_not_compared():
    """What only reads an array that is kept needs no copy of it, nor a look at it afterwards."""

    def greatest(x, w):
        kept = w * 1.0
        y = x * kept
        return np.sum(y * np.argmax(kept))

    transfers()
    tape.grad(greatest)(StrictArray(X.copy()), StrictArray(W.copy()))
    assert not transfers()


def test_infinite_slopes_that_nothing_reads():
    """They count as 0, as they do with NumPy's arrays."""

    def one_of(x):
        return np.sqrt(x)[1]

    slope = tape.grad(one_of)(StrictArray(np.array([0.0, 1.0])))
    np.testing.assert_array_equal(slope.held, [0.0, 0.5])
    value, backward = tape.vjp(np.sqrt, StrictArray(np.array([0.0, 1.0])))
    np.testing.assert_array_equal(backward(StrictArray(np.array([0.0, 1.0]))).held, [0.0, 0.5])
    np.testing.assert_array_equal(value.held, [0.0, 1.0])


def an_entry_is_a_view(x, w):
    """Read an entry that is written afterwards: it is what was written."""
    y = x * 1
    first = y[0]
    y[0] = 5 * w[0]
    return first * np.sum(y * w)


def a_sum_can_be_written(x, w):
    """Add to a sum, which is an array on a device, under its other name, too."""
    total = np.sum(x)
    other = total
    total += w[0]
    return other * w[1]


# what the value is where an entry is a view, and the slopes
VIEWS = {
    an_entry_is_a_view: (
        lambda x, w: 5 * w[0] * (5 * w[0] ** 2 + x[1] * w[1] + x[2] * w[2]),
        lambda x, w: 5 * w[0] * np.array([0.0, w[1], w[2]]),
    ),
    a_sum_can_be_written: (
        lambda x, w: (x.sum() + w[0]) * w[1],
        lambda x, w: np.full(3, w[1]),
    ),
}
each_view = pytest.mark.parametrize("program", VIEWS, ids=lambda f: f.__name__)


@each_view
def test_views(program):
    """What has no axes is an array, and a view, on a device."""
    check_views(program, OnStandIn())


@each_view
def test_views_on_a_gpu(cupy, program):
    """The same with CuPy."""
    check_views(program, OnGpu(cupy))


def check_views(program, device):
    """Compare a program with what its views mean."""
    value, slope = VIEWS[program]
    x, w = device.there(X), device.there(W)
    near(device.back(program(x, w)), value(X, W))
    found, made = tape.value_and_grad(program)(x, w)
    near(device.back(found), value(X, W))
    near(device.back(made), slope(X, W))


def test_arguments_are_written():
    """What the function writes into its arguments is there afterwards."""

    def shifted(x, w):
        x += w
        x[0] *= w[0]
        return np.sum(x**2)

    ours, theirs = StrictArray(X.copy()), X.copy()
    found = tape.grad(shifted, (0, 1))(ours, StrictArray(W.copy()))
    wanted = tape.grad(shifted, (0, 1))(theirs, W.copy())
    np.testing.assert_array_equal(ours.held, theirs)
    for slope, expected in zip(found, wanted, strict=True):
        near(slope.held, expected)


def test_overwritten_before_the_backward_function():
    """What was kept is compared with a copy, on the device."""
    x = StrictArray(X.copy())
    _, backward = tape.vjp(lambda x: np.sum(np.sin(x)), x)
    x[0] = 5.0
    with pytest.raises(SrcgradError, match="overwritten"):
        backward(1.0)


def test_arrays_on_the_wrong_device():
    """The error is that of the arrays."""
    for f in (lambda x: np.sum(x * W), lambda x: np.sum(np.stack([x, W]))):
        with pytest.raises(TypeError, match="NumPy array"):
            tape.grad(f)(StrictArray(X.copy()))
    with pytest.raises(TypeError, match="NumPy"):
        tape.vjp(lambda x: 2 * x, StrictArray(X.copy()))[1](X)


def test_memory_that_is_not_known(monkeypatch):
    """Arrays that do not say where they are can be read, and are not written."""
    monkeypatch.setattr(StrictArray, "data", None)
    slope = tape.grad(sums)(StrictArray(X.copy()), StrictArray(W.copy()))
    near(slope.held, tape.grad(sums)(X, W))
    with pytest.raises(SrcgradError, match="memory is not known"):
        tape.grad(written)(StrictArray(X.copy()), StrictArray(W.copy()))


def in_text(x, w):
    """Hand a part that cannot be text to the tape."""
    return np.sum(branches(x, w) * np.cos(x)) + np.sum(x * w)


def test_recorded_parts_of_generated_code():
    """The public derivatives record what is not text, with arrays of a device, too."""
    x, w = StrictArray(X.copy()), StrictArray(W.copy())
    for program in (in_text, branches, generated):
        slope = srcgrad.grad(program, recorded="allow")(x, w)
        assert type(slope) is StrictArray
        near(slope.held, tape.grad(program)(X.copy(), W))
        _, dot = srcgrad.jvp(program, (x, w), (w, x), recorded="allow")
        near(plain(dot), tape.jvp(program, (X.copy(), W), (W, X))[1])


def test_derivatives_of_derivatives():
    """Jacobians and Hessians come from one run, and their columns lie on the device."""
    x, w = StrictArray(X.copy()), StrictArray(W.copy())
    found = tape.derivatives.hessian(sums)(x, w)
    near(found.held, tape.derivatives.hessian(sums)(X.copy(), W))
    found = tape.derivatives.jacobian(lambda x: x[1:] * x[0])(x)
    near(found.held, [[1.3, 0.7, 0.0], [2.1, 0.0, 0.7]])


def test_numbers_beside_arrays():
    """A number of the host has a gradient on the device; what the host reads is asked for."""

    def scaled(c, x):
        return float(np.sum(x)) * c + np.sum(np.sin(c * x))

    slopes = tape.grad(scaled, (0, 1))(2.0, StrictArray(X.copy()))
    for slope, expected in zip(slopes, tape.grad(scaled, (0, 1))(2.0, X), strict=True):
        near(slope.held, expected)


def test_arguments_that_hold_others():
    """Dicts, lists and objects with arrays of a device in them."""

    def network(layers, x):
        for layer in reversed(layers):
            x = np.tanh(x @ layer["w"] + layer["b"])
        return np.sum(x)

    def layers(make):
        return [{"w": make(np.outer(X, W) * k), "b": make(W * k)} for k in (0.3, 0.7)]

    found = tape.grad(network)(layers(StrictArray), StrictArray(X.copy()))
    wanted = tape.grad(network)(layers(np.array), X)
    for ours, theirs in zip(found, wanted, strict=True):
        for name, slope in ours.items():
            near(slope.held, theirs[name])


def test_memory_without_a_base():
    """What was made of an address is known by its allocation: it is written under both names."""
    x = StrictArray(X.copy())
    y = StrictArray((2,), x.dtype, x.data + 8, x.strides)
    assert y.base is None

    def through(x, w):
        y[0] = w[0] * 3.0
        return np.sum(x**2)

    slopes = tape.grad(through, (0, 1))(x, StrictArray(W.copy()))
    near(slopes[0].held, [1.4, 0.0, 4.2])
    near(slopes[1].held, [18.0 * W[0], 0.0, 0.0])


def test_one_value_for_each_entry():
    """Where an index names an entry twice, the derivative is that of the value that stays."""

    def chosen(x, w):
        y = np.zeros_like(x)
        y[(w > 0.5).astype(int)] = x * w
        return np.sum(y * w)

    x, w = StrictArray(X.copy()), StrictArray(W.copy())
    value, slope = tape.value_and_grad(chosen)(x, w)
    near(value.held, slope.held @ X)
    assert np.count_nonzero(slope.held) == 2


def test_straight_programs_are_for_the_host():
    """What ran on a device is not written as a program."""
    record = tape.Tape()
    tape.vjp(sums, StrictArray(X.copy()), StrictArray(W.copy()), tape=record)
    with pytest.raises(SrcgradError, match="on a device"):
        record.source()


def test_results_of_recorded_parts_are_views():
    """A part that gives a view of what it was given is recorded with its caller."""

    def part(x):
        try:
            return x[1:]
        finally:
            pass

    def whole(x, w):
        y = x * w
        z = part(y)
        z *= 2.0
        return np.sum(y**2)

    slope = srcgrad.grad(whole, recorded="allow")(StrictArray(X.copy()), StrictArray(W.copy()))
    near(slope.held, 2 * X * W**2 * np.array([1.0, 4.0, 4.0]))


@pytest.fixture
def cp(monkeypatch):
    """The stand-in for CuPy's module, as if it had been imported."""
    made = strict_module()
    monkeypatch.setitem(sys.modules, "cupy", made)
    monkeypatch.setitem(sys.modules, "cupy.linalg", made.linalg)
    return made


def under_own_names(xp):
    """A program that calls functions of a module of arrays."""

    def program(x, w):
        a = xp.array([x[0], w[1], 2.0])
        a += xp.asarray(x) * xp.full(3, x[1])
        b = xp.concatenate([a, xp.zeros(2)])
        b[0] = xp.sin(w[0])
        c = xp.zeros((2, 2))
        c[:, 0] = x[:2]
        total = float(xp.sum(x))
        y = xp.empty_like(x)
        xp.multiply(x, w, out=y)
        xp.copyto(y[:2], x[1:], where=xp.asarray([True, False]))
        d = xp.stack([x, xp.arange(3.0)])
        norm = xp.linalg.norm(b)
        return norm + xp.sum(c**2) + xp.dot(y, y) + xp.exp(total / 10) + xp.sum(d @ d.T)

    return program


def test_functions_under_their_own_names(cp):
    """Functions of CuPy's have the formulas of NumPy's, and make arrays on the device."""
    check_names(cp, OnStandIn())


def test_functions_under_their_own_names_on_a_gpu(cupy):
    """The same with CuPy."""
    check_names(cupy, OnGpu(cupy))


def check_names(xp, device):
    """Compare a program with its twin that is written with NumPy."""
    ours, theirs = under_own_names(xp), under_own_names(np)
    x, w = device.there(X), device.there(W)
    value, slopes = tape.value_and_grad(ours, (0, 1))(x, w)
    expected, others = tape.value_and_grad(theirs, (0, 1))(X.copy(), W.copy())
    near(device.back(value), expected)
    for slope, other in zip(slopes, others, strict=True):
        near(device.back(slope), other)
    near(device.back(hvp(ours)(x, w, w)), hvp(theirs)(X.copy(), W.copy(), W))


def test_the_host_under_names_of_the_device(cp):
    """An array of NumPy's is not taken for one of a device."""
    with pytest.raises(TypeError, match="NumPy array"):
        tape.grad(lambda x: cp.sum(cp.sin(x)))(X.copy())
