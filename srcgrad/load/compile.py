"""Compiling generated text under a real file name, in the user's own globals."""

from __future__ import annotations

import ast
import hashlib
import linecache
import os
import types
from pathlib import Path
from typing import Any, Protocol

from srcgrad.load.source_map import remember
from srcgrad.load.texts import FunctionText


def cache_folder() -> Path:
    """The folder that generated files are written to; ``SRCGRAD_DIR`` moves it."""
    chosen = os.environ.get("SRCGRAD_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "srcgrad"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it, so that nobody reads a part of it.

    Raises:
        OSError: where it cannot be written.
    """
    temporary = path.with_name(f"{os.urandom(8).hex()}.tmp")  # ``tempfile`` costs 7 ms to import
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    temporary.replace(path)


def write_file(name: str, text: str) -> str:
    """Write generated text to a file and return its name.

    Where nothing can be written, the text is known to ``linecache`` only.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    filename = f"{name}_{digest}.py"
    folder = cache_folder()
    path = folder / filename
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            write_whole(path, text.encode())
    except OSError:
        pass
    lines = text.splitlines(keepends=True)
    linecache.cache[str(path)] = (len(text), None, lines, str(path))
    return str(path)


class Editor(Protocol):
    """Changes what is compiled, and what it refers to; the text stays what it is."""

    def edit(
        self, text: FunctionText, node: ast.FunctionDef, filename: str, first: int
    ) -> tuple[ast.FunctionDef, dict[str, Any]]:
        """Return another definition of a function, and what that refers to by name."""
        ...

    def replaced(self, thing: Any) -> Any:
        """Return what stands for something that the text refers to."""
        ...


def load(
    functions: list[FunctionText], name: str, header: str = "", editor: Editor | None = None
) -> tuple[dict[str, types.FunctionType], str, str]:
    """Compile the functions of a generated module.

    Returns:
        The functions by name, the file name and the text of the file.
    """
    text = header + "\n\n".join(f.text for f in functions)
    filename = write_file(name, text)
    places, shift = {}, header.count("\n")
    starts: dict[str, int] = {}
    for function in functions:
        starts[function.name] = shift + 1
        places |= {shift + line: place for line, place in function.places.items()}
        shift += function.text.count("\n") + 2
    remember(filename, places, [(starts[each.name], each) for each in functions])
    tree = ast.parse(text, filename)
    definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    cells: dict[str, types.CellType] = {f.name: types.CellType() for f in functions}
    apart = {f.name: cells[f.name] for f in functions if f.apart is not None}
    made: dict[str, types.FunctionType] = {}
    for function in functions:
        node, first = definitions[function.name], starts[function.name]
        own = editor if function.apart is None else None  # the tape watches what it records
        decorators, node.decorator_list = node.decorator_list, []
        made[function.name] = _make(function, node, filename, cells, apart, own, first)
        made[function.name].__srcgrad_generated__ = functions, name, header  # type: ignore
        for decorator in decorators:
            space = {**function.source.globals, **function.externals}
            code = compile(ast.Expression(decorator), filename, "eval")
            made[function.name] = eval(code, space)(made[function.name])
        if function.apart is not None:
            made[function.name].__srcgrad_apart__ = function.apart  # type: ignore[attr-defined]
    for label, cell in cells.items():
        cell.cell_contents = made[label]
    return made, filename, text


def _make(
    function: FunctionText,
    node: ast.FunctionDef,
    filename: str,
    cells: dict[str, types.CellType],
    apart: dict[str, types.CellType],
    editor: Editor | None,
    first: int,
) -> Any:
    source = function.source
    free: dict[str, Any] = {**source.cells, **apart}
    externals = dict(function.externals)
    if editor is not None:
        free = {label: editor.replaced(cell) for label, cell in free.items()}
        externals = {label: editor.replaced(thing) for label, thing in externals.items()}
        node, added = editor.edit(function, node, filename, first)
        externals |= added
    for label, thing in externals.items():
        free[label] = cells[label] if label in cells else types.CellType(thing)
    for label, cell in cells.items():
        free.setdefault(label, cell)
    place = {
        "lineno": node.lineno,
        "col_offset": 0,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(label, **place) for label in free],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    plain = ast.FunctionDef(
        name=node.name,
        args=_without_defaults(node.args, place),
        body=node.body,
        decorator_list=[],
        returns=None,
        **place,
    )
    plain.type_params = []  # type: ignore[attr-defined]
    outer = ast.FunctionDef(
        name="generated",
        args=arguments,
        body=[plain],
        decorator_list=[],
        returns=None,
        **place,
    )
    outer.type_params = []  # type: ignore[attr-defined]
    module = ast.Module([outer], [])
    if editor is not None:  # else all nodes come from the text, and have their places
        module = ast.fix_missing_locations(module)
    code = compile(module, filename, "exec", dont_inherit=True)
    inner = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    inner = next(
        c for c in inner.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name
    )
    closure = tuple(free[label] for label in inner.co_freevars)
    made = types.FunctionType(inner, source.globals, node.name, None, closure)
    original = source.function
    made.__defaults__ = _defaults_now(original, [*node.args.posonlyargs, *node.args.args])
    if any(d is not None for d in node.args.kw_defaults):
        made.__kwdefaults__ = original.__kwdefaults__
    made.__module__ = original.__module__
    return made


def _defaults_now(original: types.FunctionType, parameters: list[ast.arg]) -> Any:
    """The defaults that the last parameters have in the user's function, which may be new ones."""
    held = original.__defaults__ or ()
    code = original.__code__
    names = code.co_varnames[: code.co_argcount]
    known = dict(zip(names[len(names) - len(held) :], held, strict=True))
    found: list[Any] = []
    for parameter in reversed(parameters):
        if parameter.arg not in known:
            break
        found.insert(0, known[parameter.arg])
    return tuple(found) or None


def _without_defaults(args: ast.arguments, place: dict[str, Any]) -> ast.arguments:
    """The same parameters; defaults are taken from the user's function object."""
    for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
        arg.annotation = None
    zero = ast.Constant(None, **place)
    return ast.arguments(
        posonlyargs=args.posonlyargs,
        args=args.args,
        vararg=args.vararg,
        kwonlyargs=args.kwonlyargs,
        kw_defaults=[None if d is None else zero for d in args.kw_defaults],
        kwarg=args.kwarg,
        defaults=[zero for _ in args.defaults],
    )
