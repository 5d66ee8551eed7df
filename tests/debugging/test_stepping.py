"""Stopping in a backward part, by scripted sessions of the debugger."""

import gc
import io
import linecache
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from srcgrad import breakpoint_at, grad, source, value_and_grad, vjp
from srcgrad.errors import ArgumentError
from srcgrad.load.observers import STOPS, WATCHING
from tests.debugging.models import ARGUMENTS, damped, mlp, outer, recorded, recurrent, second

X = np.array([0.2, 0.9])


@pytest.fixture
def session(monkeypatch, capsys):
    """Runs a call with commands for the debugger; gives its result and what was printed."""
    monkeypatch.setenv("PYTHONBREAKPOINT", "")
    tracing = sys.gettrace()

    def run(commands, call, *args):
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*commands, ""])))
        gc.disable()  # else it may run what libraries do then, which would be stepped into
        try:
            value = call(*args)
        finally:
            sys.settrace(tracing)
            gc.enable()
        return value, capsys.readouterr().out

    return run


def number_of(function, text):
    """The number of the line of a function that starts with a text."""
    lines = linecache.getlines(function.__code__.co_filename)
    return next(k for k, line in enumerate(lines, 1) if line.strip().startswith(text))


def test_debug_starts_at_the_first_backward_line(session):
    """With the forward line beside the generated one."""
    commands = ["where", "next", "p r_bar.shape", "continue"]
    gradients, text = session(commands, mlp.grad.debug, *ARGUMENTS)
    assert "-> r_bar = 2 * r / r.size\n   # models.py:13  return np.mean(r**2)\n" in text
    assert "-> h_bar = r_bar @ W2.T\n   # models.py:12  r = h @ W2 - y\n" in text
    assert "(Pdb) (8, 2)\n" in text
    assert all(np.array_equal(*pair) for pair in zip(gradients, mlp.grad(*ARGUMENTS)))
    value, text = session(["continue"], value_and_grad(recurrent).debug, 3.0, np.ones(2))
    assert "-> h_bar = 2 * h\n" in text
    assert value[0] == recurrent(3.0, np.ones(2))


def test_stepping_into_a_called_function_and_a_second_derivative(session):
    """`step` goes into the backward function of a call; the chain of lines is shown."""
    derivative = grad(outer)
    _, text = session(["next", "next", "step", "next", "where", "c"], derivative.debug, X, 2.0)
    assert "damped_backward()" in text
    _, text = session(["next", "step", "next", "next", "where", "continue"], grad(second).debug, X)
    assert "logarithm_grad_backward()" in text
    assert "# models.py" in text


def test_a_breakpoint_where_a_cotangent_is_complete(session):
    """At each statement of that line in turn, until it is cleared."""
    line = number_of(recurrent, "h = w * h")
    derivative = grad(recurrent)
    expected = derivative(3.0, np.ones(2))
    with breakpoint_at(recurrent, "h", line):
        slope, text = session(["p h_bar", "c", "p h_bar", "c"], derivative, 3.0, np.ones(2))
        assert slope == expected
        assert "array([8., 8.])" in text
        assert "array([24., 24.])" in text
    assert session([], derivative, 3.0, np.ones(2)) == (expected, "")
    assert not STOPS
    assert not WATCHING


def test_breakpoints_in_called_functions_and_for_parameters(session):
    """In whichever derivative the function takes part; of vjp, too."""
    with breakpoint_at(damped, "h", number_of(damped, "h = np.tanh")):
        _, text = session(["where", *["continue"] * 4], grad(outer), X, 2.0)
    assert "damped_backward()" in text
    with breakpoint_at(outer, "x"):
        slope, text = session(["p x_bar", "continue"], grad(outer), X, 2.0)
    assert f"(Pdb) {slope!r}\n" in text
    with breakpoint_at(outer, "u"):
        _, backward = vjp(outer, X, 2.0)
        _, text = session(["p u_bar", "continue"], backward, 1.0)
    assert "(Pdb) " in text


def test_other_debuggers_are_honoured(monkeypatch):
    """`sys.breakpointhook` is called from the generated function."""
    seen = []

    def hook():
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_name, sorted(frame.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    grad(recurrent).debug(3.0, np.ones(2))
    assert [name for name, _ in seen] == ["recurrent_grad"]
    assert "h" in seen[0][1]
    assert not any(name.startswith("srcgrad") for name in seen[0][1] if name != "srcgrad_debugger")


def test_ipdb_is_honoured(tmp_path):
    """Where `PYTHONBREAKPOINT` names another debugger, it starts at the same line."""
    pytest.importorskip("ipdb")
    program = tmp_path / "model.py"
    program.write_text(
        "import numpy as np\nfrom srcgrad import grad\n\n\ndef loss(x):\n"
        "    h = np.sin(x)\n    return np.sum(h * h)\n\n\n"
        "print('SLOPE', grad(loss).debug(np.zeros(2)))\n"
    )
    made = subprocess.run(
        [sys.executable, str(program)],
        input="p h_bar\nnext\np h_bar\ncontinue\n",
        env={**os.environ, "PYTHONBREAKPOINT": "ipdb.set_trace", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", made.stdout)
    assert "h_bar = 2 * h" in text
    assert "array([0., 0.])" in text
    assert "SLOPE [0. 0.]" in text


def test_the_file_is_known_before_a_call():
    """And is that of the code which the call runs."""
    derivative = grad(recurrent)
    filename = derivative.file(3.0, np.ones(2))
    assert "def recurrent_grad(w, x):" in "".join(linecache.getlines(filename))
    derivative(3.0, np.ones(2))
    assert derivative.file() == filename
    assert grad(recurrent).file().endswith(".py")


def test_debug_of_a_recorded_function_steps_through_what_ran(session):
    """It starts at the way back of the straight-line program, with the lines of the function."""
    derivative = grad(recorded, recorded="allow")
    expected = derivative(X, ["a"])
    commands = ["next", "where", "p v2_bar", "continue"]
    slope, text = session(commands, derivative.debug, X, ["a"])
    np.testing.assert_array_equal(slope, expected)
    assert "-> v2_bar = value_bar\n" in text
    assert "\n   # models.py:" in text
    assert "(Pdb) np.float64(1.0)\n" in text
    assert "derivatives.py" not in text


def bounded(x, limit):
    """Return values within a limit; recorded, as it leaves a ``try`` that has a ``finally``."""
    try:
        h = np.tanh(x / limit)
        return limit * h
    finally:
        done = True  # noqa: F841


def fitted(x, y):
    """Return a misfit of bounded values."""
    r = bounded(x, 2.0) - y
    return np.sum(r**2)


def test_step_goes_into_a_recorded_call(session):
    """From generated code to the program of the call; nothing of srcgrad's is between them."""
    derivative = grad(fitted, recorded="allow")
    expected = derivative(X, X)
    commands = ["next", "step", "return", "step", "next", "where", "continue"]
    slope, text = session(commands, derivative.debug, X, X)
    np.testing.assert_array_equal(slope, expected)
    assert "bounded_backward(unbroadcast(r_bar, bounded_))" in text
    assert "-> v0 = x / 2.0\n   # test_stepping.py:" in text
    assert "regions.py" not in text


def test_breakpoints_in_recorded_functions(session):
    """In the program that runs in the place of the way back; in parameters at its end."""
    line = number_of(bounded, "h = np.tanh")
    with breakpoint_at(bounded, "h", line):
        slope, text = session(
            ["p h_bar", "continue"], grad(fitted, recorded="allow"), X, np.zeros(2)
        )
    np.testing.assert_allclose(slope, grad(fitted, recorded="allow")(X, np.zeros(2)))
    assert "h = np.tanh(x / limit)" in text
    assert "(Pdb) array([" in text
    with breakpoint_at(bounded, "x"):
        _, text = session(["p x_bar", "continue"], grad(fitted, recorded="allow"), X, np.zeros(2))
    assert f"(Pdb) {slope!r}\n" in text


def test_the_program_of_a_recorded_function_is_its_source():
    """For the arguments of a call, of all kinds that go backward."""
    text = source(grad(bounded_sum, recorded="allow"), args=(X, 2.0))
    assert "    h = np.tanh(v0)\n" in text
    space = {}
    exec(text, space)
    _, slope = space["bounded_sum"](*space["arguments"])
    np.testing.assert_array_equal(slope, grad(bounded_sum, recorded="allow")(X, 2.0))
    assert "h = np.tanh(v0)" in source(bounded_sum, "vjp", args=(X, 2.0), recorded="allow")
    assert "def fitted_grad(x, y):" in source(grad(fitted, recorded="allow"), args=(X, X))


def bounded_sum(x, limit):
    """Return the sum of values within a limit; recorded."""
    try:
        h = np.tanh(x / limit)
        return np.sum(limit * h)
    finally:
        done = True  # noqa: F841


def test_what_is_not_there():
    """Names and lines are asked for by what they are."""
    with pytest.raises(ArgumentError, match="there is no name 'g' in recurrent") as caught:
        breakpoint_at(recurrent, "g")
    assert "choose one of w, x, h, k" in str(caught.value)
    with pytest.raises(ArgumentError, match="gives 'h' no value") as caught:
        breakpoint_at(recurrent, "h", 1)
    assert "it is assigned in line" in str(caught.value)


def misfit(raw, s):
    width = np.logaddexp(0.0, raw)
    error = np.sqrt((s - width) ** 2)
    return error / width + np.log(width)


def test_the_complete_cotangent_has_the_plain_name(monkeypatch):
    """What is read again of its parts has another name."""
    seen = []
    monkeypatch.setattr("sys.breakpointhook", lambda: seen.append(sys._getframe(1).f_locals.copy()))
    with breakpoint_at(misfit, "width"):
        grad(misfit)(1.0, 2.0)
    assert {"width_bar", "width_bar2"} <= set(seen[0])
    np.testing.assert_allclose(seen[0]["width_bar"], grad(misfit, wrt="width")(1.0, 2.0))
