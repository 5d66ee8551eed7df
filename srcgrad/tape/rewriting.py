"""The code of functions, rewritten so that what it does is recorded.

While a session lasts, the functions of the user that it meets have the rewritten code, so
that whoever calls them, a library or Python itself, runs that. It does the same as the
function's own where nothing is recorded, as in other threads.
"""

from __future__ import annotations

import ast
import copy
import dis
import functools
import os
import sys
import threading
import types
import warnings
import weakref
from typing import Any

import numpy as np

import srcgrad.tape.instructions as instructions
from srcgrad import registry
from srcgrad.errors import SourceNotFoundError
from srcgrad.library.libraries import home, is_stand_in
from srcgrad.program.compiled_text import Mangler, class_of, compiled, is_same
from srcgrad.program.device_arrays import is_array
from srcgrad.program.syntax_trees import functions_at
from srcgrad.tape.session import Session
from srcgrad.tape.syntax import MARK, Rewriter, of_some_arguments, without_options

HELPERS: dict[str, Any] = {"slice": slice}  # what stands in rewritten code; see operators.py
CONVERTED: dict[int, types.CodeType] = {}  # rewritten code, by its identity

_made: dict[int, tuple[types.CodeType, types.CodeType | None]] = {}
_copies: dict[Any, Any] = {}
_classes: set[type] = set()
_users: dict[int, int] = {}  # in how many sessions a function has rewritten code
_own: dict[int, types.CodeType] = {}
_locks = [threading.RLock()]
if sys.platform != "win32":  # another thread may have held it, which is not there
    os.register_at_fork(after_in_child=lambda: _locks.__setitem__(0, threading.RLock()))

_HELD = (np.ndarray, np.generic, int, float, complex, tuple)  # what something recorded says it is
_LIBRARIES = frozenset({"numpy", "scipy", "cupy", "cupyx", "srcgrad", "dask", "_uarray", "uarray"})


def is_library(thing: Any) -> bool:
    """Tell whether a function or a class is Python's, srcgrad's or of a library of arrays."""
    if isinstance(thing, types.FunctionType) and thing.__code__.co_filename.startswith("<doctest"):
        return False  # an example, wherever it stands
    if is_stand_in(thing):
        return False
    name = home(thing)
    return name in _LIBRARIES or (name in sys.stdlib_module_names and name != "__main__")


def prepare(session: Session, fn: types.FunctionType) -> bool:
    """Let a function of the user's run rewritten code until the session ends.

    Returns:
        Whether it does; not where its source cannot be found.
    """
    code = fn.__code__
    if id(code) in CONVERTED and id(fn) not in _own:
        return True  # it was made by rewritten code
    number = id(fn)
    if number in session.swapped:
        return True
    with _locks[0]:
        own = _own.get(number, code)
        made = rewritten_code(own, fn.__globals__, fn.__qualname__)
        if made is None:
            return False
        _watch_names(session, fn, own)
        session.swapped[number] = weakref.ref(fn, functools.partial(_ended, session, number))
        _users[number] = _users.get(number, 0) + 1
        _own[number] = own
        fn.__code__ = made
    return True


def restore(session: Session) -> None:
    """Give the functions of a session their own code again."""
    with _locks[0]:
        for number, reference in list(session.swapped.items()):
            fn = reference()
            if fn is not None and number in session.swapped:
                own = _forget(session, number)
                if own is not None:
                    fn.__code__ = own


def _forget(session: Session, number: int) -> types.CodeType | None:
    """Forget a function of a session; return its own code where no other session needs it."""
    del session.swapped[number]
    _users[number] -= 1
    if _users[number]:
        return None
    del _users[number]
    return _own.pop(number)


def _ended(session: Session, number: int, reference: Any) -> None:
    """Forget a function that has ended, and of its cells those that hold nothing recorded.

    An object that is left in a cell may end with it, and is noted itself where something
    recorded was stored in it.
    """
    with _locks[0]:
        if session.swapped.get(number) is reference:
            _forget(session, number)
    for cell in session.cells.pop(number, ()):
        if _filled(cell) and (
            isinstance(cell.cell_contents, _HELD) or is_array(cell.cell_contents)
        ):
            session.cells[id(cell)] = (cell,)


def own_code(fn: types.FunctionType) -> types.CodeType:
    """Return the code that a function has outside of sessions."""
    return _own.get(id(fn), fn.__code__)


def _watch_names(session: Session, fn: types.FunctionType, code: types.CodeType) -> None:
    """Note the names outside of a function that it assigns to."""
    written = _written_names(code)
    if written:
        session.namespaces.append((fn.__globals__, written))
    if fn.__closure__ and code.co_freevars:
        session.cells[id(fn)] = fn.__closure__


@functools.lru_cache(maxsize=4096)
def _written_names(code: types.CodeType) -> frozenset[str]:
    found = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_GLOBAL"}
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return frozenset(found.union(*map(_written_names, inner)))


def prepare_all(session: Session, thing: Any, depth: int = 0) -> None:
    """Prepare the functions that can be called through a value: callbacks, methods, classes."""
    kind = type(thing)
    if kind is types.FunctionType:
        if id(thing) in session.swapped:
            return
        if not is_library(thing) or is_seen_through(thing):
            prepare(session, thing)
        elif depth < 3:  # a function of a library may call one of the user's: contextmanager
            inner = getattr(thing, "__wrapped__", None)
            parts = [cell.cell_contents for cell in thing.__closure__ or () if _filled(cell)]
            for part in [inner, *parts] if not thing.__module__.startswith("srcgrad") else []:
                if isinstance(part, types.FunctionType):
                    prepare_all(session, part, depth + 1)
    elif kind is types.MethodType:
        prepare_all(session, thing.__func__, depth)
        prepare_class(session, type(thing.__self__))
    elif kind is functools.partial:
        prepare_all(session, thing.func, depth)
    elif issubclass(kind, type):
        prepare_class(session, thing)
    elif kind in (list, tuple, dict) and depth < 3:
        for part in list(thing.values() if kind is dict else thing)[:64]:
            if type(part) not in _PLAIN:
                prepare_all(session, part, depth + 1)
    elif kind not in _PLAIN:
        prepare_class(session, kind)


_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def prepare_class(session: Session, cls: type) -> None:
    """Prepare the methods and properties of a class of the user's, and of its metaclass."""
    known = session.classes.get(cls)
    if known is not None and known[0] is cls.__mro__ and all(map(_is_the_same, known[1])):
        return
    metaclass: type = type(cls)
    parts = [part for part in (*cls.__mro__, *metaclass.__mro__) if not is_library(part)]
    held = [(part, [*vars(part).values()]) for part in parts]
    functions = [fn for _, values in held for value in values for fn in _functions_of(value)]
    for fn in functions:
        if isinstance(fn, types.FunctionType):
            prepare_all(session, fn)
    session.classes[cls] = cls.__mro__, held


def _is_the_same(held: tuple[type, list[Any]]) -> bool:
    """Tell whether a class holds what it held; the list keeps that, so that no identity is lent."""
    part, values = held
    return [*map(id, vars(part).values())] == [*map(id, values)]


def is_seen_through(thing: Any) -> bool:
    """Tell whether what a library does is Python that can be recorded as the user's is.

    What searches or iterates until it is near enough is not: its steps have other derivatives
    than what they lead to.
    """
    kind = type(thing)
    if kind is types.MethodType:
        return is_seen_through(thing.__func__)
    if kind is _DISPATCHED:
        return registry.refusal_of(thing) is None
    module = _module_of(thing)
    named = thing if issubclass(kind, type) else kind
    if not module.startswith(_SEEN_THROUGH) and named is not np.poly1d:
        return False
    if module.startswith(_SEARCHING):
        return False
    return kind is types.FunctionType or _is_of_python(named)


_SEEN_THROUGH = ("scipy.", "numpy.polynomial", "numpy.lib._polynomial_impl", "statistics")
_SEARCHING = ("scipy.optimize", "scipy.sparse", "scipy.odr")
_DISPATCHED = type(np.sum)


def _module_of(thing: Any) -> str:
    owner = thing if hasattr(thing, "__qualname__") else type(thing)
    return getattr(owner, "__module__", None) or ""


def _is_of_python(cls: type) -> bool:
    """Tell whether a class of a library was made by a class statement, and is none of arrays."""
    if issubclass(cls, np.ndarray | np.generic | BaseException | np.errstate):
        return False
    return isinstance(cls.__init__, types.FunctionType) or "__new__" in vars(cls)


def prepare_library(session: Session, thing: Any) -> bool:
    """Prepare a function or the methods of a class of a library.

    Returns:
        Whether all that was asked for runs rewritten code.
    """
    kind = type(thing)
    if kind is types.FunctionType:
        return prepare(session, thing)
    if kind is types.MethodType:
        owner = thing.__self__
        prepare_library(session, owner if isinstance(owner, type) else type(owner))
        return prepare(session, thing.__func__)
    if kind is _DISPATCHED:
        return prepare(session, thing._implementation)  # noqa: SLF001 - where NumPy keeps it
    cls = thing if issubclass(kind, type) else kind
    made = cls.__subclasses__() if "__new__" in vars(cls) else []  # which it may choose from
    for part in dict.fromkeys(part for each in (cls, *made) for part in each.__mro__):
        if is_seen_through(part):
            for value in list(vars(part).values()):
                for fn in _functions_of(value):
                    if isinstance(fn, types.FunctionType):
                        prepare(session, fn)
    return True


def _functions_of(value: Any) -> list[Any]:
    if isinstance(value, types.FunctionType):
        return [value]
    if isinstance(value, staticmethod | classmethod):
        return [value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, functools.cached_property | functools.partialmethod):
        return [value.func]
    return [getattr(value, "__wrapped__", None)]


def rewritten(fn: types.FunctionType) -> Any:
    """Return a function with rewritten code beside one that keeps its own: for formulas."""
    made = _copies.get(fn)
    if made is None:
        code = rewritten_code(own_code(fn), fn.__globals__, fn.__qualname__)
        made = _copies[fn] = _with_code(fn, code)
    return made


def of_some(
    rule: types.FunctionType,
    needed: tuple[int, ...] | None,
    nested: bool,
    left: frozenset[str] = frozenset(),
) -> Any:
    """Return a formula whose backward function gives some of the cotangents, and None for others.

    Args:
        rule: the formula.
        needed: the positions of the arguments that have cotangents; None for all.
        nested: whether its code is rewritten, so that it can itself be recorded.
        left: the options that it does not hand on to the functions of NumPy's that it calls.
    """
    made = _copies.get((rule, needed, nested, left))
    if made is None:
        code, found = own_code(rule), None
        node = tree_of(rule)
        if node is not None:
            pruned = copy.deepcopy(node)
            if needed is not None:
                pruned = of_some_arguments(pruned, needed)
            if left:
                pruned = without_options(pruned, left)
            pruned = Rewriter(rule.__globals__, None).visit(pruned) if nested else pruned
            found = compiled(pruned, code)
        if found is not None and found.co_freevars != code.co_freevars:
            found = None
        if found is None:
            made = rewritten(rule) if nested else rule
        else:
            made = _with_code(rule, _with_helpers(found) if nested else found)
        _copies[rule, needed, nested, left] = made
    return made


def tree_of(fn: types.FunctionType) -> Any:
    """Return the syntax tree of a function; None where its source cannot be found."""
    code = own_code(fn)
    nodes = functions_at(code, fn.__globals__)
    return next((n for n in nodes if is_same(compiled(copy.deepcopy(n), code), code)), None)


def _with_code(fn: types.FunctionType, code: types.CodeType | None) -> types.FunctionType:
    """Return a function with other code, in the same namespaces."""
    if code is None:
        return fn
    made = types.FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    return made


def rewritten_code(
    code: types.CodeType, names: dict[str, Any], qualname: str
) -> types.CodeType | None:
    """Return the code of a function, rewritten; None where its source cannot be found."""
    if id(code) in CONVERTED:
        return code
    found = _made.get(id(code))
    if found is None:
        found = _made[id(code)] = code, _rewrite(code, names, qualname)
    return found[1]


def _rewrite(code: types.CodeType, names: dict[str, Any], qualname: str) -> types.CodeType | None:
    cls = class_of(qualname)
    for node in functions_at(code, names):
        node = copy.deepcopy(node)
        if cls is not None:
            node = Mangler(cls).generic_visit(node)
        if not is_same(compiled(copy.deepcopy(node), code), code):
            continue
        new = compiled(Rewriter(names, None).visit(node), code)
        if new is not None and new.co_freevars == code.co_freevars:
            return _with_helpers(new)
    return code_of_code(code)


def unreadable(name: str) -> SourceNotFoundError:
    """Return the error for code that can be read neither as text nor as instructions.

    Args:
        name: that of the function.
    """
    version = ".".join(map(str, sys.version_info[:2]))
    return SourceNotFoundError(
        f"the source of {name} cannot be read, and its instructions are not known",
        why="It was made from text that is in no file, or its file has changed since, and "
        f"srcgrad does not know all instructions of its code, as Python {version} has them: "
        "what it does would not be seen.",
        fixes=["define it in a file"],
    )


def code_of_code(code: types.CodeType) -> types.CodeType | None:
    """Return the rewritten code of code without text; None where an instruction is not known."""
    made = instructions.rewritten(code, HELPERS)
    return None if made is None else _converted(made)


def _converted(code: types.CodeType) -> types.CodeType:
    """Note code, and that of functions in it, as rewritten."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            _converted(part)
    CONVERTED[id(code)] = code
    return code


def code_of_text(text: str | bytes, mode: str, flags: int = 0) -> Any:
    """Return the rewritten code of text that is executed or evaluated."""
    try:
        tree = ast.parse(text, mode=mode)
    except (SyntaxError, ValueError):
        return text  # whoever runs it says so
    tree = ast.fix_missing_locations(Rewriter({}, None).visit(tree))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _with_helpers(compile(tree, "<text>", mode, flags, dont_inherit=True))


def _with_helpers(code: types.CodeType) -> types.CodeType:
    """Return code in which functions stand for the constants that are meant for them."""
    consts = []
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            part = _with_helpers(part)
        elif isinstance(part, str) and part.startswith(MARK):
            part = HELPERS[part[len(MARK) :]]
        consts.append(part)
    made = code.replace(co_consts=tuple(consts))
    CONVERTED[id(made)] = made
    return made
