"""Generated functions through what compiles Python functions, such as ``numba.njit``."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import hashlib
import linecache
import re
import traceback
import types
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad
from srcgrad.errors import CompileError, Spot
from srcgrad.generation.loops import Backwards, in_loops
from srcgrad.late import late
from srcgrad.library.libraries import is_of_library
from srcgrad.load.readers import codes
from srcgrad.program.compiled_functions import python_of
from srcgrad.program.namespaces import MISSING, read_name
from srcgrad.runtime.requirements import require_separate

_DATA = (bool, int, float, complex, str, bytes, tuple, np.generic, np.ndarray)
_FEW = 1 << 16  # bytes, up to which an array is compared whole
_MENTIONED = re.compile(r"""(?:File "|at )([^"\n]+?)(?:", line (\d+)| \((\d+)\))""")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Jitted:
    """Generated functions, compiled with all that they call.

    What compiles a function may take what this reads of the outside as constant. So it is noted
    what was read, and ``current`` tells whether it is still the same. It is part of the names of
    the functions, too, by which compilers find in their caches what they compiled before.

    Numba gets array expressions as loops, see ``loops``; where it cannot compile that, as they
    stand.
    """

    def __init__(
        self,
        functions: list[Any],  # the functions that are called
        jit: Callable[[Any], Any],  # compiles one function
        # the parameters of the first one that are numbers or arrays, and their ranks
        ranks: dict[str, int],
        in_loops: bool = True,  # whether Numba gets array expressions as loops
    ) -> None:
        self.functions, self.jit, self.ranks = functions, jit, ranks
        compiler = jit(_nothing)
        self.is_numba = type(compiler).__module__.partition(".")[0] == "numba"
        self.known = late("known_to_numba")() if self.is_numba else frozenset()
        self.loops = late("loops_for_numba")() if self.is_numba and in_loops else {}
        model = getattr(compiler, "targetoptions", {}).get("error_model", "python")
        self.python_errors = model == "python"
        self.made: dict[int, Any] = {}
        self.waiting: dict[int, list[tuple[dict[str, Any], str]]] = {}
        self.noted: dict[int, Any] = {}
        self.read: list[tuple[Any, tuple[str, ...], Any, Any]] = []
        for function in functions:
            self._note(function)
        parts = [f.__code__.co_code for f in self.noted.values()], [r[3] for r in self.read]
        told = (parts, bool(self.loops), srcgrad.__version__)
        self.digest = hashlib.sha256(repr(told).encode()).hexdigest()[:8]

    def _note(self, function: Any) -> None:
        """Note what a function reads of the outside, and what those read that it calls."""
        if id(function) in self.noted:
            return
        self.noted[id(function)] = function
        for place, chain in _chains(function):
            thing = _value(place, chain)
            plain = python_of(thing)
            if isinstance(thing, _DATA):
                self.read.append((place, chain, thing, _content(thing)))
            elif type(plain) is types.FunctionType and not is_of_library(plain):
                self.read.append((place, chain, thing, None))
                self._note(plain)

    def current(self) -> bool:
        """Whether what the functions read of the outside is what it was."""
        for place, chain, thing, content in self.read:
            now = _value(place, chain)
            if content is None or type(thing) in (float, int, bool, str):
                if now is not thing and (content is None or _content(now) != content):
                    return False
            elif _content(now) != content:
                return False
        return True

    def as_it_stands(self) -> Jitted:
        """Return the same, where array expressions are not written as loops."""
        return Jitted(self.functions, self.jit, self.ranks, in_loops=False)

    def pair(self, forward: Any, backward: Any) -> tuple[Any, Any]:
        """Return a generated pair as it is called.

        What Numba keeps in lists for the backward function does not go through Python.
        """
        if not self.is_numba:
            return self.run(forward), self.run(backward)

        def packed(jitted: Jitted, place: int) -> Any:
            made = late("numba_pair")(jitted.compiled(forward), jitted.compiled(backward))[place]
            function = (forward, backward)[place]
            made.__qualname__ = f"{function.__name__}_packed_{jitted.digest}"
            return jitted.jit(made)

        return (
            self.run(forward, lambda jitted: packed(jitted, 0)),
            self.run(backward, lambda jitted: packed(jitted, 1)),
        )

    def run(self, function: Any, make: Callable[[Jitted], Any] | None = None) -> Any:
        """Return a generated function as it is called."""
        make = make or (lambda jitted: jitted.compiled(function))
        compiled = make(self)
        in_loops = bool(self.loops)

        @functools.wraps(function)
        def run(*args: Any, **options: Any) -> Any:
            nonlocal compiled, in_loops
            try:
                return compiled(*args, **options)
            except Exception as error:
                if not _refuses(error, compiled):
                    raise
                if not in_loops:
                    raise _refusal(error, compiled, function) from error
            compiled, in_loops = make(self.as_it_stands()), False
            return run(*args, **options)

        return run

    def compiled(self, function: Any) -> Any:
        """Return a function, compiled."""
        key = id(function)
        if key in self.made:
            return self.made[key]
        self.waiting[key] = []
        space: dict[str, Any] = {"__name__": function.__module__}
        for place, name in _names(function):
            thing = read_name(place, name)
            if type(thing) is not types.FunctionType or is_of_library(thing) or thing in self.known:
                space[name] = thing
            elif id(thing) in self.waiting:
                self.waiting[id(thing)].append((space, name))
            else:
                space[name] = self.compiled(thing)
        copy = self._copy(function, space)
        copy.__qualname__ = f"{function.__name__}_{self.digest}"
        self.made[key] = made = self.jit(copy)
        for space, name in self.waiting.pop(key):
            space[name] = made
        return made

    def _copy(self, function: Any, space: dict[str, Any]) -> Any:
        """Return a function that reads what it reads of the outside in one dict.

        Of a generated function that is all: what is in cells, a cache of compiled code would take
        for constants.
        """
        space["__builtins__"] = function.__globals__.get("__builtins__", builtins)
        if hasattr(function, "__srcgrad_generated__"):
            return self._read_again(function, space)
        cells = tuple(types.CellType(space[name]) for name in function.__code__.co_freevars)
        copy = types.FunctionType(
            function.__code__, space, function.__name__, function.__defaults__, cells
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__module__ = function.__module__
        return copy

    def _read_again(self, function: Any, space: dict[str, Any]) -> Any:
        """Return a generated function made of its text, with all parameters by position."""
        filename = function.__code__.co_filename
        tree: Any = _Shorter().visit(ast.parse("".join(linecache.getlines(filename)), filename))
        (node,) = (n for n in tree.body if getattr(n, "name", "") == function.__name__)
        assert isinstance(node, ast.FunctionDef)
        held = node.args
        held.args += held.kwonlyargs
        held.kwonlyargs, held.kw_defaults, held.defaults = [], [], []
        node.decorator_list, node.returns = [], None
        for each in (*held.posonlyargs, *held.args):
            each.annotation = None
        if self.is_numba:
            names = _free(late("words_for_numba")(), node, space)
            _InNumba(space, names).visit(node)
        if self.loops:
            self._write_loops(function, node, space)
        exec(compile(ast.Module([node], []), filename, "exec", dont_inherit=True), space)
        copy = space.pop(function.__name__)
        defaults = _defaults(function)
        names = [each.arg for each in (*held.posonlyargs, *held.args)]
        found: list[Any] = []
        while names and names[-1] in defaults:
            found.insert(0, defaults[names.pop()])
        copy.__defaults__ = tuple(found) or None
        copy.__module__ = function.__module__
        return copy

    def _write_loops(self, function: Any, node: ast.FunctionDef, space: dict[str, Any]) -> None:
        """Write what Numba compiles better than what stands there."""
        names = _free(self.loops, node, space)
        ranks = self.ranks if function is self.functions[0] else {}
        is_numpy = functools.partial(_is_numpy, space)
        in_loops(Backwards(node).visit(node), is_numpy, ranks, names, self.python_errors)


def _free(words: dict[str, Any], node: ast.AST, space: dict[str, Any]) -> dict[str, str]:
    """Put functions into a namespace, and return their names there, which nothing else has."""
    taken = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | set(space)
    names = {}
    for word, function in words.items():
        names[word] = word
        while names[word] in taken:
            names[word] += "_"
        space[names[word]] = function
    return names


def _nothing() -> None:
    """What is compiled to see what a compiler makes of it."""


def _is_numpy(space: dict[str, Any], name: str) -> bool:
    return space.get(name) is np


def _names(function: Any) -> Iterator[tuple[Any, str]]:
    """The places and the names of what a function reads of the outside."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for place, chain in _chains(function):
        yield place, chain[0]
    for name, cell in cells.items():
        yield cell, name


def _chains(function: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """What a function reads of the outside: the place of a name, the name, and attributes."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    found: dict[tuple[str, ...], Any] = {}
    for code in codes(function.__code__):
        chain: tuple[str, ...] = ()
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
                chain = (*chain, step.argval)
            elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") or (
                step.opname == "LOAD_DEREF" and step.argval in cells
            ):
                chain = (step.argval,)
            else:
                chain = ()
            if chain:
                found[chain] = cells.get(chain[0], function.__globals__)
    for chain, place in found.items():
        yield place, chain


def _value(place: Any, chain: tuple[str, ...]) -> Any:
    """What a name means, or an attribute of a module that it means."""
    value = read_name(place, chain[0])
    for name in chain[1:]:
        if not isinstance(value, types.ModuleType):
            return MISSING
        value = getattr(value, name, MISSING)
    return value


def _content(thing: Any) -> Any:
    """What tells constants apart."""
    if isinstance(thing, np.ndarray):
        whole = np.ascontiguousarray(thing)
        content = whole.tobytes() if whole.nbytes <= _FEW else zlib.crc32(whole.data)
        return thing.dtype.str, thing.shape, content
    if isinstance(thing, tuple):
        return type(thing).__name__, *map(_content, thing)
    return type(thing).__name__, repr(thing)


class _Shorter(ast.NodeTransformer):
    """Leaves out ``dtype=m.dtype`` of sums, where ``m`` may be a number, which has none there.

    Sums of whole numbers and truth values are exact without it, and what is divided by them is a
    floating-point number.
    """

    def visit_Call(self, node: ast.Call) -> Any:
        """Change a call of a method ``sum``."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sum":
            node.keywords = [
                word
                for word in node.keywords
                if word.arg != "dtype" or getattr(word.value, "attr", "") != "dtype"
            ]
        return node


class _InNumba(ast.NodeTransformer):
    """Writes calls of what Numba has no words for: ``np.add.at``, and names that are any."""

    def __init__(self, space: dict[str, Any], names: dict[str, str]) -> None:
        self.space, self.names = space, names

    def visit_Call(self, node: ast.Call) -> Any:
        """Change a call."""
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if self.space.get(called) is require_separate:
            node.func = ast.Name(self.names["separate"], ast.Load())
            others = " ".join(str(word.arg) for word in node.keywords)
            name, written = node.args
            values = [word.value for word in node.keywords]
            node.args, node.keywords = [name, ast.Constant(others), written, *values], []
        elif called.endswith(".add.at") and _is_numpy(self.space, called.partition(".")[0]):
            node.func = ast.Name(self.names["added_at"], ast.Load())
        return ast.fix_missing_locations(node)


def _defaults(function: Any) -> dict[str, Any]:
    """The defaults of a function, by the names of its parameters."""
    code, held = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(names[len(names) - len(held) :], held, strict=True))
    return found | (function.__kwdefaults__ or {})


def own_dtype(argument: Any) -> Any:
    """Return the type that a gradient has to be given; None where compiled code gives it.

    Numba knows no single numbers but double ones of Python's, and takes constants for double
    ones, so that what it computes of numbers of single precision is wider than they are.
    """
    dtype = getattr(argument, "dtype", None)
    if dtype is None or getattr(dtype, "kind", "") not in "fc":
        return None
    return dtype if isinstance(argument, np.generic) or dtype.itemsize < 8 else None


def in_own_types(run: Any, kinds: list[Any], kind: str, has_aux: bool = False) -> Any:
    """Return a compiled function whose gradients have the types of their arguments."""
    if kind == "jvp" or all(dtype is None for dtype in kinds):
        return run

    def cast(made: Any) -> Any:
        if not isinstance(made, tuple):
            return _in_type(made, kinds[0])
        if len(made) != len(kinds):
            return made
        return tuple(map(_in_type, made, kinds))

    @functools.wraps(run)
    def typed(*args: Any, **options: Any) -> Any:
        made = run(*args, **options)
        if kind == "value_and_grad":
            return made[0], cast(made[1])
        return (cast(made[0]), made[1]) if has_aux else cast(made)

    return typed


def _in_type(made: Any, dtype: Any) -> Any:
    if dtype is None or getattr(made, "dtype", None) == dtype:
        return made
    return made.astype(dtype) if isinstance(made, np.ndarray) else dtype.type(made)


def _refuses(error: Exception, compiled: Any) -> bool:
    """Whether an error says that a function cannot be compiled; others are the program's.

    It is one of the compiler's own, or has come up in its text: a compiled function has none.
    """
    home = type(compiled).__module__.partition(".")[0]
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    places = type(error).__module__, frame.f_globals.get("__name__", "")
    return home not in ("builtins", "srcgrad") and any(p.partition(".")[0] == home for p in places)


def _refusal(error: Exception, compiled: Any, function: Any) -> CompileError:
    """Return what is told where a function cannot be compiled."""
    home = type(compiled).__module__.partition(".")[0]
    text = re.sub(r" at 0x[0-9a-f]+", "", _COLOURS.sub("", str(error) or type(error).__name__))
    told = [line.strip() for line in text.splitlines()]
    told = [line for line in told if line and not line.startswith(("Failed in", "- Resolution"))]
    spot, generated = _place(error)
    why = f"{home} says: {' '.join(told[:2])}"
    if generated:
        why += f"\n  It is about this line of the generated code: {generated}"
    return CompileError(
        f"{function.__name__} cannot be compiled",
        spots=[spot] if spot is not None else [],
        why=why,
        fixes=[
            "see whether the function itself can be compiled",
            "leave jit= out: what is generated runs without it",
        ],
    )


def _place(error: Exception) -> tuple[Spot | None, str]:
    """The line of the user's that an error of a compiler is about, and the generated one."""
    found = [(m[1], int(m[2] or m[3])) for m in _MENTIONED.finditer(str(error))]
    loc = getattr(error, "loc", None)
    found += [(loc.filename, loc.line)] if loc is not None else []
    for filename, lineno in reversed(found):
        filename = str(Path(filename).resolve())
        text = linecache.getline(filename, lineno).strip()
        origin = late("origin")(filename, lineno)
        if origin is not None:
            line = origin[1]
            if line.lineno is not None:
                first = line.text.splitlines()[0]
                spot = Spot(line.filename, line.function, line.lineno, first, 0, len(first))
                return spot, text
    return None, ""
