"""The command line: show, save, check and report on derivatives of functions in files, and more."""

from __future__ import annotations

import argparse
import contextlib
import copy
import importlib.util
import inspect
import os
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO

import srcgrad
from srcgrad.cache import files
from srcgrad.calling.api import KINDS
from srcgrad.calling.options import TEXTS, WAYS
from srcgrad.calling.recorded import MODES
from srcgrad.errors import ArgumentError, SrcgradError


class UsageError(Exception):
    """What was asked for on the command line is not there or makes no sense."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the words after the program's name; those of the process if None.

    Returns:
        The exit status: 0, 1 if srcgrad refuses or a check fails, or 2 if the
        command line itself is at fault.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has seen enough, as head has
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ArgumentError as error:  # of --wrt, or of arguments of a kind that has no derivative
        print(f"srcgrad {options.command}: {error.what}", file=sys.stderr)
        return 2
    except SrcgradError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except UsageError as error:
        print(f"srcgrad {options.command}: {error}", file=sys.stderr)
        return 2
    return 0


def show(options: argparse.Namespace) -> None:
    """Print the source of a derivative, in colours if the reader is a terminal."""
    function = _loaded(options)
    known = _parameters(function)
    for name in options.ranks or ():
        if known and name not in known:
            there = ", ".join(known)
            raise UsageError(f"--ranks names {name}, and {options.function} has {there}")
    text = srcgrad.source(function, **_transformation(options))
    print(highlight(text) if wants_colour(sys.stdout) else text.rstrip("\n"))


def _loaded(options: argparse.Namespace) -> Callable[..., Any]:
    """Return the function that is named; a method is differentiated behind its ``self``."""
    function = load(options.function)
    is_method = isinstance(function, types.FunctionType) and "self" in _parameters(function)[:1]
    if is_method and options.wrt is None:
        options.wrt = 1
    return function


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function; none where it does not tell."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def save(options: argparse.Namespace) -> None:
    """Write a derivative as a stand-alone module."""
    function = _loaded(options)
    if options.out.exists() and options.out.samefile(_split(options.function)[0]):
        raise UsageError(f"{options.out} is the file that the function is in")
    try:
        srcgrad.save(function, options.out, **_transformation(options))
    except OSError as error:
        raise UsageError(f"{options.out} cannot be written: {error.strerror}") from None
    print(f"wrote {options.out}")


def _arguments(options: argparse.Namespace, function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the given arguments of a function, which can be called with them."""
    arguments = evaluate(options.args, function)
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--args does not fit {options.function}: {error}") from None
    try:
        function(*copy.deepcopy(arguments))
    except Exception as error:  # noqa: BLE001 - it is told: that is no matter of its derivative
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{Path(last.filename).name}:{last.lineno}: {str(error).partition(chr(10))[0]}"
        raise UsageError(f"{options.function} raises {type(error).__name__} in {what}") from None
    return arguments


def check(options: argparse.Namespace) -> None:
    """Compare derivatives with finite differences at the given arguments."""
    function = _loaded(options)
    arguments = _arguments(options, function)
    given = {"wrt": options.wrt, "recorded": options.recorded}
    given = {name: value for name, value in given.items() if value is not None}
    srcgrad.check(function, *arguments, order=options.order, **given)
    orders = "first order" if options.order == 1 else f"orders 1 to {options.order}"
    print(f"{options.function}: agrees with finite differences, {orders}")


def report(options: argparse.Namespace) -> None:
    """Run a function and its gradient once, and write a page of what each line did."""
    function = _loaded(options)
    arguments = _arguments(options, function)
    found = srcgrad.trace(function, *arguments, wrt=options.wrt)
    out = options.out or Path(f"{function.__name__}_report.html")
    try:
        found.to_html(out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from None
    print(f"wrote {out}")


def cache(options: argparse.Namespace) -> None:
    """Show what is kept of generated code on disk, or remove it."""
    if options.clear:
        print(f"{files.clear()} derivatives removed from {files.folder()}")
        return
    rows = files.entries()
    size = sum(own for _, own, _ in rows) / 1000
    off = "" if files.is_on() else f", which is off: {files.VARIABLE}=0"
    print(f"{len(rows)} derivatives, {size:.0f} kB, in {files.folder()}{off}")


def torch(options: argparse.Namespace) -> None:
    """Run a command about PyTorch, whose module is imported for it."""
    try:
        commands = import_module("srcgrad.torch.commands")
    except ImportError as missing:
        raise UsageError(f"{missing}; pip install 'srcgrad[torch]'") from None
    getattr(commands, options.runs)(options)


def load(spec: str) -> Callable[..., Any]:
    """Return the function that ``FILE.py:function`` names.

    The file is run as a module, with its own folder first on ``sys.path``, so
    that it finds its neighbours as it does under ``python FILE.py``.

    Args:
        spec: the file, a colon, and the function; a method is ``Class.method``.

    Raises:
        UsageError: if there is no such file or no such function in it, or it cannot be run.
    """
    path, name = _split(spec)
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    sys.path.insert(0, str(path.resolve().parent))
    found = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if found is None or found.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it is told
        sys.modules.pop(path.stem, None)
        raise UsageError(f"{path} cannot be run: {_spoken(error, path)}") from None
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    if not callable(value):
        there = [
            key
            for key, item in vars(module).items()
            if callable(item) and getattr(item, "__module__", None) == path.stem
        ]
        hint = f"; it has {', '.join(there)}" if there else ""
        raise UsageError(f"{path} has no function {name}{hint}")
    if isinstance(value, type):
        raise UsageError(f"{name} is a class; name a method of it, as {name}.method")
    return value


def _spoken(error: BaseException, path: Path) -> str:
    """Return in one line where a file raises an exception, and which."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path.resolve())
    ]
    line = error.lineno if isinstance(error, SyntaxError) else frames[-1].lineno if frames else None
    what = error.msg if isinstance(error, SyntaxError) else str(error).partition("\n")[0]
    return f"{'' if line is None else f'line {line}: '}{type(error).__name__}: {what}"


def evaluate(expression: str, function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the arguments that an expression gives.

    The expression sees what the function's module sees, and besides it ``np``
    and ``rng``, a random generator that is the same in every run.

    Args:
        expression: Python; a tuple gives the arguments, anything else is the
            only argument.
        function: the function whose module the names are looked up in.

    Raises:
        UsageError: if the expression is not Python, or raises.
    """
    import numpy as np

    try:
        code = compile(expression, "<--args>", "eval")
    except (SyntaxError, ValueError) as error:
        what = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(f"--args is not a Python expression: {what}") from None
    module = sys.modules.get(function.__module__)
    names = {"np": np, "rng": np.random.default_rng(0), **(vars(module) if module else {})}
    try:
        value = eval(code, names)  # the user's own words, on their machine
    except Exception as error:  # noqa: BLE001 - it is told
        raise UsageError(f"--args raises {type(error).__name__}: {error}") from None
    return value if isinstance(value, tuple) else (value,)


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to write colours: to a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def highlight(text: str) -> str:
    """Return Python source in terminal colours, or as it is without Pygments."""
    try:
        import pygments
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:  # the extra "cli" is not installed
        return text.rstrip("\n")
    return pygments.highlight(text, PythonLexer(), TerminalFormatter()).rstrip("\n")


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        """End the program with a message."""
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="srcgrad", description="Derivatives of NumPy programs, as Python source.")
    parser.add_argument("--version", action="version", version=f"srcgrad {srcgrad.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    showing = commands.add_parser("show", help="print the source of a derivative")
    showing.set_defaults(run=show)
    saving = commands.add_parser("save", help="write a derivative as a module")
    saving.set_defaults(run=save)
    checking = commands.add_parser("check", help="compare with finite differences")
    checking.set_defaults(run=check)

    reporting = commands.add_parser("report", help="write a page of what each line does in a run")
    reporting.set_defaults(run=report)

    keeping = commands.add_parser("cache", help="show what is kept of generated code, or clear it")
    keeping.set_defaults(run=cache)
    keeping.add_argument("--clear", action="store_true", help="remove all of it")

    _add_torch(commands.add_parser("torch", help="PyTorch's derivatives in srcgrad, and back"))

    for command in (showing, saving, checking, reporting):
        command.add_argument(
            "function", metavar="FILE.py:function", help="a method is Class.method"
        )
    saving.add_argument("out", metavar="OUT.py", type=Path, help="the file to write")
    reporting.add_argument(
        "--out", metavar="OUT.html", type=Path, help="the file to write (FUNCTION_report.html)"
    )
    for command in (showing, saving, checking, reporting):
        command.add_argument(
            "--wrt",
            metavar="NAMES",
            type=parse_wrt,
            help="names or positions of arguments, with commas between them; "
            "as decorated, or else the first argument, by default",
        )
    for command in (showing, checking):
        command.add_argument(
            "--recorded",
            choices=MODES,
            help="what to do about functions that are recorded while they run "
            "(default: SRCGRAD_RECORDED of the environment, or else warn)",
        )
    for command in (showing, saving):
        command.add_argument("--kind", choices=KINDS, default="grad")
        command.add_argument(
            "--optimize", choices=TEXTS, help="what the text is written for (default: readable)"
        )
        command.add_argument(
            "--policy",
            metavar="NAME=WAY,...",
            type=parse_policy,
            help=f"how values are kept: {', '.join(WAYS)}",
        )
    showing.add_argument(
        "--ranks",
        metavar="NAME=N,...",
        type=parse_ranks,
        help="numbers of dimensions of arguments, for simpler source",
    )
    for command in (checking, reporting):
        command.add_argument(
            "--args",
            required=True,
            metavar="EXPRESSION",
            help="Python that gives the tuple of arguments; may use np, rng (a seeded "
            "generator) and the names of the file",
        )
    checking.add_argument(
        "--order", type=int, default=2, choices=(1, 2), help="highest order to check"
    )
    return parser


def _add_torch(parser: argparse.ArgumentParser) -> None:
    """Add the commands about PyTorch."""
    commands = parser.add_subparsers(dest="torch_command", required=True, metavar="COMMAND")
    importing = commands.add_parser("import", help="write PyTorch's table as formulas")
    importing.set_defaults(run=torch, runs="import_table")
    importing.add_argument(
        "--compare", action="store_true", help="compare each formula with PyTorch (minutes)"
    )
    cpp = commands.add_parser("emit-cpp", help="write formulas as C++ for PyTorch's engine")
    cpp.set_defaults(run=torch, runs="emit_cpp")
    cpp.add_argument("formulas", nargs="*", help="as np.sin or special.erf; all if none is given")
    cpp.add_argument(
        "--check", action="store_true", help="compile them, and run PyTorch's checks (minutes)"
    )
    entries = commands.add_parser("emit-yaml", help="write entries that PyTorch's table lacks")
    entries.set_defaults(run=torch, runs="emit_yaml")
    for command in (importing, cpp, entries):
        command.add_argument(
            "--out", metavar="DIR", type=Path, required=True, help="the folder to write to"
        )


def parse_wrt(text: str) -> str | int | tuple[str | int, ...]:
    """Return the value of ``wrt`` that a text stands for.

    ``"x"`` is one name and ``"0"`` one position; a comma makes a tuple.
    """
    parts = tuple(
        int(part) if part.lstrip("-").isdigit() else part
        for part in (piece.strip() for piece in text.split(","))
        if part
    )
    if not parts:
        raise argparse.ArgumentTypeError("names no argument")
    return parts if "," in text else parts[0]


def parse_ranks(text: str) -> dict[str, int]:
    """Return the ranks that a text such as ``"x=2,b=1"`` stands for."""
    ranks = {}
    for piece in text.split(","):
        name, _, rank = piece.partition("=")
        if not (name.strip().isidentifier() and rank.strip().isdigit()):
            raise argparse.ArgumentTypeError(f"{piece!r} is not of the form name=2")
        ranks[name.strip()] = int(rank)
    return ranks


def parse_policy(text: str) -> dict[str, str]:
    """Return the policy that a text such as ``"h=recompute,encoder.z=float32"`` stands for."""
    policy = {}
    for piece in text.split(","):
        name, _, way = (part.strip() for part in piece.partition("="))
        if way not in WAYS or not all(part.isidentifier() for part in name.split(".")):
            raise argparse.ArgumentTypeError(f"{piece!r} is not of the form h={WAYS[0]}")
        policy[name] = way
    return policy


def _split(spec: str) -> tuple[Path, str]:
    """Split ``FILE.py:function``; the last colon counts, for ``C:`` before it."""
    path, colon, name = spec.rpartition(":")
    if not (colon and path and name):
        raise UsageError(f"{spec!r} is not of the form FILE.py:function")
    return Path(path), name


def _transformation(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of ``source`` and ``save`` that were given."""
    names = ("kind", "wrt", "ranks", "recorded", "optimize", "policy")
    given = {name: getattr(options, name, None) for name in names}
    return {name: value for name, value in given.items() if value is not None}


if __name__ == "__main__":
    sys.exit(main())
