"""`checkpoint`: right in every mode and order, and nothing is kept but the arguments."""

import dataclasses
import functools
import importlib.util
from typing import Any

import numpy as np
import pytest

from srcgrad import (
    SrcgradError,
    checkpoint,
    differentiate,
    grad,
    hvp,
    jvp,
    save,
    source,
    tape,
    value_and_grad,
    vjp,
)
from srcgrad.errors import OverwrittenError, UnsupportedSyntaxError
from tests import finite_differences as fd
from tests import test_programs as modes
from tests.in_memory import execute
from tests.programs.table import Program

W = np.array([[0.5, 0.2], [0.1, 0.9]])
H = np.array([0.5, 0.1])
GLOBAL = np.array([0.3, 0.8])


def block(h, w, times=3, *, shift=0.1):
    """Some layers."""
    for _ in range(times):
        h = np.tanh(w @ h + shift)
    return h


def in_a_loop(w, h):
    for _ in range(4):
        h = checkpoint(block)(h, w)
    return np.sum(h**2)


def without(w, h):
    for _ in range(4):
        h = block(h, w)
    return np.sum(h**2)


def by_keyword(w, h):
    h = checkpoint(block)(h, w=w, shift=h[0])
    return np.sum(checkpoint(block)(h, w, 2) ** 2)


@checkpoint
def decorated(h, w):
    return np.tanh(w @ h), np.sum(h**2)


def several_results(w, h):
    (h, size), other = decorated(h, w), decorated(2 * h, w)[0]
    return np.sum(h) * size + np.sum(other)


def filling(h, w):
    out = np.zeros_like(h)
    for k in range(h.shape[0]):
        out[k] = np.sin(h[k] * w[k, 0])
        h = h * out[k]
    return out


def writes_inside(w, h):
    return np.sum(checkpoint(filling)(h, w) * h)


def with_a_global(w, h):
    return np.sum(checkpoint(lambda h: np.tanh(w @ h) * GLOBAL)(h))


@dataclasses.dataclass
class Layer:
    """Weights."""

    w: Any
    b: Any


def of_trees(layer, p):
    return {"y": np.tanh(layer.w @ p["x"] + layer.b), "n": 2}


def with_trees(w, h):
    p = {"x": h, "scale": 2.0}
    for _ in range(2):
        p = {**p, "x": checkpoint(of_trees)(Layer(w, h[0]), p)["y"]}
    return np.sum(p["x"] ** 2)


def variadic(*parts):
    return np.sin(parts[0]) @ parts[1] * parts[0][0]


def star(w, h):
    return np.sum(checkpoint(variadic)(w, h) ** 2)


def gradient_of_a_block(h, w):
    return h - 0.1 * grad(lambda h: np.sum((w @ h) ** 4))(h)


def descent(w, h):
    for _ in range(3):
        h = checkpoint(gradient_of_a_block)(h, w)
    return np.sum(h**2)


def with_constants(h, w):
    """Calls that always give the same may be made twice."""
    assert h.shape[0] == 2, f"{h}"
    names = sorted({"b", "a"})
    count = int(np.argmax(w[0])) + max(len(names), 1)
    return np.tanh(w @ h) * count * len("ab".upper()) * np.arange(1.0, 3.0)


def constants(w, h):
    return np.sum(checkpoint(with_constants)(h, w) ** 2)


PROGRAMS = [by_keyword, several_results, writes_inside, star, descent, constants]  # fmt: skip
each = pytest.mark.parametrize("fn", PROGRAMS)


def case_of(fn):
    """A program at its arguments."""
    return Program(fn.__name__, fn, (W, H), (0, 1), False, True, frozenset())


@each
def test_first_order(fn):
    """Reverse mode, joint and split, and forward mode."""
    modes.test_gradient(case_of(fn))
    modes.looks_at_vector_jacobian_product(case_of(fn))
    modes.looks_at_jacobian_vector_product(case_of(fn))


@each
@pytest.mark.one_of(3)
def test_second_order(fn):
    """The gradient differentiated again, in both modes."""
    modes.looks_at_second_order(case_of(fn))
    modes.looks_at_forward_over_reverse(case_of(fn))
    modes.looks_at_mixed_second_order(case_of(fn))


@each
def test_tape(fn):
    """On a tape, the function is recorded."""
    if fn is with_trees:
        return
    np.testing.assert_allclose(tape.grad(fn)(W, H), grad(fn)(W, H), rtol=1e-10)


def arrays_in(thing):
    """All arrays in nested tuples, lists and dicts."""
    if isinstance(thing, np.ndarray):
        return [thing]
    parts = list(thing.values()) if isinstance(thing, dict) else thing
    return [a for p in parts for a in arrays_in(p)] if isinstance(parts, tuple | list) else []


def test_only_the_arguments_are_kept():
    """What a backward function holds on to grows by one argument for each call."""

    def kept(fn):
        _, backward = vjp(fn, W, H)
        held = backward.__closure__
        return arrays_in([c.cell_contents for c in held if isinstance(c.cell_contents, tuple)])

    mine, theirs = kept(in_a_loop), kept(without)
    assert len({id(a) for a in mine}) <= 4 + 3  # an argument of each call; w, h, the result
    assert len({id(a) for a in theirs}) >= 4 * 3


def test_the_text():
    """The call stays; the backward part calls the pair."""
    slope = grad(in_a_loop)
    slope(W, H)
    text = source(slope)
    head, _, back = text.partition("# test_checkpoints.py:")
    assert "h = checkpoint(block)(h, w)" in head
    assert "saved.append(h)" in head
    assert "block_backward(block_forward(h, w)[1], h_bar)" in back


def test_how_often_it_runs():
    """Once forwards and once for the way back; a value alone, once."""
    value, backward = vjp(in_a_loop, W, H)
    assert value == in_a_loop(W, H)
    np.testing.assert_allclose(backward(1.0), grad(without)(W, H))
    np.testing.assert_allclose(backward(2.0), 2 * grad(without)(W, H))
    assert checkpoint(block)(H, W, times=1).shape == (2,)
    assert checkpoint(block).__name__ == "block"


def test_of_the_function_itself():
    """A function that runs again can be differentiated like any other."""
    again = checkpoint(without)
    np.testing.assert_allclose(grad(again)(W, H), grad(without)(W, H))
    value, slope = value_and_grad(differentiate(again))(W, H)
    assert value == without(W, H)
    assert jvp(again, (W, H), (np.ones((2, 2)), None))[1] == pytest.approx(np.sum(slope))


def test_before_any_call():
    """The text that is right for every rank."""
    assert "block_forward(h, w)[1]" in source(in_a_loop)


def test_what_is_read_from_outside_must_not_change():
    """A global array that the second run reads, and that was written between."""
    _, backward = vjp(with_a_global, W, H)
    GLOBAL[0] += 1.0
    try:
        with pytest.raises(OverwrittenError):
            backward(1.0)
    finally:
        GLOBAL[0] -= 1.0


def test_an_argument_must_not_change():
    """An argument that the second run reads, and that was written between."""
    w = W.copy()
    _, backward = vjp(in_a_loop, w, H)
    w[0, 0] = 7.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_what_is_kept_twice_must_not_change():
    """An argument of which the shape is read in one place, and the numbers in another."""

    def scaled(a, b):
        return a * np.sin(b)

    def program(h):
        u = h * 1.0
        for _ in range(2):
            u = scaled(u, h)
        return np.sum(u)

    h = H.copy()
    _, backward = vjp(program, h)
    h[0] = 7.0
    with pytest.raises(OverwrittenError):
        backward(1.0)


def test_a_saved_module(tmp_path):
    """It runs without srcgrad's functions of that name."""
    path = tmp_path / "saved.py"
    save(grad(in_a_loop), path)
    spec = importlib.util.spec_from_file_location("saved", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    np.testing.assert_allclose(module.in_a_loop_grad(W, H), grad(without)(W, H))
    lines = path.read_text().splitlines()
    assert not any(line.startswith(("import srcgrad", "from srcgrad")) for line in lines)


def draws(h):
    return h * np.random.normal(size=h.shape)  # noqa: NPY002


def draws_from_a_generator(h):
    return h * RNG.normal(size=h.shape)


RNG = np.random.default_rng(1)


def draws_unseen(h):
    return h * sum([RNG.normal() for _ in range(2)])


def draws_without_a_seed(h):
    return h * sum([np.random.default_rng().normal() for _ in range(2)])


def calls_one_that_draws(h):
    return draws(h) + h


def writes_outside(h):
    """An array that is another one when it runs again."""
    z = h * SQUARED.scale
    SQUARED.scale[0] = 0.5
    return z * SQUARED.scale


def prints(h):
    print("here")
    return h * h


def writes(h):
    h *= 2.0
    return h * h


def applied(f, h):
    return f(h)


class Squared:
    """A method."""

    scale = np.ones(2)

    def forward(self, h):
        return h * h


SQUARED = Squared()


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda h: np.sum(checkpoint(draws_unseen)(h)), "may not do the same"),
        (lambda h: np.sum(checkpoint(draws_without_a_seed)(h)), "may not do the same"),
        (lambda h: np.sum(checkpoint(draws)(h) * draws(h)), "beside other calls"),
        (lambda h: np.sum(checkpoint(calls_one_that_draws)(h)), "may not do the same"),
        (lambda h: np.sum(checkpoint(prints)(h)), "may not do the same"),
        (lambda h: np.sum(checkpoint(writes_outside)(h)), "may not do the same"),
        (lambda h: np.sum(checkpoint(applied)(np.sin, h)), "takes functions"),
        (lambda h: np.sum(checkpoint(SQUARED.forward)(h)), "no plain Python function"),
        (lambda h: np.sum(checkpoint(np.sin)(h)), "no plain Python function"),
        (lambda h: np.sum(checkpoint(grad(np.sum))(h)), "no plain Python function"),
    ],
)
def test_what_is_refused(fn, words):
    """What would not give the same the second time, and what is no function with a text."""
    with pytest.raises(UnsupportedSyntaxError, match=words) as caught:
        grad(fn)(H)
    assert caught.value.spots
    assert caught.value.fixes


def drops(h, w, rng, rate=0.4):
    kept = rng.random(h.shape) > rate
    return np.tanh(w @ h) * kept * 2.0 + 0.1 * rng.normal() * h


def from_its_own(w, h, rng):
    local = checkpoint(lambda h: h * rng.uniform(size=h.shape))
    for _ in range(3):
        h = checkpoint(drops)(h, w, rng)
        h = h * rng.uniform()
        if h[0] > 0:
            h = local(h)
    return np.sum(h**2) * rng.normal()


def without_checkpoints(f):
    """The same program whose calls keep everything."""
    return type(f)(f.__code__, {**f.__globals__, "checkpoint": lambda f: f}, f.__name__)


def drawn_anew(call):
    """What a call gives where all generators begin anew, and what they draw behind it."""
    RNG.bit_generator.state = np.random.default_rng(3).bit_generator.state
    np.random.seed(4)  # noqa: NPY002
    rng = np.random.default_rng(5)
    found = call(rng)
    return found, [rng.normal(), RNG.normal(), np.random.normal()]  # noqa: NPY002


def test_draws_are_repeated():
    """What runs again draws the same, and the generators are left as without it."""
    plain = without_checkpoints(from_its_own)
    wanted, behind = drawn_anew(lambda rng: tape.grad(plain, wrt=(0, 1))(W, H, rng))
    gradient = grad(from_its_own, wrt=("w", "h"), recorded="refuse")
    found, left = drawn_anew(lambda rng: gradient(W, H, rng))
    assert left == behind
    np.testing.assert_allclose(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1])
    _, backward = drawn_anew(lambda rng: vjp(from_its_own, W, H, rng, recorded="refuse"))[0]
    np.testing.assert_allclose(backward(1.0), wanted[0])
    np.testing.assert_allclose(backward(2.0), 2 * wanted[0])
    tangents = (np.ones_like(W), np.ones_like(H), None)
    (_, dot), left = drawn_anew(lambda r: jvp(from_its_own, (W, H, r), tangents))
    assert left == behind
    assert dot == pytest.approx(np.sum(wanted[0]) + np.sum(wanted[1]))
    text = source(gradient)
    assert "rng_0 = same_draws(rng)" in text
    assert "drops_forward(h_0, w, same_draws(rng_0))[1]" in text


def from_outside(w, h):
    return np.sum(checkpoint(draws)(w @ h) ** 2)


def from_a_global_generator(w, h):
    return np.sum(checkpoint(draws_from_a_generator)(w @ h) ** 2)


@pytest.mark.parametrize("f", [from_outside, from_a_global_generator])
def test_draws_from_outside_are_recorded(f):
    """What draws from no generator that it is given does so once."""
    with pytest.raises(UnsupportedSyntaxError):
        grad(f, recorded="refuse")(W, H)
    wanted, behind = drawn_anew(lambda rng: tape.grad(without_checkpoints(f))(W, H))
    found, left = drawn_anew(lambda rng: grad(f, recorded="allow")(W, H))
    assert left == behind
    np.testing.assert_allclose(found, wanted)


def test_draws_at_second_order():
    """The products of a Hessian, and the gradient of a gradient."""

    def norm(w, h, rng):
        return np.sum(grad(from_its_own)(w, h, rng))

    def differences(k):
        step = 1e-6 * np.ones_like(W) if k else 0.0
        first = grad(without_checkpoints(from_its_own), recorded="allow")
        ends = [drawn_anew(lambda r, s=s: first(W + s * step, H, r))[0] for s in (1, -1)]
        return (ends[0] - ends[1]) / 2e-6

    wanted = differences(1)
    product = hvp(from_its_own, recorded="refuse")
    found, _ = drawn_anew(lambda rng: product(W, H, rng, np.ones_like(W)))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    found, _ = drawn_anew(lambda rng: grad(norm, recorded="allow")(W, H, rng))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_draws_of_what_is_not_differentiated():
    """They happen, though nobody reads what they give."""

    def unread(w, h, rng):
        noise = np.zeros(2)
        for _ in range(3):
            noise = checkpoint(lambda n: n * rng.normal(size=2))(noise) + rng.normal()
        return np.sum(w @ h)

    _, behind = drawn_anew(lambda rng: unread(W, H, rng))
    assert drawn_anew(lambda rng: grad(unread, recorded="refuse")(W, H, rng))[1] == behind


def stirs(h, w):
    h[1:] += w[0, 0] * np.sin(h[:-1])
    h *= 0.9
    return np.sum(h)


def in_place(w, h):
    h = h * 1.0
    total = 0.0
    for _ in range(3):
        total += checkpoint(stirs)(h, w)
        h[0] += total
    return np.sum(h**2) + total


def test_writes_into_arguments():
    """The second run is given a copy of what the first was given."""
    wanted = tape.grad(without_checkpoints(in_place), wrt=(0, 1))(W, H)
    found = grad(in_place, wrt=("w", "h"), recorded="refuse")(W, H)
    np.testing.assert_allclose(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1])
    _, backward = vjp(in_place, W, H, recorded="refuse")
    np.testing.assert_allclose(backward(2.0), 2 * wanted[0])
    np.testing.assert_allclose(backward(1.0), wanted[0])
    along = hvp(without_checkpoints(in_place), recorded="allow")(W, H, np.ones_like(W))
    np.testing.assert_allclose(hvp(in_place, recorded="refuse")(W, H, np.ones_like(W)), along)


def test_recursion():
    """A function that runs itself again is refused, or right."""

    def deep(h, n):
        return h if n == 0 else checkpoint(deep)(np.sin(h), n - 1) * 2

    try:
        slope = grad(lambda h: np.sum(deep(h, 3)))(H)
    except SrcgradError:
        return
    np.testing.assert_allclose(slope, fd.gradient(lambda h: np.sum(deep(h, 3)), (H,), 0))


def drawing(h, rng):
    return np.sin(h * rng.normal(size=h.shape)) * rng.uniform()


POSITIONS = [
    *("CALL * h", "h * CALL + h", "np.exp(-CALL)", "CALL[::-1] - h", "-CALL**2 * h[0]"),
    *("np.sin(h) * np.cos(CALL) * np.sum(h)", "(CALL, h)[0] * h", "np.sum(h * CALL) * h"),
    *("h.sum() * CALL", "np.where(h > 0, CALL, h) * h", "CALL", "CALL[::-1]", "CALL[0] + h"),
]
PLACES = [
    "return np.sum(EXPRESSION)",
    "y = EXPRESSION\n    return np.sum(y * h)",
    "y = h * 2.0\n    y += EXPRESSION\n    return np.sum(y * rng.normal(size=2))",
    "y = h * rng.normal()\n    for _ in range(2):\n        h = EXPRESSION\n    return y @ h",
    "y = np.zeros(2)\n    y[:] = EXPRESSION\n    return np.sum(y * h)",
    "a, b = h[0], EXPRESSION\n    return a * np.sum(b)",
]


@pytest.mark.one_of(12)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("position", POSITIONS)
def test_draws_inside_of_an_expression(position, place):
    """Wherever the call stands, what runs again draws what it drew the first time."""
    body = place.replace("EXPRESSION", position.replace("CALL", "checkpoint(drawing)(h, rng)"))
    text = f"def f(h, rng):\n    {body}\n"
    filename = f"<draws in {position} of {place}>"
    space = execute(text, filename, {"np": np, "checkpoint": checkpoint, "drawing": drawing})
    f: Any = space["f"]
    plain = without_checkpoints(f)
    v = np.array([0.3, -0.7])
    anew = functools.partial(np.random.default_rng, 5)
    expected = tape.grad(plain)(H, anew())
    gradient = grad(f, recorded="allow")
    for _ in range(2):
        rng = anew()
        np.testing.assert_allclose(gradient(H, rng), expected, rtol=1e-12)
        behind = anew()
        plain(H, behind)
        assert rng.bit_generator.state == behind.bit_generator.state
    backward = vjp(f, H, anew(), recorded="allow")[1]
    for factor in (1.0, 2.0):
        np.testing.assert_allclose(backward(factor), factor * expected, rtol=1e-12)
    slope = jvp(f, (H, anew()), (v, None), recorded="allow")[1]
    np.testing.assert_allclose(slope, expected @ v, rtol=1e-12)
    bend = tape.grad(lambda h: tape.grad(plain)(h, anew()) @ v)(H)
    found = hvp(lambda h: f(h, anew()), recorded="allow")(H, v)
    np.testing.assert_allclose(found, bend, rtol=1e-9, atol=1e-12)
