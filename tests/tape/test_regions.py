"""Called functions that no code can be generated for: they alone are recorded."""

import functools
import warnings

import numpy as np
import pytest

from srcgrad import (
    RecordedWarning,
    check,
    differentiate,
    errors,
    grad,
    hessian,
    jvp,
    save,
    source,
    tape,
    value_and_grad,
    vjp,
)
from srcgrad.calling.pushforward import jvp_transform
from srcgrad.calling.recorded import Misfit
from srcgrad.tape.regions import recorded as record

X = np.array([0.3, 0.5, 0.7])


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here, and nobody was warned yet."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    monkeypatch.setattr("srcgrad.calling.recorded._warned", set())


def bent(x, n=2):
    """No code can be generated for this: a try statement is left."""
    try:
        return np.sin(x) * n
    finally:
        pass


def both(x, y):
    """The same, with a tuple as its result."""
    try:
        return np.sin(x) * y, np.sum(x)
    finally:
        pass


def several(x, y):
    """The same, of two arguments."""
    try:
        return x * y + np.exp(y)
    finally:
        pass


def straight(x, y):
    """A recorded call in a row of statements."""
    # the total
    total = bent(x * y, n=3)
    return np.sum(total**2)


def in_a_loop(x):
    """Recorded calls in a loop."""
    t = 0.0
    for k in range(3):
        t = t + np.sum(bent(x * k, n=k + 1))
    return t


def in_a_while_loop(x):
    """Recorded calls in a while loop."""
    k = 0
    y = x
    while k < 3:
        y = bent(y)
        k += 1
    return np.sum(y)


def in_a_branch(x):
    """A recorded call in a branch."""
    if np.sum(x) > 0:
        y = bent(x)
    else:
        y = x
    return np.sum(y * y)


def in_an_expression(x):
    """Recorded calls inside of an expression."""
    return np.sum(bent(x) * bent(x * 2) if x[0] > 0 else bent(x))


def taken_apart(x):
    """A recorded call that gives a tuple."""
    a, b = both(x, x * 2)
    return np.sum(a) * b


def around(x):
    """A function with recorded calls in it."""
    s = x * 1
    for _ in range(2):
        s = s * bent(s)
    return s


def called_in_turn(x):
    """Calls of a function with recorded calls."""
    return np.sum(around(x)) * np.sum(around(x * 2))


def of_two(x):
    """A recorded call of two differentiated arguments."""
    return np.sum(x * several(x, x * 3))


def with_own_arrays(x):
    """Recorded calls of an array that is written in between."""
    y = np.zeros(3)
    y[0] = x[0]
    z = bent(y)
    y[1] = x[1]
    w = bent(y)
    return np.sum(z * w * y)


def with_lists(x):
    """Recorded calls whose results are put into a list."""
    out = []
    for k in range(3):
        out.append(bent(x[k]))
    return np.sum(np.array(out))


def added(total, x):
    """The next sum."""
    try:
        return total + x * x
    finally:
        pass


def summed(x):
    """Recorded calls that begin with a whole number."""
    total = 0
    for k in range(3):
        total = added(total, x[k])
    return total * 2.0


def recursive(x, n):
    """Recorded calls in a recursive function."""
    if n == 0:
        return np.sum(bent(x))
    return np.sum(bent(x) * x) + recursive(bent(x), n - 1)


def in_a_recursion(x):
    """A recursive function that a recorded call stands in."""
    return recursive(x * 1.0, 2)


def not_needed(x):
    """A recorded call whose result plays no role."""
    y = bent(x)
    assert y is not None
    return np.sum(x)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def response(self, x):
        try:
            return self.scale * np.sin(x)
        finally:
            pass

    def loss(self, x):
        return np.sum(self.response(x) ** 2)


MODEL = Model(2.0)


PROGRAMS = [
    *(in_a_loop, in_a_while_loop, in_a_branch, in_an_expression, taken_apart, called_in_turn),
    *(of_two, with_own_arrays, with_lists, summed, in_a_recursion, not_needed),
    MODEL.loss,
]


def is_partly(derivative):
    """Whether there is text, and no more than calls in it are recorded."""
    return "tape." not in source(derivative).replace("srcgrad.tape.", "")


@pytest.mark.one_of(4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_all_modes(f):
    """Programs with recorded calls are right in all modes, and at the second order."""
    gradient = grad(f)
    for _ in range(2):
        found = gradient(X)
    assert is_partly(gradient)
    expected = tape.grad(f)(X)
    np.testing.assert_allclose(found, expected)
    value, other = value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(other, expected)
    value, backward = vjp(f, X)
    assert value == f(X)
    np.testing.assert_allclose(backward(2.0), 2 * expected)
    np.testing.assert_allclose(backward(1.0), expected)
    _, dot = jvp(f, (X,), (np.ones(3),))
    np.testing.assert_allclose(dot, np.sum(expected))
    found = jvp_transform(f, (0,)).specialisations[0].text
    assert "recorded_jvp(" in found or f is not_needed
    second = hessian(f)(X) @ np.ones(3)
    np.testing.assert_allclose(grad(lambda x: np.sum(grad(f)(x)))(X), second)
    h = 1e-5
    numeric = (tape.grad(f)(X + h) - tape.grad(f)(X - h)) / (2 * h)
    np.testing.assert_allclose(second, numeric, atol=1e-6)


def test_differences():
    """The derivative of a program with a recorded call agrees with differences."""
    check(straight, X, 2.0)
    check(straight, X, 2.0, wrt=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision(dtype):
    """A gradient has the dtype of its argument."""
    for f in (in_a_loop, in_an_expression, of_two, with_own_arrays):
        assert grad(f)(X.astype(dtype)).dtype == dtype


def test_source():
    """The call that is recorded stands in the text, with the reason; the rest is text."""
    gradient = grad(straight)
    gradient(X, 2.0)
    first = bent.__code__.co_firstlineno
    line = straight.__code__.co_firstlineno
    assert source(gradient) == (
        "from srcgrad.tape.regions import recorded\n"
        "\n"
        "\n"
        "def straight_grad(x, y):\n"
        f'    """Gradient of straight (test_regions.py:{line}) with respect to x."""\n'
        "    # the total\n"
        "    # recorded: bent uses syntax that srcgrad cannot differentiate: leaving a try\n"
        f"    # statement is not supported (test_regions.py:{first + 2})\n"
        "    total, bent_backward = recorded(bent, x * y, n=3, wrt=0, gives=1)\n"
        "\n"
        f"    # test_regions.py:{line + 4}  return np.sum(total**2)\n"
        "    total_bar = 2 * total\n"
        f"    # test_regions.py:{line + 3}  total = bent(x * y, n=3)\n"
        "    x_bar = y * bent_backward(total_bar)\n"
        "    return x_bar\n"
    )


def test_source_before_a_call():
    """The text is there before any call."""
    assert "recorded(bent, x * y, n=3, wrt=0)" in source(grad(straight))


def test_a_tuple():
    """A tuple is taken apart once it is known that it is one."""
    gradient = grad(taken_apart)
    first = gradient(X)
    assert "tape.grad" in source(gradient) or "gives=(1, 0)" in source(gradient)
    np.testing.assert_allclose(gradient(X), first)
    assert "recorded(both, x, x * 2, wrt=(0, 1), gives=(1, 0))" in source(gradient)


def test_what_is_said(monkeypatch):
    """The called function is in the list, and in one warning."""
    monkeypatch.delenv("SRCGRAD_RECORDED")
    gradient = grad(straight)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gradient(X, 2.0)
        gradient(X, 3.0)
    assert [w.category for w in caught] == [RecordedWarning]
    assert str(caught[0].message).startswith("bent is recorded while it runs: bent uses syntax")
    (found,) = gradient.recorded
    assert (found.function, found.line) == ("bent", bent.__code__.co_firstlineno + 2)
    assert differentiate(straight).recorded == []


def test_refused(monkeypatch, tmp_path):
    """Where recording is refused, the error is the one of the called function; so is saving."""
    with pytest.raises(errors.UnsupportedSyntaxError, match="bent uses syntax"):
        grad(straight, recorded="refuse")(X, 2.0)
    gradient = grad(straight)
    gradient(X, 2.0)
    monkeypatch.setenv("SRCGRAD_RECORDED", "refuse")
    with pytest.raises(errors.UnsupportedSyntaxError, match="bent uses syntax"):
        gradient(X, 2.0)
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    with pytest.raises(errors.SaveError, match="bent is recorded"):
        save(gradient, tmp_path / "saved.py")


LOG = []
TABLE = np.ones(3)
COUNT = [0]


def logging(x):
    """Note each call."""
    LOG.append(float(np.sum(x)))
    return bent(x)


def keeps(x):
    """Keep the argument."""
    try:
        LOG.append(x)
        return x * 2
    finally:
        pass


def counts(x):
    """Count the calls."""
    try:
        COUNT[0] += 1
        return x * COUNT[0]
    finally:
        pass


def writes(x, out):
    """Write into an argument."""
    try:
        out[:] = x
        return x * 2
    finally:
        pass


def writes_by_another_name(x, out):
    """Write into an argument, by another name."""
    try:
        for row in [out]:
            row[0] = 3.0
        return x * 2
    finally:
        pass


def writes_inside(x, out):
    """Write into an argument through a list."""
    try:
        rows = [out]
        rows[0][0] = 3.0
        return x * 2
    finally:
        pass


def adds_in_place(x, out):
    """Write into an argument by an operator."""
    try:
        out += x
        return x * 2
    finally:
        pass


def copies(x, out):
    """Write into an argument by a function of NumPy."""
    try:
        np.copyto(out, x)
        return x * 2
    finally:
        pass


def by_option(x, out):
    """Write into an argument by an option."""
    try:
        np.add(x, 1.0, out=out)
        return x * 2
    finally:
        pass


def by_position(x, out):
    """Write into an argument by a position."""
    try:
        np.add(x, 1.0, out)
        return x * 2
    finally:
        pass


def in_a_function(x, out):
    """Write into an argument in a function."""

    def inner():
        out[0] = 5.0

    try:
        inner()
        return x * 2
    finally:
        pass


def by_map(x, out):
    """Write into an argument in a function that is handed on."""
    try:
        list(map(functools.partial(np.copyto, out), [x]))
        return x * 2
    finally:
        pass


def draws(x):
    """Draw a number."""
    try:
        return x * np.random.normal()  # noqa: NPY002
    finally:
        pass


def reads(x, rows):
    """Read from an iterator."""
    try:
        return next(rows) * x
    finally:
        pass


class Counter:
    def __init__(self):
        self.count = 0

    def step(self, x):
        try:
            self.count += 1
            return x * self.count
        finally:
            pass


@pytest.mark.parametrize(
    "write",
    [
        *(writes, writes_by_another_name, writes_inside, adds_in_place, copies, by_option),
        *(by_position, in_a_function, by_map),
    ],
    ids=lambda f: f.__name__,
)
def test_writes_are_recorded_with_their_caller(write):
    """Where a call may write into its arguments, its caller is recorded, and sees what it wrote."""

    def program(x):
        out = np.ones(3)
        y = write(x * 2, out)
        return np.sum(y * y * out)

    gradient = grad(program)
    found = gradient(X)
    assert not is_partly(gradient)
    h = 1e-6
    for k in range(3):
        step = h * (np.arange(3) == k)
        numeric = (program(X + step) - program(X - step)) / (2 * h)
        np.testing.assert_allclose(found[k], numeric, rtol=1e-5)


@pytest.mark.parametrize("f", [logging, keeps, counts, draws], ids=lambda f: f.__name__)
def test_state_outside(f):
    """Where a call changes what is outside of it, it is not recorded alone; it changes once."""

    def program(x):
        return np.sum(f(x) ** 2)

    LOG.clear()
    COUNT[0] = 0
    gradient = grad(program)
    gradient(X)
    assert is_partly(gradient) == (f is logging)  # which has another statement for that
    assert len(LOG) == (f in (logging, keeps))
    assert COUNT[0] == (f is counts)


def test_effects_of_the_caller():
    """A caller that has effects itself runs once."""

    def program(x):
        LOG.append(1)
        a, b = both(x, x)
        return np.sum(a) * b

    LOG.clear()
    gradient = grad(program)
    gradient(X)
    assert LOG == [1]
    assert is_partly(gradient)
    gradient(X)
    assert LOG == [1, 1]


def test_iterators():
    """What is used up by being read is read once."""

    def program(x, rows):
        return np.sum(reads(x, rows))

    gradient = grad(program)
    rows = iter([2.0, 3.0, 4.0])
    np.testing.assert_array_equal(gradient(X, rows), np.full(3, 2.0))
    assert next(rows) == 3.0


def test_methods_that_change_their_object():
    """A method that changes its object is recorded with its caller."""

    def program(x, counter):
        return np.sum(counter.step(x))

    counter = Counter()
    np.testing.assert_array_equal(grad(program)(X, counter), np.ones(3))
    assert counter.count == 1


def test_views():
    """What is a view of an argument is no new array: its caller is recorded."""

    def part(x):
        try:
            return x[1:]
        finally:
            pass

    def program(x):
        y = np.zeros(3)
        y[:] = x
        z = tried_part(y)
        y[1] = 10.0 * x[0]
        return np.sum(z * z)

    tried_part = part
    gradient = grad(program)
    expected = np.array([200 * X[0], 0.0, 2 * X[2]])
    for _ in range(3):
        np.testing.assert_allclose(gradient(X), expected)


@pytest.mark.parametrize(
    "given",
    [
        lambda x: 3,
        lambda x: TABLE,
        lambda x: x,
        lambda x: [x * 2],
        lambda x: {"a": x},
        lambda x: x * 1j,
        lambda x: None,
        lambda x: (x * 2,),
        lambda x: x > 0,
    ],
)
def test_results_that_do_not_fit(given):
    """What is no array or number of the caller's own is a misfit."""
    with pytest.raises(Misfit):
        record(given, X, wrt=0)


def test_other_results():
    """A function that gives now a number and now a tuple is right each time."""

    def program(x, whole):
        found = changing(x, whole)
        if whole:
            return found * 2.0
        return np.sum(found[0]) * found[1]

    gradient = grad(program)
    for _ in range(2):
        np.testing.assert_allclose(gradient(X, True), np.full(3, 2.0))
        np.testing.assert_allclose(gradient(X, False), np.sum(X) + np.sum(X) * np.ones(3))


def changing(x, whole):
    """Give now a number, now a tuple."""
    try:
        return np.sum(x) if whole else (x * 1.0, np.sum(x))
    finally:
        pass


def test_a_change_of_what_is_called(monkeypatch):
    """Where a function that is called becomes one with effects, its caller is recorded."""

    def program(x):
        out = np.ones(3)
        y = scaled(x, out)
        return np.sum(y * out)

    def scaled(x, out):
        try:
            return x * out
        finally:
            pass

    gradient = grad(program)
    np.testing.assert_allclose(gradient(X), np.ones(3))
    assert is_partly(gradient)
    monkeypatch.setattr(scaled, "__code__", writes.__code__)
    np.testing.assert_allclose(gradient(X), 4 * X)
    assert not is_partly(gradient)


def test_what_is_overwritten_in_between():
    """An array that a recorded call has read, and that was written since, is noticed."""
    model = Model(np.ones(3))

    def program(x, held):
        return np.sum(held.response(x))

    value, backward = vjp(program, X, model)
    np.testing.assert_allclose(value, np.sum(np.sin(X)))
    model.scale[0] = 7.0
    with pytest.raises(errors.OverwrittenError):
        backward(1.0)


def test_lists_that_are_given():
    """Arrays in lists are those of the time of the call, as plain code has them."""

    def scaled(x, held):
        try:
            return x * held[0] * held[1]["a"]
        finally:
            pass

    def program(x):
        y = np.ones(3)
        z = scaled(x, [y, {"a": y}])
        y[0] = 5.0
        return np.sum(z * y)

    gradient = grad(program)
    np.testing.assert_allclose(gradient(X), [5.0, 1.0, 1.0])
    assert is_partly(gradient)
    _, backward = vjp(program, X)
    np.testing.assert_allclose(backward(1.0), [5.0, 1.0, 1.0])
    held = [np.ones(3)]
    held.append(held)
    found, _ = record(lambda x, rows: x * rows[0], X, held, wrt=0)
    np.testing.assert_array_equal(found, X)


# objects that are made inside of the program

MADE = []


class Holder:
    """Hold an array; its value is recorded."""

    def __init__(self, x, n=2):
        self.x = x
        self.n = n

    def value(self):
        try:
            return np.sum(self.x**3) * self.n
        except ValueError:
            return 0.0


class Squared(Holder):
    """Let another constructor do a part."""

    def __init__(self, x):
        super().__init__(x * x, 3)
        self.extra = [x, 2.0]


class Counted(Holder):
    """Count the objects."""

    def __init__(self, x):
        MADE.append(1)
        super().__init__(x)


class Set(Holder):
    """Call a setter."""

    def __init__(self, x):
        self.n = 2
        self.y = x

    @property
    def y(self):
        return self.x

    @y.setter
    def y(self, value):
        MADE.append(1)
        self.x = value


def one_object(x):
    """An object is made, and its method is recorded."""
    holder = Holder(x * 2.0)
    return holder.value() ** 2


def derived_object(x):
    """The same, of a derived class."""
    holder = Squared(x)
    return holder.value() + np.sum(holder.extra[0])


def objects_in_a_loop(x):
    """The same, in a loop."""
    t = 0.0
    for k in range(3):
        holder = Holder(x * k, n=k)
        t = t + holder.value()
    return t * t


def parts_of_an_object(x):
    """What it holds is given to a recorded call."""
    holder = Holder(x * x)
    return np.sum(bent(holder.x))


def counted_object(x):
    """An object is noted outside."""
    holder = Counted(x)
    return holder.value()


def set_object(x):
    """A setter notes it."""
    holder = Set(x)
    return holder.value()


def made_anew(x):
    """An object is set up twice."""
    holder = Holder(x)
    holder.__init__(x * 2.0)
    return holder.value()


MAKING = [one_object, derived_object, objects_in_a_loop, parts_of_an_object]
CHANGING = [counted_object, set_object, made_anew]


@pytest.mark.parametrize("f", [*MAKING, *CHANGING], ids=lambda f: f.__name__)
@pytest.mark.one_of(2)
def test_objects_that_are_made(f):
    """Making an object is no effect; what a constructor does elsewhere is, and is done once."""
    MADE.clear()
    expected = tape.grad(f)(X)
    count = len(MADE)
    gradient = grad(f)
    for _ in range(2):
        MADE.clear()
        np.testing.assert_allclose(gradient(X), expected)
        assert len(MADE) == count
    assert is_partly(gradient) or f not in MAKING
    np.testing.assert_allclose(vjp(f, X)[1](2.0), 2 * expected)
    np.testing.assert_allclose(jvp(f, (X,), (np.ones(3),))[1], np.sum(expected))
    h = 1e-5
    numeric = [(tape.grad(f)(X + h * e) - tape.grad(f)(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(hessian(f)(X), np.array(numeric), atol=1e-4)
