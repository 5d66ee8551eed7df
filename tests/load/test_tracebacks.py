"""Tracebacks are those of the user's lines and of generated ones."""

import subprocess
import sys
import traceback

import numpy as np
import pytest

import srcgrad
from srcgrad import formula, grad, jvp, tape, vjp
from srcgrad.errors import InternalError, MissingFormulaError
from srcgrad.load.tracebacks import shorten


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """As it is outside of the tests."""
    monkeypatch.delenv("SRCGRAD_TRACEBACK")


def places(error):
    """The files of a traceback, and those of the errors that it came from."""
    found = []
    while error is not None:
        found += [row.filename for row in traceback.extract_tb(error.__traceback__)]
        error = error.__cause__
    return found


def own(error):
    """How many lines of a traceback are srcgrad's."""
    home = srcgrad.__file__.removesuffix("__init__.py")
    return sum(name.startswith(home) for name in places(error))


def quotient(x):
    return np.sum(np.polydiv(np.ones(3), x)[0])


def recorded(x):
    try:
        return np.sum(x) / len(np.zeros(0)[5:6, 0])
    finally:
        done = True  # noqa: F841


def misfit(x):
    return np.sum(x @ x[:, :1])


@pytest.mark.parametrize("mode", ["refuse", "allow"])
def test_refusals_and_errors_are_short(mode):
    """Also where the function is recorded, and of the errors that they come from."""
    for call in (
        lambda: grad(quotient, recorded=mode)(np.ones(2)),
        lambda: vjp(quotient, np.ones(2), recorded=mode),
        lambda: jvp(quotient, (np.ones(2),), (np.ones(2),), recorded=mode),
    ):
        with pytest.raises(MissingFormulaError) as caught:
            call()
        assert own(caught.value) <= 4
        assert "test_tracebacks.py" in str(caught.value)


def test_errors_of_functions_that_are_recorded():
    """The user's line is there, and none of the tape's."""
    with pytest.raises(IndexError) as caught:
        grad(recorded, recorded="allow")(np.ones(2))
    assert own(caught.value) == 0
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.name == "recorded"
    assert "np.zeros(0)[5:6, 0]" in last.line


def test_backward_parts_of_recorded_calls():
    """A note names the function whose formula raises, and the line that called it."""

    def cubed(x):
        return x**3

    @formula(cubed)
    def cubed_formula(x):
        z = cubed(x)

        def backward(z_bar):
            return z_bar * np.ones(7)

        return z, backward

    def summed(x):
        h = np.sin(x)
        for _ in range(2):
            h = 2 * cubed(h)
        return np.sum(h)

    where = summed.__code__.co_firstlineno + 3
    note = f"a recorded call of cubed, for test_tracebacks.py:{where}: h = 2 * cubed(h)"
    for derivative in (tape.grad(summed), tape.grad(lambda x: np.sum(tape.grad(summed)(x)))):
        with pytest.raises(ValueError, match="broadcast") as caught:
            derivative(np.ones(2))
        assert caught.value.__notes__[0] == f"in the backward part of {note}"


def test_errors_in_generated_code():
    """The last line is the generated one."""
    derivative = grad(misfit, recorded="allow")
    derivative(np.ones((2, 2)))
    with pytest.raises(ValueError, match="matmul") as caught:
        derivative(np.ones((2, 3)))
    assert own(caught.value) == 0
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "misfit_grad"


def test_faults_and_those_who_ask_keep_all(monkeypatch):
    """A fault of srcgrad is to be reported with its traceback."""
    monkeypatch.setenv("SRCGRAD_TRACEBACK", "full")
    with pytest.raises(MissingFormulaError) as caught:
        grad(quotient, recorded="refuse")(np.ones(2))
    assert own(caught.value) > 5
    monkeypatch.delenv("SRCGRAD_TRACEBACK")
    with pytest.raises(InternalError) as caught:
        raise InternalError("a pass failed")
    before = caught.value.__traceback__
    shorten(caught.value)
    assert caught.value.__traceback__ is before


def test_what_python_and_ipython_print(tmp_path):
    """At the top level there are the line of the call, the generated line, and the message."""
    program = tmp_path / "model.py"
    program.write_text(
        "import numpy as np\nfrom srcgrad import grad\n\n\ndef loss(x):\n"
        "    return np.sum(np.polydiv(np.ones(3), x)[0])\n\n\n"
        "grad(loss, recorded='refuse')(np.ones(2))\n"
    )
    made = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    lines = made.stderr.splitlines()
    assert len(lines) < 16
    assert "MissingFormulaError" in made.stderr
    assert 'model.py", line 9' in made.stderr
    assert "model.py:6, in loss" in made.stderr
