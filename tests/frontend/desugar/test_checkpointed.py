"""Loops over `checkpointed`: right in every mode and order, and few states are kept."""

import tracemalloc
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import checkpointed, differentiate, grad, hvp, jvp, source, tape, vjp
from srcgrad.errors import UnsupportedSyntaxError

pytest.importorskip("checkpoint_schedules")

X = np.array([0.3, -0.8, 1.1])
LISTED = []


def swing(x, w, n):
    v = np.zeros_like(x)
    for _ in checkpointed(range(n), snapshots=3):
        v = v - 0.1 * np.sin(x) * w
        x = x + 0.1 * v
    return np.sum(x**2)


def by_module(x, w, n):
    for t in srcgrad.checkpointed(range(1, n + 1)):
        x = x * np.cos(w * t)
    return np.sum(x)


def left(x, w, n):
    for t in checkpointed(range(n), 4):
        if t % 2:
            continue
        x = np.sin(x) + w
        if np.sum(x) > 4.5:
            break
        x = x * 1.5
    return np.sum(x**2)


def read_behind(x, w, n):
    y = x
    size, t = 0.0, 0
    for t in checkpointed(range(n), snapshots=2):
        y = np.tanh(w * y + x)
        size = np.sum(y**2)
    return size + np.sum(y) * t


def in_a_branch(x, w, n):
    total = 0.0
    for t in range(2):
        if t == 1:
            for s in checkpointed(range(n), snapshots=1, on_disk=2):
                x = x + w * np.sin(x * s)
                total += np.sum(x)
        x = 2 * x
    return total + np.sum(x)


def nested(x, w, n):
    for t in checkpointed(range(n), snapshots=2):
        for s in checkpointed(range(t)):
            x = np.cos(x) * w + 0.1 * s
        x = x + 0.5
    return np.sum(x**2)


def changed_later(x, w, n):
    y = 2 * x
    shift = x * 1.0
    for _ in checkpointed(range(n)):
        y = np.sin(y) + shift * w
    shift[0] = 5.0
    w = w * 3.0
    return np.sum(y) * w + np.sum(shift)


def branches(x, w, n):
    y = x * 1.0
    for t in checkpointed(range(n), snapshots=2):
        if t == 1:
            y = y * w
        elif np.sum(y) > 0:
            x = x + y
        else:
            y = y - x
    return np.sum(x * y)


def in_place(x, w, n):
    u = x * 1.0
    for _ in checkpointed(range(n), snapshots=2):
        u[1:] += w * np.sin(u[:-1])
        u *= 0.8
    return np.sum(u**2)


def two_buffers(x, w, n):
    old, new = x * 1.0, np.zeros_like(x)
    for t in checkpointed(range(n), snapshots=1, on_disk=1):
        new[1:] = w * np.cos(old[:-1])
        new[0] = old[0] * t
        old, new = new, old
    return np.sum(old * np.sin(new))


def stir(u, w):
    u[:2] *= w
    return u[0]


def by_a_call(x, w, n):
    u, size = x * 1.0, 0.0
    sizes = np.zeros(n + 1)
    for t in checkpointed(range(n), snapshots=2):
        size += stir(u, np.cos(w))
        sizes[t] = size
        if size > 9:
            break
    return np.sum(u) * size + np.sum(sizes**2)


PROGRAMS = [
    *(in_place, two_buffers, by_a_call),
    *(swing, by_module, left, read_behind),
    *(in_a_branch, nested, changed_later, branches),
]


def plain(f):
    """Return a function as it is without `checkpointed`."""
    space = {**f.__globals__, "checkpointed": lambda steps, *_, **__: steps}
    space["srcgrad"] = type("Module", (), {"checkpointed": space["checkpointed"]})
    return type(f)(f.__code__, space, f.__name__)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [5, 1, 0])
@pytest.mark.one_of(8)
def test_as_without(f, n):
    """Gradients, products and second derivatives are those of the plain loop."""
    twin = plain(f)
    wanted = tape.grad(twin, wrt=(0, 1))(X, 0.7, n)
    found = grad(f, wrt=("x", "w"), recorded="refuse")(X, 0.7, n)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-10)
    value, backward = vjp(f, X, 0.7, n, recorded="refuse")
    assert value == twin(X, 0.7, n)
    np.testing.assert_allclose(backward(1.0), wanted[0], rtol=1e-10)
    np.testing.assert_allclose(backward(2.0), 2 * wanted[0], rtol=1e-10)
    dot = jvp(f, (X, 0.7, n), (np.ones(3), None, None), recorded="refuse")[1]
    np.testing.assert_allclose(dot, np.sum(wanted[0]), rtol=1e-10)
    product = hvp(f, recorded="allow")(X, 0.7, n, np.arange(3.0))
    along = hvp(twin, recorded="allow")(X, 0.7, n, np.arange(3.0))
    np.testing.assert_allclose(product, along, rtol=1e-9)


def test_reverse_over_reverse():
    """The gradient of a gradient is recorded, and right."""

    def norm(x, w):
        return np.sum(grad(swing)(x, w, 6) ** 2)

    found = grad(norm, recorded="allow")(X, 0.7)
    step = 1e-6 * np.eye(3)
    wanted = [(norm(X + e, 0.7) - norm(X - e, 0.7)) / 2e-6 for e in step]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


RNG = np.random.default_rng(1)


def drawn(x, w, n, rng):
    u = x * 1.0
    for t in checkpointed(range(n), snapshots=2):
        x = np.sin(x) + w * x * rng.normal(size=x.shape)
        u[1:] += x[1:] * rng.uniform() + rng.normal()
        if rng.uniform() > 0.8:
            continue
        own = np.random.default_rng((5, t))
        x = x * own.normal()
    return np.sum(u * x) * rng.normal()


def drawn_anew(call):
    """What a call gives where all generators begin anew, and what they draw behind it."""
    RNG.bit_generator.state = np.random.default_rng(3).bit_generator.state
    np.random.seed(4)  # noqa: NPY002
    rng = np.random.default_rng(5)
    found = call(rng)
    return found, [rng.normal(), RNG.normal(), np.random.normal()]  # noqa: NPY002


@pytest.mark.parametrize("n", [6, 1, 0])
def test_draws_are_repeated(n):
    """A step that runs again draws the same, and the generators are left as without it."""
    twin = plain(drawn)
    wanted, behind = drawn_anew(lambda rng: tape.grad(twin, wrt=(0, 1))(X, 0.7, n, rng))
    gradient = grad(drawn, wrt=("x", "w"), recorded="refuse")
    found, left = drawn_anew(lambda rng: gradient(X, 0.7, n, rng))
    assert left == behind
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-10)
    _, backward = drawn_anew(lambda rng: vjp(drawn, X, 0.7, n, rng, recorded="refuse"))[0]
    np.testing.assert_allclose(backward(1.0), wanted[0], rtol=1e-10)
    np.testing.assert_allclose(backward(2.0), 2 * wanted[0], rtol=1e-10)
    ends = [
        drawn_anew(lambda rng, s=s: tape.grad(twin)(X + s * 1e-6, 0.7, n, rng))[0] for s in (1, -1)
    ]
    product = hvp(drawn, recorded="allow")
    found, _ = drawn_anew(lambda rng: product(X, 0.7, n, rng, np.ones(3)))
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)


def test_draws_from_a_global_generator():
    """Such a loop is recorded."""

    def f(x, n):
        for _ in checkpointed(range(n), snapshots=2):
            x = np.sin(x) * RNG.normal()
        return np.sum(x)

    with pytest.raises(UnsupportedSyntaxError):
        grad(f, recorded="refuse")(X, 4)
    wanted, behind = drawn_anew(lambda rng: tape.grad(plain(f))(X, 4))
    found, left = drawn_anew(lambda rng: grad(f, recorded="allow")(X, 4))
    assert left == behind
    np.testing.assert_allclose(found, wanted)


def test_the_text_says_what_is_kept():
    """The body is a function of a step, called again where the loop is gone back through."""
    gradient = grad(swing, recorded="refuse")
    gradient(X, 0.7, 4)
    text = source(gradient)
    assert "saved = Snapshots(range(n), snapshots=3)" in text
    assert "saved.keep(i, v, x)" in text
    assert "in backwards(saved, lambda i, v, x: step_forward(v, x, w=w)[0]):" in text


def test_few_states_are_kept():
    """Memory grows as the root of the number of steps."""
    peaks = []
    for f in (swing_far, plain(swing_far)):
        gradient = grad(f, recorded="allow" if f is not swing_far else "refuse")
        gradient(X.repeat(100), 0.7, 3)
        tracemalloc.start()
        gradient(X.repeat(100), 0.7, 1000)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 500_000 < 2_000_000 < peaks[1]


def swing_far(x, w, n):
    v = np.zeros_like(x)
    for _ in checkpointed(range(n)):
        v = v - 0.1 * np.sin(x) * w
        x = x + 0.1 * v
    return np.sum(x**2)


def drawing(x, n):
    for _ in checkpointed(range(n)):
        x = x + np.random.default_rng().normal() * x
    return np.sum(x)


def returning(x, n):
    for _ in checkpointed(range(n)):
        x = np.sin(x)
        if np.sum(x) > 9:
            return np.sum(x)
    return np.sum(x)


def rows(x, n):
    for row in checkpointed(np.ones((4, 3))):
        x = x * row * n
    return np.sum(x)


def unassigned(x, n):
    for t in checkpointed(range(n)):
        if t:
            x = x * last  # noqa: F821
        last = np.sin(x)  # noqa: F841
    return np.sum(x)


def through_a_function(x, n):
    def force():
        return np.sin(x)

    for _ in checkpointed(range(n)):
        x = x + force()
    return np.sum(x)


REFUSED = [
    (drawing, "may not do the same when it runs again"),
    (returning, "a return in a checkpointed loop"),
    (rows, "something else than a range"),
    (unassigned, "'last'"),
    (through_a_function, "'x', which a local function reads"),
]


@pytest.mark.parametrize(("f", "why"), REFUSED, ids=lambda p: getattr(p, "__name__", "."))
def test_what_cannot_run_again_is_refused(f, why, capsys):
    """By name; recorded, it runs once."""
    with pytest.raises(srcgrad.SrcgradError, match=why):
        grad(f, recorded="refuse")(X, 3)
    if f is not drawing:
        del LISTED[:]
        capsys.readouterr()
        found = grad(f, recorded="allow")(X, 3)
        assert (LISTED, capsys.readouterr().out) in (([], ""), ([0, 1, 2], ""), ([], "0\n1\n2\n"))
        np.testing.assert_allclose(found, tape.grad(plain(f))(X, 3))


def test_a_number_that_may_change_is_refused():
    """The number of snapshots is read before the loop."""

    def f(x, n):
        k = n // 2
        for _ in checkpointed(range(n), snapshots=k):
            x = np.sin(x)
        return np.sum(x)

    with pytest.raises(UnsupportedSyntaxError, match="number of snapshots"):
        grad(f, recorded="refuse")(X, 3)


def test_outside_it_is_the_iterable():
    """Nothing is done to it where nothing is differentiated."""
    steps = range(3)
    assert checkpointed(steps, snapshots=2) is steps


def test_a_decorated_function():
    """As an attribute of a decorated function."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = differentiate(swing)
        np.testing.assert_allclose(made.grad(X, 0.7, 4), tape.grad(plain(swing))(X, 0.7, 4))
