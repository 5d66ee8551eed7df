"""What each line of a program did: values, cotangents, times, what is kept."""

import importlib.util
import logging
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from srcgrad import grad, log_backward, saved, source, trace, value_and_grad
from srcgrad.debugging.tables import duration, memory
from tests.debugging.models import ARGUMENTS, mlp, outer, recorded, recurrent, second

X = np.array([0.2, 0.9])


def the_line(found, text):
    """Return what a line did, which is the one with this text."""
    return next(line for line in found.lines if text in line.line.text)


def test_values_and_cotangents_of_a_network():
    """Each line has the figures of its value and of the complete cotangent of that."""
    found = mlp.trace(*ARGUMENTS)
    W1, b1, W2, x, y = ARGUMENTS
    h = np.maximum(x @ W1 + b1, 0)
    r = h @ W2 - y
    r_bar = 2 * r / r.size
    line = the_line(found, "np.maximum")
    assert line.values["h"].shape == (8, 5)
    assert line.values["h"].norm == pytest.approx(np.linalg.norm(h))
    assert line.values["h"].zeros == np.count_nonzero(h == 0)
    assert line.cotangents["h"].norm == pytest.approx(np.linalg.norm(r_bar @ W2.T))
    assert found["r"].cotangents["r"].high == pytest.approx(r_bar.max())
    assert found.value == pytest.approx(mlp(*ARGUMENTS))
    gradients = mlp.grad(*ARGUMENTS)
    assert all(np.array_equal(*pair) for pair in zip(found.gradient, gradients))
    assert found.gradients["W1"].norm == pytest.approx(np.linalg.norm(gradients[0]))
    assert set(line.values) == {"h"}  # and no name that generated code has added
    assert found.lines[-1].values["return"].norm == pytest.approx(float(found.value))
    assert found.forward_seconds > 0 < found.backward_seconds


def test_loops_tell_each_iteration():
    """The norms of an exploding recurrence, one for each time."""
    found = trace(recurrent, 3.0, np.ones(4))
    line = the_line(found, "w * h")
    assert line.count == 4
    assert line.value_norms["h"] == pytest.approx(np.sqrt(2) * np.array([1, 4, 13, 40]))
    assert line.cotangent_norms["h"] == pytest.approx(
        np.sqrt(2) * 80 * np.array([1.0, 3.0, 9.0, 27.0])
    )


def test_called_functions_and_second_order():
    """The lines of a called function follow the call, one level deeper."""
    found = trace(outer, X, 2.0)
    rows = [(line.line.text.partition("\n")[0], line.depth) for line in found.lines]
    assert rows[0] == ("h = damped(x, k)", 0)
    assert ("h = np.tanh(h) * k", 1) in rows
    assert rows[-1] == ("return u * u", 0)
    found = trace(second, X)
    assert found["s"].cotangents["s"].norm > 0
    assert any("log" in line.line.text and line.depth for line in found.lines)


def test_recorded_functions():
    """The steps of the tape stand at the lines that they come from."""
    found = trace(value_and_grad(recorded, recorded="allow"), X, ["a"])
    line = the_line(found, "np.tanh")
    name = "tanh" if found.recorded else "return"
    assert line.values[name].norm == pytest.approx(np.linalg.norm(np.tanh(0.5 * X)))
    assert found.value == recorded(X, ["a"])


def test_what_is_kept():
    """Names, lines, memory, and which lines read it."""
    rows = {(part.name, part.count): part for part in mlp.saved(*ARGUMENTS)}
    assert rows["r", 1].bytes == 8 * 16
    assert [line.text for line in rows["r", 1].read_by.values()] == ["return np.mean(r**2)"]
    assert rows["x", 1].line is None
    assert ("h", 1) not in rows  # W2 is not differentiated
    kept = saved(recurrent, 3.0, np.ones(4))
    part = next(part for part in kept if part.line is not None and "w * h" in part.line.text)
    assert part.count in (3, 4)
    assert part.bytes == 16 * part.count
    assert kept.bytes >= part.bytes
    assert any("w_bar" in text for text in part.readers.values())


def test_nothing_is_kept():
    """Without arrays there is no table."""
    assert str(saved(lambda x: np.sin(x) ** 2, 0.5)) == "<lambda>: no arrays are kept"


def test_the_table():
    """Printed, a trace is a table of lines."""
    text = re.sub(r"[\d.]+ [mu]?s\b", "T", str(mlp.trace(*ARGUMENTS)))
    lines = text.splitlines()
    assert lines[0] == "mlp: forward T, backward T, 448 B kept"
    assert lines[2].split() == (
        "line statement name value norm range cotangent range forward backward kept".split()
    )
    assert lines[3].split()[:4] == ["(argument)", "W1", "float64", "(4,"]
    assert lines[8].startswith("models.py:11  h = np.maximum(x @ W1 + b1, 0)  h     float64 (8, 5)")
    assert "50% zeros" in lines[8]
    table = str(mlp.saved(*ARGUMENTS)).splitlines()
    assert table[0] == "mlp: 448 B kept"
    assert "read by the backward part of" in table[2]
    assert duration(0.00123) == "1.23 ms"
    assert memory(2_500_000) == "2.5 MB"


def test_unknown_names():
    """What is asked for is one of the names."""
    with pytest.raises(KeyError, match="'z' is none of h, r, return"):
        mlp.trace(*ARGUMENTS)["z"]


def test_nothing_changes():
    """The text, and what runs, stay what they are."""
    plain = grad(recurrent)
    before = plain(3.0, np.ones(4)), source(plain)
    trace(plain, 3.0, np.ones(4))
    assert (plain(3.0, np.ones(4)), source(plain)) == before
    run = plain.__srcgrad__.specialisations[0].run
    assert not {"srcgrad_enter", "srcgrad_here"} & {
        *run.__code__.co_freevars,
        *run.__code__.co_names,
    }


def test_log(caplog):
    """One record for each statement of the backward part, by the logger srcgrad."""
    with caplog.at_level(logging.DEBUG, "srcgrad"), log_backward():
        grad(outer)(X, 2.0)
    lines = [record.getMessage() for record in caplog.records]
    assert any(
        re.fullmatch(r"models.py:35  u_bar = 2 \* u  # u_bar float64 norm [\d.]+", line)
        for line in lines
    )
    assert any("tanh_h" in line for line in lines)
    caplog.clear()
    grad(outer)(X, 2.0)
    assert not caplog.records


def test_log_by_the_environment(tmp_path):
    """SRCGRAD_LOG=backward writes to the standard error stream."""
    program = tmp_path / "program.py"
    program.write_text("from srcgrad import grad\n\ndef f(x):\n    return x * x\n\ngrad(f)(3.0)\n")
    environment = {**os.environ, "SRCGRAD_LOG": "backward"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, env=environment
    )
    assert "srcgrad: program.py:4  x_bar = 2 * x  # x_bar float64 norm 6" in done.stderr


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="matplotlib is missing")
@pytest.mark.filterwarnings("ignore")
def test_plot():
    """Two panels, a row for each line."""
    found = mlp.trace(*ARGUMENTS)
    figure = found.plot()
    flow, time = figure.axes
    labels = [label.get_text() for label in flow.get_yticklabels()]
    assert labels[-1].endswith("h = np.maximum(x @ W1 + b1, 0)")
    assert len(labels) == len(found.lines)
    assert len(time.patches) == 2 * len(found.lines)


@pytest.mark.skipif(not importlib.util.find_spec("rich"), reason="rich is missing")
def test_rich():
    """Rich shows the same table."""
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    Console(file=stream, width=240).print(mlp.trace(*ARGUMENTS))
    assert "h = np.maximum(x @ W1 + b1, 0)" in stream.getvalue()
