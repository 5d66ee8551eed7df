"""Gradients with respect to what a line gives a name, in a function or one that it calls."""

import numpy as np
import pytest

from srcgrad import check, differentiate, grad, hessian, save, source, tape, value_and_grad, vjp
from srcgrad.calling.arguments.local_names import assigned_lines
from srcgrad.errors import ArgumentError, SrcgradError
from tests.debugging.looked_at import looked_at
from tests.programs.table import programs


def encoder(w, x):
    h = w @ x
    h = np.tanh(h)
    return h * 2.0


def loss(w, x, flag=True):
    z = encoder(w, x)
    y = np.zeros(3)
    for k in range(3):
        s = np.sum(z) * k
        y[k] = s
    r = y - 1.0
    r = r * r
    if flag:
        c = np.sum(x)
    else:
        c = 0.5
    return np.sum(r) * c


W, X = np.array([[0.3, 0.5], [0.1, 0.2]]), np.array([1.0, 2.0])
START = loss.__code__.co_firstlineno
INNER = encoder.__code__.co_firstlineno
LINES = {
    "z": ("z = encoder(w, x)", "z = z + e", (2,)),
    f"encoder.h@{INNER + 1}": ("h = w @ x", "h = h + e", (2,)),
    f"encoder.h@{INNER + 2}": ("h = np.tanh(h)", "h = h + e", (2,)),
    "s": ("s = np.sum(z) * k", "s = s + e", ()),
    f"r@{START + 6}": ("r = y - 1.0", "r = r + e", (3,)),
    f"r@{START + 7}": ("r = r * r", "r = r + e", (3,)),
    f"c@{START + 9}": ("c = np.sum(x)", "c = c + e", ()),
}


def slope(line, added, shape):
    """The derivative by differences: of the text with a number added below a line."""
    import inspect

    text = inspect.getsource(encoder) + inspect.getsource(loss)
    own = next(row for row in text.splitlines() if row.strip() == line)
    text = text.replace(own, own + "\n" + own.replace(line, added))

    def value(e):
        space = {"np": np, "e": e}
        exec(text, space)
        return space["loss"](W, X)

    made = np.zeros(shape)
    for place in np.ndindex(*shape):
        e = np.zeros(shape)
        e[place] = 1e-6
        made[place] = (value(e) - value(-e)) / 2e-6
    return made


@pytest.mark.parametrize("wrt", LINES)
def test_with_respect_to_a_name(wrt):
    """Before a later overwrite of it, in loops, in called functions; beside arguments."""
    expected = slope(*LINES[wrt])
    assert np.shape(grad(loss, wrt=wrt)(W, X)) == np.shape(expected)
    np.testing.assert_allclose(grad(loss, wrt=wrt)(W, X), expected, rtol=1e-6)
    value, (inner, outer) = value_and_grad(loss, wrt=(wrt, "w"))(W, X)
    assert value == loss(W, X)
    np.testing.assert_allclose(inner, expected, rtol=1e-6)
    np.testing.assert_allclose(outer, grad(loss)(W, X), rtol=1e-12)
    _, backward = vjp(loss, W, X, wrt=(wrt,))
    np.testing.assert_allclose(backward(2.0)[0], 2 * expected, rtol=1e-6)
    decorated = differentiate(loss, wrt=("x", wrt))
    np.testing.assert_allclose(decorated.grad(W, X)[1], expected, rtol=1e-6)


def test_the_text_has_no_more_than_that():
    """The forward part is the user's own; nothing is computed above the line."""
    derivative = grad(loss, wrt=f"encoder.h@{INNER + 1}")
    derivative(W, X)
    text = source(derivative)
    assert f"with respect to encoder.h@{INNER + 1}." in text
    assert "    h = w @ x\n    h = np.tanh(h)\n    return h * 2.0, (h,)\n" in text
    assert "    h_bar *= 1 - h ** 2\n    return h_bar\n" in text
    assert "w_bar" not in text
    derivative = grad(loss, wrt="z")
    derivative(W, X)
    assert "    z = encoder(w, x)\n" in source(derivative)


def test_second_derivatives():
    """Of the gradient with respect to a name, with respect to an argument."""
    inner = grad(loss, wrt="z")
    outer = grad(lambda w, x: np.sum(inner(w, x) * np.array([1.0, 2.0])))
    found = outer(W, X)
    for place in np.ndindex(2, 2):
        e = np.zeros((2, 2))
        e[place] = 1e-6
        change = (inner(W + e, X) - inner(W - e, X)) @ np.array([1.0, 2.0]) / 2e-6
        assert found[place] == pytest.approx(change, rel=1e-6)


def test_a_saved_module(tmp_path, monkeypatch):
    """It takes the arguments of the function."""
    derivative = grad(loss, wrt="z")
    derivative(W, X)
    save(derivative, tmp_path / "loss_grad_z.py")
    monkeypatch.syspath_prepend(tmp_path)
    import loss_grad_z

    np.testing.assert_array_equal(loss_grad_z.loss_grad(W, X), derivative(W, X))


@pytest.mark.parametrize("wrt", ["q", "h", "encoder.q", "z@9999", "nobody.h@3", "s@", "k"])
def test_an_unknown_name_is_one_error_with_those_that_there_are(wrt):
    """At the call of grad, and of the decorator."""
    for take in (grad, differentiate):
        with pytest.raises(ArgumentError) as caught:
            take(loss, wrt=("w", wrt))
        lines = str(caught.value).splitlines()
        assert lines[0] == f"wrt={wrt!r} is no argument of loss, and no name in it"
        names = f"w, x, flag, z@{START + 1}, y@{START + 2}, s@{START + 4}, r@{START + 6}, "
        assert names in lines[1]
        assert f"encoder.h@{INNER + 1}, encoder.h@{INNER + 2}." in lines[1]


def test_a_name_with_several_lines_needs_one():
    """The lines are listed."""
    with pytest.raises(ArgumentError) as caught:
        grad(loss, wrt="encoder.h")
    assert f"choose one of encoder.h@{INNER + 1}, encoder.h@{INNER + 2}." in str(caught.value)


def of_no_number(x):
    parts = {"a": x}
    return np.sum(parts["a"])


def counted(x):
    n = 3
    return np.sum(x) * n


def changing(x):
    total = 0.0
    for k in range(3):
        part = x[k:]
        total = total + np.sum(part * part)
    return total


def written_later(x):
    h = x[:1]
    y = h * h
    h[0] = 3.0 * y[0]
    return np.sum(y) + np.sum(x)


def of_one_or_another(x, n=1):
    y = x * 2.0
    h = y if n > 0 else y * 2.0
    return np.sum(h * h) + np.sum(y)


def again(x, n):
    h = x * 0.5
    return again(h, n - 1) if n else np.sum(h)


def taped(x):
    h = x * 2.0
    return float(str(float(np.sum(h)))) + np.sum(h)


@pytest.mark.parametrize(
    ("f", "wrt", "text"),
    [
        (of_no_number, "parts", "'parts', which is no array and no number here,"),
        (counted, "n", "'n', which is no array and no number here,"),
        (written_later, "h", "the cotangent of an array that others may hold"),
        (of_one_or_another, "h", "the cotangent of an array that others may hold"),
        (again, "h", "a derivative inside of a function that calls itself"),
        (taped, "h", "made from text"),
        (loss, f"c@{START + 11}", "a call with these arguments does not come to"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_what_has_no_such_derivative_is_refused(f, wrt, text):
    """What is no number, what a call does not come to, and what there is no text for."""
    args = (W, X) if f is loss else (X, 2) if f is again else (X,)
    for recorded in ("refuse", "allow"):
        with pytest.raises(SrcgradError) as caught:
            grad(f, wrt=wrt, recorded=recorded)(*args)
        assert text in str(caught.value)


def test_a_value_of_several_shapes_has_no_sum():
    """A sum of them would broadcast."""
    line = changing.__code__.co_firstlineno + 3
    with pytest.raises(ValueError, match="another shape each time"):
        grad(changing, wrt=f"part@{line}")(np.array([1.0, 2.0, 3.0]))


def test_modes_that_know_arguments_only():
    """They say so."""
    for call in (
        lambda: hessian(loss, wrt="z")(W, X),
        lambda: check(loss, W, X, wrt="z"),
        lambda: tape.grad(loss, wrt="z")(W, X),
    ):
        with pytest.raises(ArgumentError):
            call()


@pytest.mark.one_of(12)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in programs()])
def test_what_is_looked_at_is_the_gradient(case):
    """With respect to each name of a program: what on_backward sees there on the tape, added up."""
    seen = {}
    try:
        value, backward = tape.vjp(looked_at(case.fn, seen), *case.make_args(), wrt=case.wrt)
    except (SrcgradError, UnboundLocalError):
        return
    backward(value)
    labels = ((n, k) for n, lines in assigned_lines(case.fn).items() for k in lines)
    for name, line in labels:
        bars = seen.get(f"{name}_{line}", ())
        if not bars or len({bar.shape for bar in bars}) > 1 or case.name in ACTIVE_LATER:
            continue
        try:
            _, back = vjp(case.fn, *case.make_args(), wrt=f"{name}@{line}", recorded="refuse")
        except SrcgradError:
            continue
        np.testing.assert_allclose(back(value), sum(bars), rtol=1e-9, atol=1e-12)


# The first time, the line gives the name a constant, of which a tape keeps nothing.
ACTIVE_LATER = (
    "numerics.garch_likelihood",
    "list_items.emptied_again",
    "overwriting.loop_variable_read_afterwards",
)


@differentiate
def decorated(x):
    h = np.sin(x)
    return np.sum(h * h)


def test_names_that_are_offered_are_those_of_the_program():
    """Not those inside of a decorator of srcgrad's."""
    with pytest.raises(ArgumentError) as caught:
        grad(decorated, wrt="h@1")
    line = decorated.__srcgrad_primal__.__code__.co_firstlineno + 2
    assert list(caught.value.fixes) == [f"choose one of x, h@{line}"]
