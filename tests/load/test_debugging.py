"""Generated code in tracebacks and in the debugger."""

import importlib.util
import inspect
import io
import linecache
import pdb  # noqa: T100 - a session in it is what is tested
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

from srcgrad import formula, grad, value_and_grad, vjp

MODEL = """\
import numpy as np


def hidden(x, W):
    return np.tanh(x @ W)


def loss(W, v, x, y):
    h = hidden(x, W)
    r = h @ v - y  # residual
    return np.mean(r**2)


def refine(x):
    for _ in range(3):
        x = narrow(x)
    return np.sum(x)


def stopping(x):
    y = np.sin(x)
    z = y * y
    breakpoint()
    return z


def narrow(x):
    return x * x


def slope(x):
    return 2.0 * x
"""


HEADS = """\
def heads(x, y, flaw):
    total = 0.0
    while np.shape(y)[flaw == "while"] > 2 and total < 1.0:
        if np.shape(y)[flaw == "if"] > 2:
            x = np.add(
                x,
                y if flaw == "call" else x,
            )
        total = total + np.sum(x)
    return total
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """The module above, in a file of its own; generated files go beside it."""
    monkeypatch.setenv("SRCGRAD_DIR", str(tmp_path / "generated"))
    path = tmp_path / "mlp.py"
    path.write_text(MODEL)
    spec = importlib.util.spec_from_file_location("mlp", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mlp", module)
    spec.loader.exec_module(module)
    return module


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(5, 4)), rng.normal(size=5)


def file_of(derivative):
    """The file that the code of the latest call was compiled under."""
    return derivative.__srcgrad__.specialisations[0].filename


def line_with(filename, text):
    """The number of the line that starts with a text."""
    lines = Path(filename).read_text().splitlines()
    found = [k for k, line in enumerate(lines, 1) if line.strip().startswith(text)]
    assert len(found) == 1, (text, lines)
    return found[0]


def failing(derivative, *args):
    """The exception that a call ends with."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any of them has a note
        derivative(*args)
    return caught.value


def break_formula(model):
    """Give a function of the module a formula whose backward part fails."""

    @formula(model.narrow)
    def narrow(x):
        z = model.narrow(x)

        def backward(z_bar):
            return z_bar * 2.0 * x * np.ones(7)

        return z, backward


def test_a_traceback_shows_the_generated_line_and_a_note_the_forward_line(model):
    break_formula(model)
    error = failing(grad(model.refine), np.ones(3))
    text = "".join(traceback.format_exception(error))
    assert ", in refine_grad\n    x_bar = " in text
    assert error.__notes__ == ["in the backward part of refine, for mlp.py:16: x = narrow(x)"]
    assert text.endswith("mlp.py:16: x = narrow(x)\n")


def test_the_backward_function_of_vjp(model):
    break_formula(model)
    _, backward = vjp(model.refine, np.ones(3))
    error = failing(backward, 1.0)
    assert "in refine_backward" in "".join(traceback.format_exception(error))
    assert error.__notes__ == ["in the backward part of refine, for mlp.py:16: x = narrow(x)"]
    again = failing(backward, 1.0)
    assert again.__notes__ == error.__notes__


def test_a_function_called_out_of_line_has_a_note_of_its_own(model):
    break_formula(model)
    space = {"refine": model.refine, "np": np, "__name__": "mlp"}
    text = "def outer(x):\n    y = refine(x * x)\n    return y * y\n"
    path = Path(model.__file__).with_name("outer.py")
    path.write_text(text)
    exec(compile(text, str(path), "exec"), space)
    error = failing(grad(space["outer"]), np.ones(3))
    assert error.__notes__ == [
        "in the backward part of refine, for mlp.py:16: x = narrow(x)",
        "in the backward part of outer, for outer.py:2: y = refine(x * x)",
    ]


def test_the_derivative_of_a_derivative_leads_back_to_the_users_line(model):
    @formula(model.narrow)
    def narrow(x):
        z = model.narrow(x)

        def backward(z_bar):
            return z_bar * model.slope(x)

        return z, backward

    @formula(model.slope)
    def slope(x):
        z = model.slope(x)

        def backward(z_bar):
            return z_bar * np.ones(7)

        return z, backward

    _, backward = vjp(grad(model.refine), np.ones(3))
    inner, outer = failing(backward, np.ones(3)).__notes__
    assert inner.startswith("in the backward part of refine_grad, for refine_grad_")
    assert outer == "in the backward part of refine, for mlp.py:16: x = narrow(x)"


def test_the_forward_part(model):
    error = failing(grad(model.loss), *arguments()[:3], np.ones(4))
    text = "".join(traceback.format_exception(error))
    assert "in loss_grad\n    r = h @ v - y  # residual\n" in text
    note = "in the forward part of loss, for mlp.py:10: r = h @ v - y"
    assert error.__notes__ == [note]
    for other in (lambda *args: vjp(model.loss, *args), grad(lambda *args: 2 * model.loss(*args))):
        assert failing(other, *arguments()[:3], np.ones(4)).__notes__[0] == note


def test_the_forward_part_of_a_second_derivative(model):
    """The chain goes from the derivative of the derivative to the line of the user's."""
    notes = failing(vjp, grad(model.loss), *arguments()[:3], np.ones(4)).__notes__
    assert notes[0].startswith("in the forward part of loss_grad, for loss_grad_")
    assert notes[1:] == ["in the forward part of loss, for mlp.py:10: r = h @ v - y"]


def test_heads_of_loops_and_branches(tmp_path):
    """A condition has the line that it stands in, and a statement of several lines its first."""
    path = tmp_path / "heads.py"
    path.write_text(HEADS)
    space = {"__name__": "heads", "np": np}
    exec(compile(HEADS, str(path), "exec"), space)
    for flaw, line in (("while", "3: while"), ("if", "4: if"), ("call", "5: x = np.add")):
        error = failing(grad(space["heads"]), np.ones(3), np.ones(4), flaw)
        assert error.__notes__[0].startswith(f"in the forward part of heads, for heads.py:{line}")


def test_an_error_of_the_program_is_no_fault(model):
    """What the function itself raises is raised, and nothing is said of recording."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        failing(grad(lambda x, y: np.sum((x * y) ** 2)), np.ones(3), np.ones(4))
    assert not seen


def test_every_line_of_a_backward_part_has_a_place(model):
    from srcgrad.load import source_map

    derivative = grad(model.loss, (0, 1))
    derivative(*arguments())
    filename = file_of(derivative)
    lines = Path(filename).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.strip().startswith("# mlp.py"))
    quoted = ""
    for number in range(start + 1, len(lines) + 1):
        text = lines[number - 1].strip()
        if text.startswith("return"):
            break
        place = source_map._maps[filename][number]
        if text.startswith("# "):
            quoted = text
        assert place.function == "loss"
        if place.lineno is not None:  # a line that belongs to no single one has no comment
            assert quoted == f"# mlp.py:{place.lineno}  {place.text}"


def test_breakpoint_stays_where_it_is(model, monkeypatch):
    stops = []

    def hook():
        frame = sys._getframe(1)
        lines = linecache.getlines(frame.f_code.co_filename)
        stops.append((frame.f_code.co_name, lines[frame.f_lineno - 2 : frame.f_lineno]))
        assert frame.f_locals["z"] == np.sin(1.0) ** 2

    monkeypatch.setattr(sys, "breakpointhook", hook)
    assert np.isclose(grad(model.stopping)(1.0), np.sin(2.0))
    assert stops == [("stopping_grad", ["    z = y * y\n", "    breakpoint()\n"])]


def test_a_session_in_the_debugger(model):
    derivative = value_and_grad(model.loss, (0, 1))
    W, v, x, y = arguments()
    expected = derivative(W, v, x, y)
    filename = file_of(derivative)
    place = line_with(filename, "h_bar = ")
    commands = ["continue", "p r_bar", "next", "next", "p v_bar", "where", "clear 1", "continue"]
    commands = io.StringIO("\n".join([f"break {filename}:{place}", *commands, ""]))
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
    result = debugger.runcall(derivative, W, v, x, y)
    text = output.getvalue()
    r_bar = 2 * (np.tanh(x @ W) @ v - y) / 5
    assert f"Breakpoint 1 at {filename}:{place}\n" in text
    assert f"> {filename}({place})loss_value_and_grad()\n-> h_bar = np.outer(r_bar, v)\n" in text
    assert f"(Pdb) {r_bar!r}\n" in text
    assert f"> {filename}({place + 1})loss_value_and_grad()\n-> v_bar = h.T @ r_bar\n" in text
    assert f"(Pdb) {expected[1][1]!r}\n" in text
    assert "srcgrad_run(W, v, x, y)" in text
    assert np.array_equal(result[1][1], expected[1][1])


def test_inspect_finds_the_source(model):
    derivative = grad(model.loss)
    derivative(*arguments())
    special = derivative.__srcgrad__.specialisations[0]
    assert inspect.getsource(special.run) == special.functions.functions[0].text
    assert inspect.getsourcefile(special.run) == special.filename
    assert Path(special.filename).read_text() == special.text
