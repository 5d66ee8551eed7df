"""Read the state of the user's program, and record what was read.

The generator asks the living program: what a name or an attribute stands for, which function
a class has under a name, the code of a function and its defaults. Each answer is a fact that
may be another one at the next call. All such questions are asked here, and each answer is
recorded, with a test that the guard of the generated code makes at each call:

- functions, classes, modules, objects, texts, truth values and None have to be the same;
- numbers, arrays and plain containers of them are read again by the generated text, so that
  only their kind has to be: the class, the number of axes, which axes have length 1, the dtype.

The names of Python itself, and what is inside of srcgrad, are taken to stay as they are.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

from srcgrad.errors import CompileError
from srcgrad.library.libraries import is_installed, module_of
from srcgrad.program import compiled_functions, namespaces
from srcgrad.program.foreign import holds_foreign
from srcgrad.program.guards import Facts, contents_of
from srcgrad.program.namespaces import MISSING


def own_parameters(function: Any) -> list[inspect.Parameter]:
    """Return the parameters, with their defaults, that a call of a function is matched to.

    ``inspect.signature`` gives those of ``__wrapped__`` or ``__signature__`` where a
    decorator has set them, and a call knows neither.
    """
    if isinstance(function, functools.partial):
        function = functools.partial(_bare(function.func), *function.args, **function.keywords)
    return list(inspect.signature(_bare(function)).parameters.values())


def _bare(function: Any) -> Any:
    """The same code under a function that has no attributes."""
    if isinstance(function, types.MethodType):
        return types.MethodType(_bare(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        return function
    attributes = vars(function)
    if "__wrapped__" not in attributes and "__signature__" not in attributes:
        return function
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__annotations__ = function.__annotations__
    return made


_IMMUTABLE = 1 << 8  # the flag of classes that nobody can change, those of C among them
_METHODS = (
    *(types.FunctionType, staticmethod, classmethod, types.BuiltinFunctionType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}
COMPUTED = object()  # what is only known when code of the user's runs
_FIXED = ("srcgrad", "numpy", "scipy", "cupy", "cupyx", "builtins", "math")


_current: ContextVar[Facts | None] = ContextVar("facts", default=None)


@contextlib.contextmanager
def recording(facts: Facts | None = None) -> Iterator[Facts]:
    """Record all facts that are read in the body of a ``with`` statement.

    Yields:
        The record.
    """
    facts = Facts() if facts is None else facts
    token = _current.set(facts)
    try:
        yield facts
    finally:
        _current.reset(token)


def rely_on(known: Facts) -> None:
    """Add what was recorded before to what is recorded now."""
    facts = _current.get()
    if facts is not None:
        facts.include(known)


def _note(
    read: str, owner: Any, value: Any, exactly: bool, name: str, of_object: bool = True
) -> None:
    """Note what was read under a name, of an object (or class) or of a module (or cell)."""
    facts = _current.get()
    if facts is None or not facts.value(read, owner, value, exactly=exactly):
        return
    if not of_object:
        facts.names.add(name)
    elif _is_data_descriptor(value):  # what is assigned to an object is handed to it
        facts.descriptors.add(name)
    else:
        facts.attributes.add(name)


def _add(text: str, *things: Any) -> None:
    facts = _current.get()
    if facts is not None:
        facts.add(text, *things)


def read_name(namespace: Any, name: str, *, exactly: bool = False) -> Any:
    """Read a global (a dict) or a free variable (a cell).

    Returns:
        What it stands for, ``MISSING`` where it has no value.
    """
    value = namespaces.read_name(namespace, name)
    if not isinstance(namespace, dict):
        if is_made(value):
            return value
        if value is MISSING:
            _add("read_name({0}, '') is MISSING", namespace)
        else:
            _note("{0}.cell_contents", namespace, value, exactly, name, of_object=False)
    elif not is_fixed(namespace.get("__name__")):
        _entry("{0}", namespace, namespace, name, exactly)
    return value


def read_contents(sequence: Any) -> tuple[Any, ...]:
    """Read what a list, tuple or dict holds."""
    facts = _current.get()
    if facts is not None:
        facts.contents(sequence)
    return contents_of(sequence)


def entry(table: Any, key: Any) -> Any:
    """Read what a list, tuple or dict holds under a key; ``MISSING`` where there is no such key."""
    if isinstance(table, dict):
        return _entry("{0}", table, table, key)
    _note(f"{{0}}[{key!r}]", table, table[key], False, "", of_object=False)
    return table[key]


def holds(thing: Any, describe: Callable[[Any], Any], kind: Any) -> None:
    """Rely on what a list or tuple holds being of a kind, as a function describes it."""
    _add("{1}({0}) == {2}", thing, describe, kind)


def attribute_holds(owner: Any, name: str, describe: Callable[[Any], Any], kind: Any) -> None:
    """Rely on the list that an attribute is holding what is of a kind."""
    _add(f"{{1}}(attribute_now({{0}}, {name!r})) == {{2}}", owner, describe, kind)


def plain(thing: Any) -> None:
    """Rely on a list, a dict or an object holding no arrays of foreign classes, if it does not."""
    if not holds_foreign(thing):
        _add("not holds_foreign({0})", thing)


def _entry(read: str, owner: Any, held: Any, name: str, exactly: bool = False) -> Any:
    """Read an entry of a dict; ``read`` is the expression of the dict."""
    if name not in held:
        _add(f"{name!r} not in {read}", owner)
        return MISSING
    value = held[name]
    _note(f"{read}[{name!r}]", owner, value, exactly, name, of_object=held is not owner)
    return value


def class_of(thing: Any) -> type:
    """Read the class of an object."""
    cls = type(thing)
    if not cls.__flags__ & _IMMUTABLE:
        _add("{0}.__class__ is {1}", thing, thing.__class__)
    return cls


def in_class(cls: type, name: str, *, behind: type | None = None, exactly: bool = False) -> Any:
    """Read what a class, or one that it is derived from, holds under a name.

    Returns:
        What is in its dict, ``MISSING`` where there is nothing.
    """
    order = mro(cls)
    for each in order[0 if behind is None else order.index(behind) + 1 :]:
        held = each.__dict__
        if each.__flags__ & _IMMUTABLE:
            if name in held:
                return held[name]
            continue
        found = _entry("{0}", _view_of(each), held, name, exactly)
        if found is not MISSING:
            facts = _current.get()
            if facts is not None:
                facts.found[each, name] = found
            return found
    return MISSING


def held_by_class(cls: type) -> Any:
    """Read what a class holds itself, and rely on nothing being added to it."""
    held = cls.__dict__
    if not cls.__flags__ & _IMMUTABLE:
        _add(f"len({{0}}) == {len(held)}", _view_of(cls))
    return held


def _view_of(cls: type) -> Any:
    """The view of the dict of a class, in one record one and the same each time."""
    facts = _current.get()
    return None if facts is None else facts.view_of(cls, cls.__dict__)


def mro(cls: type) -> tuple[type, ...]:
    """Read the classes that a class looks for its attributes in."""
    order = cls.__mro__
    if not cls.__flags__ & _IMMUTABLE:
        _add("{0}.__mro__ is {1}", cls, order)
    return order


def static(thing: Any, name: str) -> Any:
    """Read what an object or a class holds under a name, without calling anything.

    Returns:
        What is there: a function, say, where an attribute would be a bound method;
        ``MISSING`` where there is nothing.
    """
    if isinstance(thing, types.ModuleType):
        return _entry("{0}", thing.__dict__, thing.__dict__, name)
    if isinstance(thing, type):
        return in_class(thing, name)
    found = in_class(class_of(thing), name)
    if found is MISSING or not _is_data_descriptor(found):
        own = _own(thing, name)
        return found if own is MISSING else own
    return found


def _own(thing: Any, name: str) -> Any:
    """Read the attribute that is in an object itself."""
    held = getattr(thing, "__dict__", None)
    if not isinstance(held, dict):
        return MISSING
    return _entry("{0}.__dict__", thing, held, name)


def _is_data_descriptor(found: Any) -> bool:
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def attribute(owner: Any, name: str, *, exactly: bool = False) -> Any:
    """Read an attribute, as ``getattr`` does, if that runs no code of the user's.

    Returns:
        Its value; ``MISSING`` where there is none, ``COMPUTED`` where a property, another
        descriptor or ``__getattr__`` of the user's gives it, which may be another one each time.
    """
    if _current.get() is None:
        return getattr(owner, name, MISSING)
    if isinstance(owner, super):
        start: Any = owner
        in_class(start.__self_class__, name, behind=start.__thisclass__)
        return getattr(owner, name, MISSING)
    found = static(owner, name)
    if _is_computed(owner, found):
        return COMPUTED
    value = getattr(owner, name, MISSING)
    if exactly or not (_is_told(owner, found, value) or _is_fixed_module(owner)):
        of_object = not isinstance(owner, types.ModuleType)
        _note(f"attribute_now({{0}}, {name!r})", owner, value, exactly, name, of_object)
    return value


def _is_computed(owner: Any, found: Any) -> bool:
    """Whether code of the user's gives the value of an attribute."""
    if isinstance(owner, types.ModuleType):
        getter = static(owner, "__getattr__") if found is MISSING else MISSING
        return getter is not MISSING and not is_installed(getter)
    cls = type(owner)
    if not isinstance(cls.__getattribute__, types.WrapperDescriptorType):
        return not _is_installed(cls)
    if found is MISSING:
        return hasattr(cls, "__getattr__") and not _is_installed(cls)
    kind = type(found)
    if _is_installed(cls) and not isinstance(owner, type):
        return False
    if isinstance(owner, type) and isinstance(found, property):
        return False  # which is what the class has
    return hasattr(kind, "__get__") and not (isinstance(found, _METHODS) or _is_of_python(kind))


def _is_of_python(kind: type) -> bool:
    """Whether a descriptor is one of the language or of a library, but no property."""
    return _is_installed(kind) and not issubclass(kind, property)


def _is_installed(cls: type) -> bool:
    return is_fixed(cls.__module__) or cls.__module__.partition(".")[0] in _STANDARD


def _is_fixed_module(owner: Any) -> bool:
    return isinstance(owner, types.ModuleType) and is_fixed(owner.__name__)


def _is_told(owner: Any, found: Any, value: Any) -> bool:
    """Whether what the dicts hold under a name says what the attribute is."""
    if found is value:  # what is in the object, or a constant of its class
        return True
    if type(found).__module__.startswith("_cython"):  # a method written in Cython
        return True
    return isinstance(found, _METHODS) or (isinstance(owner, type) and _is_member(found))


def _is_member(found: Any) -> bool:
    """Whether what an enum has under a name stands for one of its members."""
    return type(found).__module__ == "enum"


def code(function: types.FunctionType) -> types.CodeType:
    """Read the code of a function."""
    if not (is_fixed(module_of(function)) or is_made(function)):
        _add("{0}.__code__ is {1}", function, function.__code__)
    return function.__code__


def python_of(function: Any) -> Any:
    """Return the Python function that a compiled one was made from, or what is given.

    Raises:
        CompileError: where the compiled one holds a value for constant that has changed.
    """
    plain = compiled_functions.python_of(function)
    if plain is not function:
        name = compiled_functions.outdated(function)
        if name is not None:
            raise CompileError(
                f"{plain.__name__} was compiled when {name!r} had another value",
                why="It computes with the old value, and its text says the new one.",
                fixes=[f"call {plain.__name__}.recompile()", f"pass {name!r} as an argument"],
            )
        _add("is_current({0})", function)
    return plain


def defaults(function: types.FunctionType) -> None:
    """Rely on the defaults of a function."""
    if is_fixed(module_of(function)) or is_made(function):
        return
    _add("{0}.__defaults__ is {1}", function, function.__defaults__)
    own = function.__kwdefaults__
    if own is not None:
        _add("{0}.__kwdefaults__ is {1}", function, own)
        read_contents(own)
    elif function.__code__.co_kwonlyargcount:
        _add("{0}.__kwdefaults__ is None", function)


def signature(function: Any) -> inspect.Signature:
    """Read the parameters of a function, and their defaults."""
    if is_fixed(module_of(function)) or not isinstance(function, _TOLD):
        return _fixed_signature(function)
    for each in _behind(function):
        if isinstance(each, types.FunctionType):
            code(each)
            defaults(each)
    return inspect.Signature(own_parameters(function))


_TOLD = (types.FunctionType, types.MethodType, functools.partial, type)
_fixed_signature = functools.lru_cache(maxsize=4096)(inspect.signature)


def _behind(function: Any) -> Iterable[Any]:
    """A callable, and those that it is put around of."""
    seen: list[Any] = []
    while function is not None and not any(function is s for s in seen):
        seen.append(function)
        if isinstance(function, types.MethodType):
            function = function.__func__
        elif isinstance(function, functools.partial):
            parts_of_partial(function)
            function = function.func
        elif isinstance(function, type):
            for name in ("__new__", "__init__"):
                made = in_class(function, name)
                seen += [made] if isinstance(made, types.FunctionType) else []
            function = None
        else:
            function = None
    return seen


def parts_of_partial(partial: functools.partial[Any]) -> tuple[Any, ...]:
    """Read the function of a partial, and what it binds: (function, arguments, keywords)."""
    for name in ("func", "args", "keywords"):
        _add(f"{{0}}.{name} is {{1}}", partial, getattr(partial, name))
    read_contents(partial.keywords)
    return partial.func, partial.args, partial.keywords


def is_made(thing: Any) -> bool:
    """Whether something is a function that srcgrad has generated, which nobody changes."""
    return type(thing) is types.FunctionType and hasattr(thing, "__srcgrad_generated__")


def is_fixed(module: Any) -> bool:
    """Whether a module is srcgrad's, or one of the libraries that it has formulas for."""
    return isinstance(module, str) and module.partition(".")[0] in _FIXED
