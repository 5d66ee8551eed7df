"""The first value that is not finite: which statement made it, of what, and why."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from srcgrad import NotFiniteError, detect_anomaly, differentiate, formula, grad, jvp, source, vjp

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def message(call, *args, **options):
    """Return what a call is refused with, without the part of file names that tells versions."""
    with pytest.raises(NotFiniteError) as caught:
        call(*args, **options)
    assert not getattr(caught.value, "__notes__", [])
    text = re.sub(r"_[0-9a-f]{12}\.py", ".py", str(caught.value))
    return re.sub(r"(\.py):\d+", r"\1", text)


def entropy(p):
    total = np.sum(p)
    return -np.sum(p * np.log(p / total))


def test_the_forward_part():
    """The user's line, the generated one, the operands, and why."""
    assert message(grad(entropy, check_finite=True), np.array([0.0, 1.0, 2.0])) == (
        "the forward part of entropy makes the first inf: 1 of 3 entries of `np.log(pre)`\n"
        "  test_finite.py, in entropy\n"
        "    return -np.sum(p * np.log(p / total))\n"
        "                       ^^^^^^^^^^^^^^^^^\n"
        "  entropy_value_and_grad.py, in entropy_value_and_grad\n"
        "    log = np.log(pre)\n"
        "          ^^^^^^^^^^^\n"
        "  The entry [0] is the logarithm of 0.\n"
        "    pre  float64 (3,): 0 to 0.6667\n"
        "  Fix: keep the argument away from there, with np.maximum or np.where inside of the "
        "call.\n"
        "  See docs/errors.md#not-finite"
    )


def slope(x, n):
    s = np.sqrt(x[:n] - 1.0)
    return np.sum(s)


def test_the_backward_part():
    """A finite value whose slope is infinite."""
    assert message(grad(slope, check_finite=True), np.array([1.0, 2.0]), 2) == (
        "the backward part of slope makes the first inf: 1 of 2 entries of `1 / (2 * s)`\n"
        "  test_finite.py, in slope\n"
        "    s = np.sqrt(x[:n] - 1.0)\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  slope_value_and_grad.py, in slope_value_and_grad\n"
        "    x_bar[:n] = 1 / (2 * s)\n"
        "                ^^^^^^^^^^^\n"
        "  The entry [0] is 1 / 0.\n"
        "    2 * s  float64 (2,): 0 to 2\n"
        "  Fix: make sure that the divisor is not 0 there, also where the quotient is not used.\n"
        "  See docs/errors.md#not-finite"
    )


def cube_root(x):
    return np.cbrt(x)


@formula(cube_root)
def cube_root_formula(x):
    z = cube_root(x)

    def backward(z_bar):
        return z_bar / (3 * z * z)

    return z, backward


def chosen(x):
    r = cube_root(x)
    y = np.where(x > 0, r, 0.0)
    return np.sum(y * y) + np.sum(np.where(x > 1, r, 1.0))


def test_a_branch_of_where_that_is_not_selected():
    """Its cotangent is 0, its slope infinite: the argument has to be chosen, too."""
    text = message(grad(chosen, check_finite=True), np.array([0.0, 1.0]))
    assert "does not select it where x > 0 is false: its cotangent is 0 there" in text
    assert "put np.where(x > 0, argument, 1.0) into the call in line" in text

    def mended(x):
        r = cube_root(np.where(x > 0, x, 1.0))
        y = np.where(x > 0, r, 0.0)
        return np.sum(y * y)

    slope = grad(mended, check_finite=True)(np.array([0.0, 8.0]))
    assert np.allclose(slope, [0.0, 2 / 3 * 8 ** (-1 / 3)])


def unit(v):
    return v / np.sqrt(v @ v)


def angle(a, b):
    u = unit(a)
    return u @ unit(b)


def test_called_functions():
    """The line in the called function comes first, and then the one that called it."""
    lines = message(grad(angle, check_finite=True), np.zeros(2), np.ones(2)).splitlines()
    assert lines[0] == ("the forward part of unit makes the first nan: 2 of 2 entries of `v / den`")
    assert lines[1:3] == ["  test_finite.py, in unit", "    return v / np.sqrt(v @ v)"]
    assert "  test_finite.py, in angle" in lines
    assert "    called here" in lines
    assert "  The entry [0] is 0 / 0." in lines


def test_loops_overflow_and_the_last_values():
    """The statement in the loop, at the iteration that overflows."""

    def grow(w, x):
        h = x
        for _ in range(2000):
            h = w * h
        return np.sum(h)

    text = message(grad(grow, check_finite=True), 2.0, np.ones(2))
    assert "the forward part of grow makes the first inf: 2 of 2 entries of `w * h`" in text
    assert "too large for float64" in text


def test_all_modes_and_orders():
    """vjp in both parts, jvp, and the gradient of a gradient."""
    p = np.array([0.0, 1.0])
    assert "forward part of entropy" in message(vjp, entropy, p, check_finite=True)
    assert "forward part of entropy" in message(jvp, entropy, (p,), (p,), check_finite=True)
    value, backward = vjp(lambda x: np.sqrt(x), 0.0, check_finite=True)
    assert value == 0
    assert "the backward part of lambda_" in message(backward, 1.0)
    _, backward = vjp(lambda x: x * x, 3.0, check_finite=True)
    assert "the cotangent 'value_bar' of lambda_ is not finite" in message(backward, np.nan)

    def first(x):
        return np.sum(x**1.5)

    def second(x):
        return np.sum(grad(first)(x))

    lines = message(grad(second, check_finite=True), np.array([0.0, 1.0])).splitlines()
    assert lines[0].startswith("the backward part of first_grad makes the first inf")
    assert "  test_finite.py, in second" in lines


def test_what_the_program_states_itself_is_no_offence():
    """Infinities in the text and in arguments, and branches that np.where throws away."""

    def masked(x):
        scores = np.where(x > 0, x, -np.inf)
        return np.max(scores)

    def guarded(x):
        return np.sum(np.where(x > 0, np.log(x), 0.0) + np.where(x > 0, 1 / x, 0.0))

    def least(x, best):
        return np.sum(np.minimum(x, best))

    x = np.array([0.0, 1.0, 2.0])
    with detect_anomaly():
        assert grad(masked)(x).tolist() == [0.0, 0.0, 1.0]
        assert grad(guarded)(x).tolist() == [0.0, 0.0, 0.25]
        assert grad(least)(x, np.inf).tolist() == [1.0, 1.0, 1.0]
        assert "the argument 'x' of least is not finite" in message(
            grad(least), np.array([np.nan, 1.0]), 1.0
        )


def test_only_inside_of_the_block():
    """The same derivative, before, inside and after; the text stays what it is."""
    derivative = grad(entropy)
    p = np.array([0.0, 1.0])
    before = derivative(p)
    text = source(derivative)
    with detect_anomaly():
        message(derivative, p)
    assert np.array_equal(derivative(p), before, equal_nan=True)
    assert source(derivative) == text == source(grad(entropy, check_finite=True), ranks={"p": 1})


def test_methods_decorators_and_copies():
    """The option of the decorator holds for all derivatives of the object."""

    class Model:
        scale = np.float64(0.0)

        @differentiate(wrt="x", check_finite=True)
        def loss(self, x):
            return np.sum(x / self.scale)

    model = Model()
    derivatives = [model.loss.grad, model.loss.value_and_grad, model.loss.vjp, grad(Model().loss)]
    for derivative in derivatives:
        assert "part of loss" in message(derivative, np.ones(2))
    model.scale = 2.0
    assert model.loss.grad(np.ones(2)).tolist() == [0.5, 0.5]


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.log(x * self.w)


def recorded(x, names):
    h = {name: Layer(0.0)(x) for name in iter(names)}
    return np.sum(h[names[0]])


def harmless(x, names):
    h = {name: np.where(x > 0, np.log(x), 0.0) for name in iter(names)}
    return np.sum(h[names[0]])


def test_recorded_functions():
    """The tape tells the same: the line, the operands, the reason."""
    derivative = grad(recorded, check_finite=True, recorded="allow")
    lines = message(derivative, np.ones(2), ["a"]).splitlines()
    if derivative.recorded:
        assert lines[:4] == [
            "the forward part of __call__ makes the first inf: 2 of 2 entries of what `log` gives",
            "  test_finite.py, in __call__",
            "    return np.log(x * self.w)",
            "           ^^^^^^^^^^^^^^^^^^",
        ]
    assert "  The entry [0] is the logarithm of 0." in lines
    derivative = grad(harmless, check_finite=True, recorded="allow")
    assert derivative(np.array([0.0, 2.0]), ["a"]).tolist() == [0.0, 0.5]


def test_the_environment(tmp_path):
    """SRCGRAD_CHECK=finite watches all derivatives of a program."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "from srcgrad import grad\n"
        "def root(x):\n"
        "    return np.sqrt(x)\n"
        "np.seterr(all='ignore')\n"
        "grad(root)(0.0)\n"
    )

    def run(**variables):
        environment = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, program]
        return subprocess.run(command, capture_output=True, text=True, env=environment).stderr

    assert run() == ""
    assert "NotFiniteError: the backward part of root" in run(SRCGRAD_CHECK="finite")
    assert "say SRCGRAD_CHECK=finite" in run(SRCGRAD_CHECK="yes")
