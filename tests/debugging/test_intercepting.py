"""What the user puts into the backward part: in text, on the tape, in every mode."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import srcgrad
from srcgrad import (
    backward_of,
    grad,
    hessian,
    jvp,
    on_backward,
    save,
    source,
    tape,
    value_and_grad,
    vjp,
)
from srcgrad.errors import SrcgradError
from tests.debugging.looked_at import looked_at
from tests.programs.table import programs

SEEN = []
W, X = np.array([0.3, 0.5]), np.array([1.0, 2.0])
REVERSE = {
    "grad": lambda f: grad(f, recorded="refuse"),
    "value_and_grad": lambda f: lambda *args: value_and_grad(f, recorded="refuse")(*args)[1],
    "vjp": lambda f: lambda *args: vjp(f, *args, recorded="refuse")[1](1.0),
    "tape": tape.grad,
}
modes = pytest.mark.parametrize("mode", REVERSE)


@pytest.fixture(autouse=True)
def _nothing_seen():
    SEEN.clear()


def straight(w, x):
    h = np.tanh(w * x)
    with backward_of(h) as h_bar:
        SEEN.append(("h", np.array(h_bar)))
        h_bar = np.clip(h_bar, -1.0, 1.0)
    r = h * 5.0
    return np.sum(r**2)


def in_a_loop(w, x):
    h = x
    for k in range(3):
        h = np.tanh(w * h)
        with srcgrad.backward_of(h) as bar:
            size = np.linalg.norm(bar)
            if size > 0.1:
                bar *= 0.1 / size
            SEEN.append((k, float(h[0]), float(size)))
    return np.sum(h)


def smaller(bar):
    return np.minimum(bar, 0.5)


def told(bar):
    SEEN.append(("told", float(bar[0])))


def called(w, x):
    h = w * x
    on_backward(h, smaller)
    return h * h


def in_a_called_function(w, x):
    z = called(w, x)
    if z[0] > 0:
        on_backward(z, told)
    else:
        with backward_of(z):
            SEEN.append("not here")
    return np.sum(z * z)


def filled(w, x):
    h = np.zeros(2)
    h[0] = w[0] * x[0]
    h[1] = w[1]
    view = h[1:]
    with backward_of(h) as h_bar:
        h_bar = h_bar * np.array([1.0, 3.0])
    h[1] = h[1] * x[1]
    return np.sum(h**3) + np.sum(view)


def numbers(w, x):
    s = w[0] * x[0]
    other = s
    for k in range(3):
        # on one line
        with backward_of(s) as s_bar: s_bar = s_bar * 0.5  # fmt: skip # noqa: E701
        w = w * s + other
    return np.sum(w)


def of_a_parameter(w, x):
    with backward_of(w) as w_bar:
        w_bar[0] = 7.0
    return np.sum(w * x)


PROGRAMS = [straight, in_a_loop, in_a_called_function, filled, numbers, of_a_parameter]
each = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


@each
def test_a_plain_call_and_forward_mode_do_nothing(f):
    """The body is skipped, whoever traces the call; the tangent is that of the function."""
    plain = f(W, X)
    tracing, events = sys.gettrace(), []

    def tracer(*event):
        events.append(event[1])
        return tracer

    sys.settrace(tracer)
    try:
        assert f(W, X) == plain
    finally:
        sys.settrace(tracing)
    assert events.count("return") >= 1
    d = np.array([1.0, -0.5])
    slope = (f(W + 1e-6 * d, X) - f(W - 1e-6 * d, X)) / 2e-6
    assert not SEEN
    for mode in (jvp, tape.jvp):
        value, dot = mode(f, (W, X), (d, None))
        assert value == plain
        assert dot == pytest.approx(slope, rel=1e-6)
    assert not SEEN


@modes
@each
def test_each_mode_runs_it_at_the_same_place(f, mode):
    """With the same cotangents and the same gradient."""
    expected = REVERSE["grad"](f)(W, X)
    told_first, SEEN[:] = list(SEEN), []
    np.testing.assert_allclose(REVERSE[mode](f)(W, X), expected, rtol=1e-14)
    np.testing.assert_equal(SEEN, told_first)


@each
@pytest.mark.one_of(2)
def test_what_takes_the_place_is_what_is_differentiated(f):
    """The second derivative is the slope of the gradient that is computed."""
    d = np.array([1.0, 2.0])
    for take in (grad, tape.grad):

        def along(w, x, take=take):
            return np.sum(take(f)(w, x) * d)

        found = grad(along, recorded="allow")(W, X)
        for k, unit in enumerate(np.eye(2)):
            slope = (along(W + 1e-6 * unit, X) - along(W - 1e-6 * unit, X)) / 2e-6
            assert found[k] == pytest.approx(slope, rel=1e-5, abs=1e-8)
        np.testing.assert_allclose(tape.grad(along)(W, X), found, rtol=1e-12)
    np.testing.assert_allclose(hessian(f, recorded="allow")(W, X).T @ d, found, rtol=1e-12)


def test_values():
    """Clipped, of half the size at each step back, and given by hand."""
    np.testing.assert_allclose(grad(straight)(W, X), (1 - np.tanh(W * X) ** 2) * X)
    assert SEEN[0][1] == pytest.approx(50 * np.tanh(W * X))
    assert grad(of_a_parameter)(W, X).tolist() == [7.0, 2.0]
    grad(in_a_called_function)(W, X)
    assert SEEN[1] == ("told", pytest.approx(0.18))


def test_the_text_stands_in_the_backward_part():
    """With a cotangent of its own, where it may keep or write that."""
    derivative = grad(straight)
    derivative(W, X)
    body = source(derivative).partition("    # test_intercepting.py")[2].splitlines()
    assert [line.strip() for line in body if "# test" not in line][1:-1] == [
        "h_bar = 10 * r",
        "h_bar = h_bar.copy()",
        'SEEN.append(("h", np.array(h_bar)))',
        "h_bar = np.clip(h_bar, -1.0, 1.0)",
        "w_bar = h_bar * (1 - h ** 2) * x",
    ]
    derivative = grad(in_a_called_function)
    derivative(W, X)
    assert "        z_bar = replacement(told(z_bar), z_bar)\n" in source(derivative)
    assert "\n    with" not in source(derivative)


def wrong_shape(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        h_bar = np.sum(h_bar)
    return np.sum(h * h)


def wrong_kind(w, x):
    h = w * x
    on_backward(h, lambda bar: 1j * bar)
    return np.sum(h * h)


@modes
@pytest.mark.parametrize("f", [wrong_shape, wrong_kind], ids=lambda f: f.__name__)
def test_another_shape_or_kind_is_an_error(f, mode):
    """It would be wrong without a word where it broadcasts."""
    with pytest.raises(ValueError, match="cotangent"):
        REVERSE[mode](f)(W, X)


def keeps(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        SEEN.append(h_bar)
    y = h + 0.0
    with backward_of(y) as y_bar:
        y_bar[:] = 1.0
        SEEN.append(y_bar)
    return np.sum(y * h)


@modes
def test_what_the_body_keeps_or_writes_is_its_own(mode):
    """Nobody else writes into it, or sees what is written."""
    slope = REVERSE[mode](keeps)(W, X)
    np.testing.assert_allclose(slope, (1.0 + W * X) * X)
    np.testing.assert_allclose(SEEN[1], 1.0 + W * X)
    SEEN[0][:] = SEEN[1][:] = slope[:] = 0.0
    np.testing.assert_allclose(REVERSE[mode](keeps)(W, X), (1.0 + W * X) * X)


def of_a_tuple(w, x):
    pair = (w, x)
    with backward_of(pair) as pair_bar:
        print(pair_bar)
    return np.sum(pair[0])


def changes_a_name(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        x = h_bar
    return np.sum(h * x)


def writes_an_array(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        x[0] = h_bar[0]
    return np.sum(h * x)


def of_an_expression(w, x):
    with backward_of(w * x) as h_bar:
        print(h_bar)
    return np.sum(w)


def leaves(w, x):
    h = w * x
    with backward_of(h):
        return np.sum(w)
    return np.sum(h)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (of_a_tuple, "the cotangent of what is no array and no number"),
        (changes_a_name, "a name in the backward part that the function has, too ('x'),"),
        (writes_an_array, "a write into 'x', which the function has, in the backward part"),
        (of_an_expression, "backward_of what has no name of its own"),
        (leaves, "return in the backward part"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_what_cannot_stand_there_is_refused(f, text):
    """With the line, and what to write."""
    with pytest.raises(SrcgradError) as caught:
        grad(f)(W, X)
    assert text in str(caught.value)


def test_a_debugger_stops_in_the_backward_part(monkeypatch):
    """At a `breakpoint()` in the body, in the generated function."""
    places = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: places.append(sys._getframe(1)))
    grad(stopping)(W, X)
    (frame,) = places
    assert frame.f_code.co_name == "stopping_grad"
    np.testing.assert_array_equal(frame.f_locals["h_bar"], 2 * W * X)


def stopping(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        breakpoint()  # noqa: T100 - it stands in the backward part
        assert h_bar.shape == (2,)
    return np.sum(h * h)


def test_a_saved_module_has_it(tmp_path):
    """And runs without srcgrad."""
    derivative = grad(saved_away)
    expected = derivative(W, X)
    save(derivative, tmp_path / "saved_grad.py")
    program = "import sys; sys.modules['srcgrad'] = None; import numpy as np, saved_grad\n"
    program += "print(saved_grad.saved_away_grad(np.array([.3, .5]), np.array([1., 2.])).tolist())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{expected.tolist()}\n"


def saved_away(w, x):
    h = w * x
    with backward_of(h) as h_bar:
        h_bar = np.minimum(np.abs(h_bar), [0.5, 0.7])
    on_backward(h, lambda bar: 2.0 * bar)
    return np.sum(h * h)


# The first time, the line gives the name a constant, of which a tape keeps nothing.
ACTIVE_LATER = ("numerics.garch_likelihood", "overwriting.loop_variable_read_afterwards")


@pytest.mark.one_of(24)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in programs()])
def test_looking_changes_nothing(case):
    """The gradient of a program is the same, and in text and on the tape the same is seen."""
    from tests import finite_differences as fd

    value, backward = vjp(case.fn, *case.make_args(), wrt=case.wrt, recorded="allow")
    expected = fd.numbers(backward(value))
    everything, found = ({}, {}), []
    for take, seen in zip((partial(vjp, recorded="allow"), tape.vjp), everything, strict=True):
        try:
            _, backward = take(looked_at(case.fn, seen), *case.make_args(), wrt=case.wrt)
        except SrcgradError as error:
            assert "the cotangent of a view of an array that was written to" in str(error)  # noqa: PT017
            seen.clear()
        else:
            found.append(fd.numbers(backward(value)))
    for numbers_ in found:
        for one, other in zip(numbers_, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    if case.name in ACTIVE_LATER:
        return
    for name in everything[0].keys() & everything[1].keys():
        pair = [[bar for bar in bars[name] if np.any(bar)] for bars in everything]
        for one, other in zip(*pair, strict=True):  # zeros need not be looked at
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
