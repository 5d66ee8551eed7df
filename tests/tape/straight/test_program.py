"""What ran on a tape, as a straight-line program: it runs by itself, and gives the same numbers."""

import linecache
import math

import numpy as np
import pytest

from srcgrad import formula, on_backward
from srcgrad.errors import ArgumentError
from srcgrad.tape import Tape, vjp
from srcgrad.tape.recording import program, raw
from srcgrad.tape.trees import Rebuilding
from tests import finite_differences as fd
from tests.tape import test_programs, test_table
from tests.test_programs import wrt_of

# the program that nested derivatives record differs by rounding where cotangents meet in turn
TABLE = [pytest.param(c.fn, c.make_args, wrt_of(c), id=c.name) for c in test_table.PROGRAMS]
# thousands of steps, whose programs are as many lines
LONG = ("ivp", "s_ivp", "odeint", "s_odeint", "s_quadinf", "quad_peak")
OWN = [
    pytest.param(p.values[0], lambda: (test_programs.POINT.copy(),), 0, id=p.id)
    for p in test_programs.PROGRAMS
    if not p.id.startswith(tuple(f"solvers.{name}" for name in LONG))
]


def recorded(f, *args, wrt=0, bar=None):
    """Record a call and go back over it; return the tape, the value and the gradient."""
    tape = Tape()
    value, backward = vjp(f, *args, wrt=wrt, tape=tape)
    return tape, value, backward(1.0 if bar is None else bar)


def run(tape):
    """Execute the program of a tape, as text alone where it needs nothing else."""
    made = program(tape)
    space = dict(made.given)
    exec(tape.source(), space)
    return space[made.name](*space["arguments"])


@pytest.mark.one_of(64)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("f", "make_args", "wrt"), TABLE + OWN)
def test_numbers(f, make_args, wrt):
    """The program of each recorded run gives its value and its gradient again."""
    tape = Tape()
    try:
        value, backward = vjp(f, *make_args(), wrt=wrt, tape=tape)
        gradient = backward(fd.random_like(value, np.random.default_rng(5)))
    except Exception as error:  # noqa: BLE001 - what the tape refuses is tested elsewhere
        pytest.skip(str(error))
    ends = []
    Rebuilding(ends.append)(tape.ends)
    expected = [raw(end.value) for end in ends if getattr(end, "node", None) is not None]
    found = fd.leaves(run(tape))
    for ours, own in zip(found, [*expected, *fd.leaves(gradient)], strict=True):
        size = max(1.0, float(np.max(np.abs(own), initial=0)))
        np.testing.assert_allclose(ours, own, rtol=1e-12, atol=1e-13 * size)


def network(W, x, y):
    """Return the mean square of a small recurrent network's error."""
    h = np.zeros(2)
    out = np.zeros((2, 2))
    for k in range(2):
        h = np.tanh(W @ h + x[k])
        out[k] = h
    out[1:, 0] *= 2.0
    r = out.sum(axis=0) - y
    return np.mean(r**2)


def test_text():
    """Values under the user's names, cotangents as a formula writes them, both with the lines."""
    W, x, y = 0.5 * np.eye(2), np.ones((2, 2)), np.array([0.5, -0.5])
    tape, value, gradient = recorded(network, W, x, y, wrt=(0, 1))
    first = network.__code__.co_firstlineno
    text = tape.source()
    assert (
        f"    # test_program.py:{first + 5}  h = np.tanh(W @ h + x[k])\n"
        "    v0 = W @ np.zeros(2)\n"
        "    v1 = x[0]\n"
        "    v2 = v0 + v1\n"
        "    h = np.tanh(v2)\n"
        f"    # test_program.py:{first + 6}  out[k] = h\n"
        "    m0 = np.zeros((2, 2))\n"
        "    m0[0] = h\n"
    ) in text
    assert "    m0[1:, 0] = v" in text
    assert (
        "    v2_bar = h_bar * (1 - h ** 2)\n"
        "    v0_bar = v2_bar\n"
        "    v1_bar = v2_bar\n"
        "    x_bar[0] += v1_bar\n"
        "    W_bar = W_bar + np.outer(v0_bar, np.zeros(2))\n"
    ) in text
    assert text.splitlines()[2:4] == ["import numpy as np", ""]
    found, slope = run(tape)
    assert found == value
    for ours, own in zip(slope, gradient, strict=True):
        np.testing.assert_array_equal(ours, own)


def doubled(x):
    """Return twice a value."""
    return 2 * x


@formula(doubled)
def doubled_formula(x):
    """z = 2 x."""
    parts = [x, x]

    def backward(z_bar):
        return sum(z_bar for _ in parts)

    return doubled(x), backward


def test_formulas_that_are_no_straight_line_are_called():
    """With the function, which is imported, and which argument has a cotangent."""
    tape, _, _ = recorded(lambda x: np.sum(np.sort(doubled(x))), np.array([2.0, 1.0]))
    text = tape.source()
    assert "v0, v0_backward = formula_of(doubled, 0)(x)" in text
    assert f"from {__name__} import doubled\n" in text
    np.testing.assert_array_equal(run(tape)[1], [2.0, 2.0])


def test_parts_of_arguments_have_names():
    """By the keys and attributes that lead there."""

    def loss(p, q):
        return np.sum(p["w"] ** 2) * p["b"] + q[1]

    tape, _, _ = recorded(loss, {"w": np.ones(2), "b": 3.0}, (1.0, 2.0), wrt=(0, 1))
    assert "def loss(p_w, p_b, q_0, q_1, value_bar=1.0):" in tape.source()
    value, slopes = run(tape)
    assert value == 8.0
    np.testing.assert_array_equal(slopes[0], [6.0, 6.0])
    assert slopes[1:] == (2.0, 0.0, 1.0)


def test_at_other_arguments():
    """The program is a function: it goes the same way at another point."""

    def loss(x):
        return np.sum(np.exp(x) * x) if x[0] > 0 else 0.0

    tape, _, _ = recorded(loss, np.array([1.0, 2.0]))
    x = np.array([0.5, -1.0])
    value, slope = program(tape).function(x)
    assert value == np.sum(np.exp(x) * x)
    np.testing.assert_allclose(slope, np.exp(x) * (1 + x))


def test_infinite_slopes_and_nan():
    """What nothing reads counts as zero, as on the way back over the tape."""

    def loss(x):
        return np.sum(np.where(x > 0, np.sqrt(x), 0.0))

    with np.errstate(all="ignore"):
        tape, _, gradient = recorded(loss, np.array([0.0, 4.0]))
        assert "unread(" in tape.source()
        np.testing.assert_array_equal(run(tape)[1], gradient)
        tape, _, gradient = recorded(lambda x: np.sum(np.sqrt(x) * np.nan), np.array([0.0]))
        assert "np.nan" in tape.source()
        np.testing.assert_array_equal(run(tape)[1], gradient)


def test_complex_single_and_large():
    """Types are kept; a large constant stands below the program."""
    weights = np.linspace(0, 1, 300, dtype=np.float32)

    def loss(x, w):
        return np.sum(np.abs(np.fft.fft(x * w)) ** 2)

    x = np.ones(300, np.float32)
    tape, value, gradient = recorded(loss, x, weights)
    found, slope = run(tape)
    assert found == value
    np.testing.assert_allclose(slope, gradient, rtol=1e-6)
    assert "x * w" in tape.source()
    assert "w = np.frombuffer(base64.b64decode(" in tape.source()


def test_views_of_arguments():
    """What a step holds of a constant argument is read of it."""

    def loss(x, rows):
        return np.sum(rows[1:, 0] * x) + np.sum(x @ rows[:2])

    rows = np.arange(15.0).reshape(3, 5)
    tape, value, gradient = recorded(loss, np.ones(2), rows)
    assert "v0 = rows[1:, 0] * x\n" in tape.source()
    assert "rows[:2]" in tape.source()
    found, slope = run(tape)
    assert found == value
    np.testing.assert_array_equal(slope, gradient)


def test_interceptions():
    """What was put into the backward part is called there."""

    def loss(x):
        h = np.sin(x)
        h = on_backward(h, lambda h_bar: 2 * h_bar)
        return math.fsum(h)

    tape, _, gradient = recorded(loss, np.array([0.1, 0.2]))
    assert "intercepted(" in tape.source()
    np.testing.assert_array_equal(run(tape)[1], gradient)


def test_without_notes():
    """A tape that was not given to `vjp` tells how to get a program."""
    with pytest.raises(ArgumentError, match="nothing was noted on this tape"):
        Tape().source()


def test_lines_are_known():
    """The file of the program is there for tracebacks and debuggers, with the user's lines."""
    tape, _, _ = recorded(network, np.eye(2), np.ones((2, 2)), np.ones(2), wrt=(0, 1))
    made = program(tape)
    assert made.function.__code__.co_filename == made.filename
    assert "".join(linecache.getlines(made.filename)) == made.text
    lines = {made.text.splitlines()[n - 1].strip(): p for n, p in made.places.items()}
    assert lines["h = np.tanh(v2)"].text == "h = np.tanh(W @ h + x[k])"
    assert lines["v2_bar = h_bar * (1 - h ** 2)"] == lines["h = np.tanh(v2)"]
