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

import abc
import contextlib
import enum
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from srcgrad import namespaces
from srcgrad.namespaces import MISSING

_IMMUTABLE = 1 << 8  # the flag of classes that nobody can change, those of C among them
_BOUND = (
    types.FunctionType,
    staticmethod,
    classmethod,
    property,
    functools.cached_property,
    types.DynamicClassAttribute,
    type,
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.BuiltinFunctionType),
)
_METHODS = (
    *(types.FunctionType, staticmethod, classmethod, types.BuiltinFunctionType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)
_FIXED = ("srcgrad", "numpy", "scipy", "cupy", "cupyx", "builtins", "math")
_PLAIN = (int, float, complex, np.generic, bytes)


class Facts:
    """What generated code relies on, to be tested when it is called.

    Attributes:
        tests: the test of each fact, by what was read: an expression with a place for each
            of the objects that it is about, and these objects.
        numbers: the numbers and arrays that were read.
        views: the dicts of the classes that were asked.
    """

    def __init__(self) -> None:
        self.tests: dict[Any, tuple[str, tuple[Any, ...]]] = {}
        self.numbers: dict[Any, Any] = {}
        self.views: dict[type, Any] = {}

    def add(self, text: str, *things: Any, same: Any = None) -> None:
        """Rely on what a test says.

        Args:
            text: an expression, in which ``{0}``, ``{1}`` stand for objects.
            *things: the objects.
            same: what tells the test apart from others of the same text about the first of
                the objects; by default the identities of all the others.
        """
        others = tuple(map(id, things[1:])) if same is None else same
        key = text, id(things[0]), others
        self.tests.setdefault(key, (text, things))

    def include(self, other: Facts) -> None:
        """Rely on what is relied on elsewhere, too."""
        self.tests |= other.tests
        self.numbers |= other.numbers

    def leave_out(self, other: Facts) -> None:
        """Rely no more on what is relied on elsewhere."""
        for key in other.tests:
            self.tests.pop(key, None)

    def value(self, read: str, owner: Any, value: Any, *, exactly: bool = False) -> None:
        """Rely on a value that was read.

        Args:
            read: the expression that reads it again, in which ``{0}`` stands for its owner.
            owner: what it was read from.
            value: the value.
            exactly: whether it goes into the code, although it is a number.
        """
        if not exactly and isinstance(value, _PLAIN) and not isinstance(value, bool):
            self.numbers[read, id(owner)] = value
            self.add(f"{read}.__class__ is {{1}}", owner, type(value))
        elif not exactly and type(value) is np.ndarray:
            self.numbers[read, id(owner)] = value
            self._array(read, owner, value)
        elif not exactly and _is_data(value):
            self.numbers[read, id(owner)] = value
            kind = kind_of(value)
            self.add(f"kind_of({read}) == {{1}}", owner, kind, same=kind)
        elif isinstance(value, str | int | float | tuple) and not isinstance(value, bool):
            self.add(f"(({{2}} := {read}) is {{1}} or same({{2}}, {{1}}))", owner, value, _LOCAL)
        else:
            self.add(f"{read} is {{1}}", owner, value)

    def _array(self, read: str, owner: Any, value: np.ndarray) -> None:
        ones = tuple(n == 1 for n in value.shape)
        shape = "1 not in {3}.shape" if True not in ones else "kind_of({3})[1] == {4}"
        self.add(
            f"(({{3}} := {read}).__class__ is {{1}} and {{3}}.ndim == {len(ones)} "
            f"and ({{3}}.dtype is {{2}} or {{3}}.dtype == {{2}}) and {shape})",
            *(owner, np.ndarray, value.dtype, _LOCAL, ones),
            same=(value.dtype, ones),
        )

    def contents(self, sequence: Any) -> None:
        """Rely on a list, tuple or dict holding these very objects."""
        held = contents_of(sequence)
        same = tuple(map(id, held))
        self.add("same_objects(contents_of({0}), {1})", sequence, held, same=same)

    def written(self, space: dict[str, Any]) -> list[str]:
        """Return the tests as expressions.

        Args:
            space: gets the objects that they name.
        """
        space |= _HELPERS
        out = []
        for k, (text, things) in enumerate(self.tests.values()):
            names = []
            for j, thing in enumerate(things):
                name = f"w{k}_{j}"
                names.append(name)
                if thing is not _LOCAL:
                    space[name] = thing
            out.append(text.format(*names))
        return out

    @functools.cached_property
    def hold(self) -> Callable[[], bool]:
        """The test whether everything relied on is still true; nothing may be added after it."""
        space: dict[str, Any] = {}
        return written_test((), self.written(space), space)


_LOCAL = object()  # the place of a name that a test gives a value itself
_current: ContextVar[Facts | None] = ContextVar("facts", default=None)


@contextlib.contextmanager
def recording(facts: Facts | None = None) -> Iterator[Facts]:
    """Record all facts that are read in the body of a ``with`` statement.

    Args:
        facts: what to add them to, a new record by default.

    Yields:
        The record.
    """
    facts = Facts() if facts is None else facts
    token = _current.set(facts)
    try:
        yield facts
    finally:
        _current.reset(token)


def written_test(
    parameters: Iterable[str], tests: list[str], space: dict[str, Any]
) -> Callable[..., bool]:
    """Write the function that makes some tests; where one cannot be made, it does not hold.

    Args:
        parameters: the names of its parameters.
        tests: expressions.
        space: the objects that they name.
    """
    text = (
        f"def holds({', '.join(parameters)}):\n"
        f"    try:\n"
        f"        return {' and '.join(tests) or 'True'}\n"
        f"    except Exception:\n"
        f"        return False\n"
    )
    exec(compile(text, "<facts>", "exec"), space)
    return space["holds"]


def rely_on(known: Facts) -> None:
    """Add what was recorded before to what is recorded now."""
    facts = _current.get()
    if facts is not None:
        facts.include(known)


def _note(read: str, owner: Any, value: Any, exactly: bool = False) -> None:
    facts = _current.get()
    if facts is not None:
        facts.value(read, owner, value, exactly=exactly)


def _add(text: str, *things: Any) -> None:
    facts = _current.get()
    if facts is not None:
        facts.add(text, *things)


def read_name(namespace: Any, name: str, *, exactly: bool = False) -> Any:
    """Read a global (a dict) or a free variable (a cell).

    Args:
        namespace: the dict, or the cell.
        name: the name.
        exactly: whether the value goes into the code, although it is a number.

    Returns:
        What it stands for, ``MISSING`` where it has no value.
    """
    value = namespaces.read_name(namespace, name)
    if not isinstance(namespace, dict):
        if value is MISSING:
            _add("read_name({0}, '') is MISSING", namespace)
        else:
            _note("{0}.cell_contents", namespace, value, exactly)
    elif not _is_fixed(namespace.get("__name__")):
        _entry("{0}", namespace, namespace, name, exactly)
    return value


def read_contents(sequence: Any) -> tuple[Any, ...]:
    """Read what a list, tuple or dict holds."""
    facts = _current.get()
    if facts is not None:
        facts.contents(sequence)
    return contents_of(sequence)


def _entry(read: str, owner: Any, held: Any, name: str, exactly: bool = False) -> Any:
    """Read an entry of a dict; ``read`` is the expression of the dict."""
    if name not in held:
        _add(f"{name!r} not in {read}", owner)
        return MISSING
    value = held[name]
    _note(f"{read}[{name!r}]", owner, value, exactly)
    return value


def class_of(thing: Any) -> type:
    """Read the class of an object."""
    cls = type(thing)
    if not cls.__flags__ & _IMMUTABLE:
        _add("{0}.__class__ is {1}", thing, thing.__class__)
    return cls


def in_class(cls: type, name: str, *, behind: type | None = None) -> Any:
    """Read what a class, or one that it is derived from, holds under a name.

    Args:
        cls: the class.
        name: the name.
        behind: the class behind which to look, as ``super`` does.

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
        found = _entry("{0}", _view_of(each), held, name)
        if found is not MISSING:
            return found
    return MISSING


def _view_of(cls: type) -> Any:
    """The view of the dict of a class, in one record one and the same each time."""
    facts = _current.get()
    return None if facts is None else facts.views.setdefault(cls, cls.__dict__)


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


def attribute(owner: Any, name: str) -> Any:
    """Read an attribute, as ``getattr`` does.

    Args:
        owner: a module, a class, or an object.
        name: the attribute.

    Returns:
        Its value, ``MISSING`` where there is none.
    """
    value = getattr(owner, name, MISSING)
    if _current.get() is None:
        return value
    if isinstance(owner, super):
        in_class(owner.__self_class__, name, behind=owner.__thisclass__)
        return value
    found = static(owner, name)
    if isinstance(owner, types.ModuleType):
        if found is MISSING and value is not MISSING and not _is_fixed(owner.__name__):
            _note(f"attribute_now({{0}}, {name!r})", owner, value)
    elif not _is_told(owner, name, found, value):
        _note(f"attribute_now({{0}}, {name!r})", owner, value)
    return value


def _is_told(owner: Any, name: str, found: Any, value: Any) -> bool:
    """Whether what the dicts hold under a name says what the attribute is."""
    if isinstance(owner, type):
        known = type(owner) in (type, abc.ABCMeta, enum.EnumMeta)
        return known and found is not MISSING and (isinstance(found, _BOUND) or _is_inert(found))
    cls = type(owner)
    if not isinstance(cls.__getattribute__, types.WrapperDescriptorType):
        return False
    if found is MISSING:
        return value is MISSING and not hasattr(cls, "__getattr__")
    if found is value:  # what is in the object, or a constant of its class
        return True
    return isinstance(found, _METHODS)


def _is_inert(found: Any) -> bool:
    return not hasattr(type(found), "__get__")


def code(function: types.FunctionType) -> types.CodeType:
    """Read the code of a function."""
    if not _is_fixed(function.__module__):
        _add("{0}.__code__ is {1}", function, function.__code__)
    return function.__code__


def defaults(function: types.FunctionType) -> None:
    """Rely on the defaults of a function."""
    if _is_fixed(function.__module__):
        return
    _add("{0}.__defaults__ is {1}", function, function.__defaults__)
    own = function.__kwdefaults__
    if own is not None:
        _add("{0}.__kwdefaults__ is {1}", function, own)
        read_contents(own)
    elif function.__code__.co_kwonlyargcount:
        _add("{0}.__kwdefaults__ is None", function)


def signature(function: Any) -> inspect.Signature:
    """Read the parameters of a function, and their defaults.

    Args:
        function: any callable.

    Raises:
        TypeError: when it is none.
        ValueError: when it does not tell them.
    """
    if _is_fixed(getattr(function, "__module__", None)) or not isinstance(function, _TOLD):
        return _fixed_signature(function)
    for each in _behind(function):
        if isinstance(each, types.FunctionType):
            code(each)
            defaults(each)
    return inspect.signature(function)


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
        elif isinstance(function, types.FunctionType):
            function = function.__dict__.get("__wrapped__")
        else:
            function = None
    return seen


def parts_of_partial(partial: functools.partial[Any]) -> tuple[Any, ...]:
    """Read the function of a partial, and what it binds: (function, arguments, keywords)."""
    for name in ("func", "args", "keywords"):
        _add(f"{{0}}.{name} is {{1}}", partial, getattr(partial, name))
    read_contents(partial.keywords)
    return partial.func, partial.args, partial.keywords


def _is_fixed(module: Any) -> bool:
    """Whether a module is srcgrad's, or one of the libraries that it has formulas for."""
    return isinstance(module, str) and module.partition(".")[0] in _FIXED


def attribute_now(owner: Any, name: str) -> Any:
    """Read an attribute without recording it; ``MISSING`` where there is none."""
    try:
        return getattr(owner, name, MISSING)
    except Exception:  # noqa: BLE001 - what a property raises is raised by the code that reads it
        return MISSING


def _is_data(value: Any, depth: int = 3) -> bool:
    """Whether a value is an array or a number, or a plain container of nothing else."""
    if isinstance(value, bool) or value is None or isinstance(value, type | types.ModuleType):
        return False
    if isinstance(value, _PLAIN) or _shape(value) is not None:
        return True
    if type(value) in (list, tuple, set, dict) and depth:
        parts = list(value.values() if type(value) is dict else value)[:64]
        return all(isinstance(p, str | None | bool) or _is_data(p, depth - 1) for p in parts)
    return False


def _shape(value: Any) -> Any:
    shape = getattr(value, "shape", None)
    return shape if isinstance(shape, tuple) else None


def contents_of(sequence: Any) -> tuple[Any, ...]:
    """What a list or tuple holds; of a dict, its keys and values."""
    if isinstance(sequence, dict):
        return (*sequence, *sequence.values())
    return tuple(sequence)


def same_objects(these: tuple[Any, ...], those: tuple[Any, ...]) -> bool:
    """Whether two tuples hold the same objects; equal strings and numbers are the same."""
    return len(these) == len(those) and all(map(same, these, those))


def same(p: Any, q: Any) -> bool:
    """Whether two values are one object, or equal strings, numbers or tuples of such."""
    if p is q:
        return True
    if type(p) is not type(q):
        return False
    if type(p) is tuple:
        return same_objects(p, q)
    return isinstance(p, str | int | float) and p == q


def kind_of(value: Any) -> tuple[Any, ...]:
    """Describe a value as far as generated code that reads it again depends on it."""
    shape = _shape(value)
    if shape is not None:
        return type(value), tuple(n == 1 for n in shape), getattr(value, "dtype", None)
    return (type(value),)


_HELPERS = {
    "MISSING": MISSING,
    "attribute_now": attribute_now,
    "contents_of": contents_of,
    "kind_of": kind_of,
    "read_name": namespaces.read_name,
    "same": same,
    "same_objects": same_objects,
}
