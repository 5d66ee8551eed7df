"""The command line shows, saves and checks derivatives, and explains itself."""

import io
import subprocess
import sys

import numpy as np
import pytest

import srcgrad
from srcgrad import cli

PLACE = "program_to_show.py:square"

PROGRAM = '''\
"""A module with functions to differentiate."""
import numpy as np

from srcgrad import differentiate

SCALE = 3.0


def square(x, w):
    # weighed
    weighted = w * x ** 2
    return np.sum(weighted)


@differentiate(wrt=("x", "w"))
def decorated(x, w):
    weighted = w * x ** 2
    return np.sum(weighted)


def refused(x):
    return np.sum(np.polydiv(x, x)[0])


def wrong_count(x):
    return SCALE * x


class Model:
    def energy(self, x):
        return x * x
'''


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A file with functions, in the current folder; nothing is left imported."""
    path = tmp_path / "program_to_show.py"
    path.write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield path.name
    sys.modules.pop(path.stem, None)


def test_show_prints_plain_source_to_a_pipe(program, capsys):
    """The gradient's source is printed, the user's comment in it, no colours."""
    assert cli.main(["show", f"{program}:square"]) == 0
    out = capsys.readouterr().out
    compile(out, "shown", "exec")
    assert "def square_grad(x, w):" in out
    assert "# weighed" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("kind", cli.KINDS)
def test_show_each_kind(program, capsys, kind):
    """Every kind of derivative can be shown, for several arguments."""
    assert cli.main(["show", f"{program}:square", "--kind", kind, "--wrt", "x,w"]) == 0
    out = capsys.readouterr().out
    compile(out, "shown", "exec")
    ending = "dot" if kind in ("jvp", "hessian", "hvp") else "bar"
    assert f"x_{ending}" in out
    assert f"w_{ending}" in out


def test_show_keeps_what_the_decorator_says(program, capsys):
    """A decorated function is differentiated by the arguments that it names."""
    assert cli.main(["show", f"{program}:decorated"]) == 0
    out = capsys.readouterr().out
    assert "x_bar" in out
    assert "w_bar" in out


def test_show_with_ranks_is_simpler(program, capsys):
    """Known ranks leave no run-time question about broadcasting."""
    spec = f"{program}:square"
    assert cli.main(["show", spec, "--wrt", "w", "--ranks", "x=1,w=1"]) == 0
    known = capsys.readouterr().out
    assert cli.main(["show", spec, "--wrt", "w"]) == 0
    assert known != capsys.readouterr().out


def test_show_in_colours(program, monkeypatch):
    """A terminal gets colours, and none if NO_COLOR is set."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def shown():
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert cli.main(["show", f"{program}:square"]) == 0
        return terminal.getvalue()

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in shown()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in shown()


def test_highlight_without_pygments(monkeypatch):
    """Without the extra "cli" the source is printed as it is."""
    monkeypatch.setitem(sys.modules, "pygments", None)
    assert cli.highlight("x = 1\n") == "x = 1"


def test_save_writes_a_module(program, tmp_path, capsys):
    """A saved derivative can be run."""
    spec = f"{program}:square"
    words = ["save", spec, "square_grad.py", "--kind", "value_and_grad"]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == "wrote square_grad.py\n"
    names = {"__name__": "square_grad"}
    exec((tmp_path / "square_grad.py").read_text(), names)
    made = names["square_value_and_grad"]
    value, gradient = made(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert value == 19.0
    np.testing.assert_array_equal(gradient, [6.0, 16.0])


def test_save_does_not_overwrite_the_program(program, capsys):
    """The file that the function is in is never written to."""
    assert cli.main(["save", f"{program}:square", program]) == 2
    assert capsys.readouterr().err == (
        f"srcgrad save: {program} is the file that the function is in\n"
    )


def test_check_agrees(program, capsys):
    """A check evaluates its arguments with np, rng and the names of the file."""
    spec = f"{program}:square"
    words = ["check", spec, "--args", "rng.normal(size=3), SCALE * np.ones(3)"]
    assert cli.main([*words, "--wrt", "x,w"]) == 0
    assert capsys.readouterr().out == (f"{spec}: agrees with finite differences, orders 1 to 2\n")
    assert cli.main([*words, "--order", "1"]) == 0
    assert capsys.readouterr().out == (f"{spec}: agrees with finite differences, first order\n")


def test_check_of_one_argument(program):
    """An expression that is no tuple is the only argument."""
    assert cli.main(["check", f"{program}:wrong_count", "--args", "2.0"]) == 0


def test_refusal_is_text(program, capsys):
    """An error of srcgrad is printed, with its class and without a traceback."""
    assert cli.main(["show", f"{program}:refused"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("MissingFormulaError: ")
    assert "program_to_show.py:" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "nowhere.py:f"], "srcgrad show: there is no file nowhere.py\n"),
        (
            ["show", "nowhere.py"],
            "srcgrad show: 'nowhere.py' is not of the form FILE.py:function\n",
        ),
        (
            ["check", PLACE, "--args", "()"],
            f"srcgrad check: --args does not fit {PLACE}: missing a required argument: 'x'\n",
        ),
        (
            ["check", "program_to_show.py:square", "--args", "1 +"],
            "srcgrad check: --args is not a Python expression: invalid syntax\n",
        ),
    ],
)
def test_wrong_usage_is_explained(program, capsys, words, message):
    """What is wrong with the command line is said in one line."""
    assert cli.main(words) == 2
    assert capsys.readouterr().err == message


def test_a_missing_function_is_answered_with_those_there(program, capsys):
    """Who mistypes a name sees the names."""
    assert cli.main(["show", f"{program}:sqare"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"srcgrad show: {program} has no function sqare; it has square, ")


def test_a_method_is_named_by_its_class(program, capsys):
    """``Class.method`` finds a method."""
    assert cli.main(["show", f"{program}:Model.energy", "--wrt", "x"]) == 0
    text = capsys.readouterr().out
    assert "x_bar" in text
    assert cli.main(["show", f"{program}:Model.energy"]) == 0  # self is not the first argument
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("text", "wrt"), [("x", "x"), ("0", 0), ("-1", -1), ("x, w", ("x", "w")), ("x,", ("x",))]
)
def test_parse_wrt(text, wrt):
    """A comma makes a tuple, digits a position."""
    assert cli.parse_wrt(text) == wrt


def test_parse_ranks():
    """Ranks are numbers with names."""
    assert cli.parse_ranks("x=2, b=1") == {"x": 2, "b": 1}


@pytest.mark.parametrize(
    ("option", "text"), [("--ranks", "x"), ("--ranks", "x=two"), ("--wrt", ",")]
)
def test_unreadable_options(program, capsys, option, text):
    """Options that cannot be read end the program with one line."""
    with pytest.raises(SystemExit) as exit_:
        cli.main(["show", f"{program}:square", option, text])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"srcgrad show: argument {option}: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "srcgrad: the following arguments are required: COMMAND"),
        (["nothing"], "srcgrad: argument COMMAND: invalid choice: 'nothing'"),
        (["show"], "srcgrad show: the following arguments are required: FILE.py:function"),
        (["show", "a.py:f", "--kind", "slope"], "srcgrad show: argument --kind: invalid choice"),
        (["check", "a.py:f"], "srcgrad check: the following arguments are required: --args"),
        (["check", "a.py:f", "--args", "1", "--order", "5"], "srcgrad check: argument --order"),
    ],
)
def test_wrong_words(capsys, words, message):
    """Commands and options that there are not end the program with one line."""
    with pytest.raises(SystemExit) as exit_:
        cli.main(words)
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert said.count("\n") == 1


METHODS = """
import numpy as np

class Model:
    scale = 2.0

    def loss(self, x, y=1.0):
        return np.sum(x**2) * self.scale * y

    @staticmethod
    def plain(x):
        return np.sum(x**2)

    @classmethod
    def of_class(cls, x):
        return np.sum(x**2) * cls.scale

model = Model()
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "--ranks", "z=1"], "--ranks names z, and {}:Model.loss has self, x, y"),
        (["show", "--wrt", "7"], "wrt=7 does not fit loss(self, x, y)"),
        (["check", "--wrt", "x", "--args", "model, 'text'"], "raises TypeError in methods.py:8"),
        (["report", "--wrt", "x", "--args", "model, [np.ones(2), np.ones(3)]"], "methods.py:8"),
    ],
)
def test_what_does_not_fit_a_method(tmp_path, monkeypatch, capsys, words, message):
    """Ranks and arguments that a method has not, and arguments that it raises for: one line."""
    path = tmp_path / "methods.py"
    path.write_text(METHODS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    command, *options = words
    assert cli.main([command, f"{path}:Model.loss", *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"srcgrad {command}: ")
    assert message.format(path) in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["Model.loss", "Model.plain", "Model.of_class", "model.loss"])
def test_methods(tmp_path, monkeypatch, capsys, name):
    """Methods of classes and of objects, static ones and those of the class itself."""
    path = tmp_path / "methods.py"
    path.write_text(METHODS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    wrt = ["--wrt", "x"]
    if name != "Model.loss":  # what it reads of its object is known at the call
        assert cli.main(["show", f"{path}:{name}", *wrt, "--ranks", "x=1"]) == 0
    given = "Model(), np.ones(2)" if name == "Model.loss" else "np.ones(2)"
    assert cli.main(["check", f"{path}:{name}", *wrt, "--args", f"({given},)"]) == 0
    assert cli.main(["show", f"{path}:Model"]) == 2
    assert "Model is a class; name a method of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    "kind", ["grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian", "hvp"]
)
def test_kinds(program, capsys, kind):
    """Each derivative can be shown."""
    assert cli.main(["show", f"{program}:square", "--kind", kind]) == 0
    assert "def square" in capsys.readouterr().out


def test_version(capsys):
    """The version is that of the package."""
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"srcgrad {srcgrad.__version__}\n"


def test_runs_as_a_program(program):
    """``python -m srcgrad.cli`` is the command."""
    done = subprocess.run(
        [sys.executable, "-m", "srcgrad.cli", "show", f"{program}:square"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "x_bar" in done.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x):\n    return x *\n", "SyntaxError: invalid syntax"),
        ("def f(x):\nreturn x\n", "IndentationError"),
        ("import nowhere_to_be_found\n", "ModuleNotFoundError"),
        ("x = 1 / 0\n", "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("x = 'a\0b'\n", "null bytes"),
    ],
)
def test_a_file_that_cannot_be_run(tmp_path, monkeypatch, capsys, text, message):
    """What is wrong with the file is said in one line, with the line it is in."""
    path = tmp_path / "wrong_program.py"
    path.write_text(text)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert cli.main(["show", f"{path}:f"]) == 2
    said = capsys.readouterr().err
    assert "wrong_program.py cannot be run" in said
    assert message in said
    assert "cli.py" not in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("out", "message"), [("missing/out.py", "No such file"), (".", "Is a directory")]
)
def test_save_where_nothing_can_be_written(program, capsys, out, message):
    """A missing folder is told, without a traceback."""
    assert cli.main(["save", f"{program}:square", out]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [("(unknown,)", "NameError"), ("(1 / 0,)", "ZeroDivisionError"), ("a\0b", "null bytes")],
)
def test_arguments_that_cannot_be_made(program, capsys, args, message):
    """What the expression of ``--args`` raises is told in one line."""
    assert cli.main(["check", f"{program}:square", "--args", args]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


def test_a_reader_that_has_gone(program):
    """Nothing is said where whoever reads the output has closed it."""
    words = [sys.executable, "-m", "srcgrad.cli", "show", f"{program}:square"]
    run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.stdout.close()
    said = run.stderr.read()
    run.stderr.close()
    assert run.wait() == 1
    assert said == ""
