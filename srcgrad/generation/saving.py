"""Modules that stand alone: generated functions with everything that they call."""

from __future__ import annotations
import __future__

import ast
import builtins
import dis
import inspect
import sys
import textwrap
import types
from typing import Any

import libcst as cst
import numpy as np

from srcgrad import runtime
from srcgrad.emit.words.text import LINE
from srcgrad.errors import SaveError
from srcgrad.generation.validity import entry_lines, requirements
from srcgrad.load.texts import is_generated


def with_imports(special: Any) -> str:
    """Return a generated module with the imports of the helpers that it calls."""
    if special.recorded is not None:
        return special.text
    helpers = _helpers(special)
    lines: list[str] = []
    taken: dict[str, list[str]] = {}  # what is imported from each module
    texts: dict[str, str] = {}
    for _, thing in sorted(helpers.items()):
        if is_generated(thing):
            _write_out(thing, texts)
    for name, thing in sorted(helpers.items()):
        if is_generated(thing):
            continue
        if isinstance(thing, types.ModuleType):
            lines.append(_import(name, thing))
        else:
            label = "" if thing.__name__ == name else f" as {name}"
            named = getattr(runtime, thing.__name__, None) is thing
            home = runtime.__name__ if named else thing.__module__
            taken.setdefault(home, []).append(f"{thing.__name__}{label}")
    for home, names in sorted(taken.items()):
        line = f"from {home} import {', '.join(names)}"
        if len(line) > LINE:
            line = "\n".join([f"from {home} import (", *(f"    {n}," for n in names), ")"])
        lines.append(line)
    head = "\n".join(lines) + "\n\n\n" if lines else ""
    return "\n\n".join([head + special.text, *texts.values()])


def _is_own(thing: Any) -> bool:
    """Whether what generated code calls was generated, or is one of the run-time functions."""
    return is_generated(thing) or (getattr(thing, "__module__", "") or "").startswith("srcgrad.")


def _cells(function: types.FunctionType) -> dict[str, Any]:
    """What a function reads from around it, by name."""
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def _write_out(function: types.FunctionType, texts: dict[str, str]) -> None:
    """Add the text of a generated function, and of those that it calls."""
    if function.__name__ not in texts:
        texts[function.__name__] = inspect.getsource(function)
        for thing in _cells(function).values():
            if is_generated(thing):
                _write_out(thing, texts)


def _import(name: str, module: types.ModuleType) -> str:
    return f"import {module.__name__}" + ("" if module.__name__ == name else f" as {name}")


def _externals(special: Any) -> dict[str, Any]:
    own = {f.name for f in special.functions.functions}
    found: dict[str, Any] = {}
    for function in special.functions.functions:
        for name, thing in function.externals.items():
            if name not in own:
                found.setdefault(name, thing)
    return found


def _helpers(special: Any) -> dict[str, Any]:
    """What a generated module calls besides the user's names, by name."""
    found = _externals(special)
    for function in special.functions.functions:
        if (function.source.function.__module__ or "").startswith("srcgrad."):  # in a formula
            space = function.source.function.__globals__
            for name in _names_read(function.text, function.name):
                if (getattr(space.get(name), "__module__", "") or "").startswith("srcgrad."):
                    found.setdefault(name, space[name])
        elif is_generated(function.source.function):  # a derivative of a derivative
            cells = _cells(function.source.function)
            for name in _names_read(function.text, function.name):
                if name in cells and _is_own(cells[name]):
                    found.setdefault(name, cells[name])
    own = {f.name for f in special.functions.functions}
    known = {n: t for n, t in found.items() if callable(t) or inspect.ismodule(t)}
    return {n: t for n, t in known.items() if n not in own}


def standalone(special: Any) -> str:
    """Return the text of a module that does not import srcgrad."""
    if special.refusal is not None:
        refusal, region = special.refusal, special.recorded or special.calls[0]
        raise SaveError(
            f"{region.function} is recorded while it runs, because of {region.place}, and what "
            "is recorded cannot be saved",
            spots=refusal.spots,
            why=f"The reason: {region.reason}.",
            fixes=refusal.fixes,
        )
    functions = special.functions.functions
    own = {f.name for f in functions}
    imports: dict[str, str] = {}
    bodies: dict[str, str] = {}
    constants: dict[str, str] = {}
    generated: dict[str, Any] = {}

    known: dict[str, Any] = {}

    def need(name: str, thing: Any, globals_: dict[str, Any], where: str) -> None:
        if known.setdefault(name, thing) is not thing and not _same(known[name], thing):
            raise _cannot(name, where)  # it means something else in another function
        if is_generated(thing):
            if generated.setdefault(name, thing) is not thing or thing.__name__ != name:
                raise _cannot(name, where)  # another one has this name
            if name not in bodies:
                bodies[name] = inspect.getsource(thing)
                scan(bodies[name], thing.__globals__, _cells(thing), name)
            return
        if name in own or name in bodies or name in imports or name in constants:
            return
        if isinstance(thing, types.ModuleType):
            if thing.__name__.split(".")[0] == "srcgrad":
                raise _cannot(name, where)
            imports[name] = _import(name, thing)
        elif (getattr(thing, "__module__", "") or "").startswith("srcgrad"):
            if not isinstance(thing, types.FunctionType | type):
                raise _cannot(name, where)
            if thing.__name__ != name:
                need(thing.__name__, thing, globals_, where)
                bodies[name] = f"{name} = {thing.__name__}\n"
                return
            text = textwrap.dedent(inspect.getsource(thing))
            lines = text.split("\n")
            while lines and lines[0].startswith("@"):
                lines.pop(0)
            text = "\n".join(lines)
            bodies[name] = text
            scan(text, vars(sys.modules[thing.__module__]), {}, name)
        elif isinstance(thing, bool | int | float | str | type(None)):
            constants[name] = f"{name} = {thing!r}"
        elif hasattr(thing, "__module__") and hasattr(thing, "__qualname__"):
            module, label = thing.__module__, thing.__qualname__
            if not _gives(module, label, thing):
                module, label = globals_.get("__name__"), name
            if not _gives(module, label, thing):
                raise _cannot(name, where)
            imports[name] = f"from {module} import {label}" + (
                "" if label == name else f" as {name}"
            )
        elif _gives(globals_.get("__name__"), name, thing):
            imports[name] = f"from {globals_['__name__']} import {name}"
        else:
            raise _cannot(name, where)

    def scan(text: str, globals_: dict[str, Any], extra: dict[str, Any], where: str) -> None:
        for name in _names_read(text, where):
            if name in extra:
                need(name, extra[name], globals_, where)
            elif name in globals_:
                need(name, globals_[name], globals_, where)
            elif not hasattr(builtins, name) and name not in own:
                raise _cannot(name, where)

    main = inspect.unwrap(special.run).__name__
    checks = entry_lines(main, requirements(special.basis, _sources(functions)))
    if any("np." in line for line in checks):
        need("np", np, {}, main)
    for function in functions:
        extra = {k: v for k, v in function.externals.items() if k not in own}
        for name, cell in function.source.cells.items():
            extra.setdefault(name, cell.cell_contents)
        scan(function.text, function.source.globals, extra, function.name)
    head = [
        '"""Generated by srcgrad; needs nothing of it to run."""',
        "",
        "from __future__ import annotations",
        "",
    ]
    if any("Any" in body for body in bodies.values()):
        imports.setdefault("Any", "from typing import Any")
    head += sorted(set(imports.values()))
    head += ["", *constants.values()] if constants else []
    texts = [_with_lines(f.text, checks) if f.name == main else f.text for f in functions]
    parts = ["\n".join(head).rstrip() + "\n", *bodies.values(), *texts]
    return "\n\n".join(part.rstrip() + "\n" for part in parts)


def _sources(functions: Any) -> str:
    """The text of the user's functions that others were generated from."""
    found = {id(f.source): f.source.tree for f in functions}
    return "\n".join(cst.Module([]).code_for_node(tree) for tree in found.values())


def _with_lines(text: str, added: list[str]) -> str:
    """The text of a function with lines behind its docstring."""
    if not added:
        return text
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.FunctionDef)
    lines = text.split("\n")
    place = definition.body[0].end_lineno
    return "\n".join([*lines[:place], *added, *lines[place:]])


def _names_read(text: str, label: str) -> list[str]:
    """The global names that a text reads, but those of its annotations."""
    return _free_names(compile(text, label, "exec", flags=__future__.annotations.compiler_flag))


def _free_names(code: types.CodeType) -> list[str]:
    """The global names that the functions in a piece of code read."""
    found: dict[str, None] = {}
    for step in dis.get_instructions(code):  # of a module: the defaults of its functions
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found[step.argval] = None
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= dict.fromkeys(_free_names(constant))
    return [n for n in found if n not in ("Any", "__name__")]


def _same(one: Any, other: Any) -> bool:
    """Whether two constants are written the same way."""
    plain = bool | int | float | str | type(None)
    return isinstance(one, plain) and type(one) is type(other) and repr(one) == repr(other)


def _gives(module: str | None, name: str, thing: Any) -> bool:
    """Whether this very object is what a saved module imports under a name."""
    if module in (None, "__main__") or not name.isidentifier():
        return False
    return getattr(sys.modules.get(module), name, None) is thing


def _cannot(name: str, where: str) -> SaveError:
    return SaveError(
        f"{name!r}, which {where} uses, cannot be imported or written into the saved module",
        fixes=["define it at the top level of an importable module", "pass it as an argument"],
    )
