"""Test at a call whether what generated code relies on is still true."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from srcgrad.late import ComputedOnce
from srcgrad.library.attributes import plainly
from srcgrad.program import namespaces
from srcgrad.program.compiled_functions import is_current
from srcgrad.program.foreign import holds_foreign
from srcgrad.program.namespaces import MISSING

_PLAIN = (int, float, complex, np.generic, bytes)
_NO_DATA = (bool, type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)
LOCAL = object()  # the place of a name that a test gives a value itself


class Facts:
    """What generated code relies on, to be tested when it is called.

    Attributes:
        tests: the test of each fact, by what was read: an expression with a place for each
            of the objects that it is about, and these objects.
        numbers: the numbers and arrays that were read.
        views: the dicts of the classes that were asked.
        classes: these and those of other records that this one has taken in, by the identity
            of the dict: the dict and its class.
        found: what was found in classes, by class and name.
        names: those of globals, and of what functions capture, that the code depends on.
        attributes: those of objects and classes, but for
        descriptors: those that a class makes and takes by itself, as properties and slots.
    """

    def __init__(self) -> None:
        self.tests: dict[Any, tuple[str, tuple[Any, ...]]] = {}
        self.numbers: dict[Any, Any] = {}
        self.views: dict[type, Any] = {}
        self.found: dict[tuple[type, str], Any] = {}
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.descriptors: set[str] = set()
        self.classes: dict[int, tuple[Any, type]] = {}

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
        self.found |= other.found
        self.names |= other.names
        self.attributes |= other.attributes
        self.descriptors |= other.descriptors
        self.classes |= other.classes

    def leave_out(self, other: Facts) -> None:
        """Rely no more on what is relied on elsewhere."""
        for key in other.tests:
            self.tests.pop(key, None)

    def view_of(self, cls: type, view: Any) -> Any:
        """Return the view of the dict of a class, the one that was first given each time."""
        if cls not in self.views:
            self.views[cls] = view
            self.classes[id(view)] = view, cls
        return self.views[cls]

    def value(self, read: str, owner: Any, value: Any, *, exactly: bool = False) -> bool:
        """Rely on a value that was read; return whether on more than its kind."""
        if not exactly and isinstance(value, _PLAIN) and not isinstance(value, bool):
            self.numbers[read, id(owner)] = value
            self.add(f"{read}.__class__ is {{1}}", owner, type(value))
            return False
        if not exactly and type(value) is np.ndarray:
            self.numbers[read, id(owner)] = value
            self._array(read, owner, value)
            return False
        if not exactly and _is_data(value):
            self.numbers[read, id(owner)] = value
            kind = kind_of(value)
            self.add(f"kind_of({read}) == {{1}}", owner, kind, same=kind)
            return False
        if isinstance(value, str | int | float | tuple) and not isinstance(value, bool):
            self.add(f"(({{2}} := {read}) is {{1}} or same({{2}}, {{1}}))", owner, value, LOCAL)
        else:
            self.add(f"{read} is {{1}}", owner, value)
        return True

    def _array(self, read: str, owner: Any, value: np.ndarray) -> None:
        ones = tuple(n == 1 for n in value.shape)
        shape = "1 not in {3}.shape" if True not in ones else "kind_of({3})[1] == {4}"
        self.add(
            f"(({{3}} := {read}).__class__ is {{1}} and {{3}}.ndim == {len(ones)} "
            f"and ({{3}}.dtype is {{2}} or {{3}}.dtype == {{2}}) and {shape})",
            *(owner, np.ndarray, value.dtype, LOCAL, ones),
            same=(value.dtype, ones),
        )

    def contents(self, sequence: Any) -> None:
        """Rely on a list, tuple or dict holding these very objects."""
        held = contents_of(sequence)
        same = tuple(map(id, held))
        self.add("same_objects(contents_of({0}), {1})", sequence, held, same=same)

    def about(self, others: dict[int, Any]) -> Facts:
        """Return the same tests about other objects.

        ``others``: what takes the place of objects, by their identities.
        """
        made = Facts()
        for key, (text, things) in self.tests.items():
            made.tests[key] = text, tuple(others.get(id(thing), thing) for thing in things)
        return made

    def written(self, space: dict[str, Any]) -> list[str]:
        """Return the tests as expressions."""
        assert all(space.get(name, thing) is thing for name, thing in _HELPERS.items())
        space |= _HELPERS
        out = []
        for k, (text, things) in enumerate(self.tests.values()):
            names = []
            for j, thing in enumerate(things):
                name = f"w{k}_{j}"
                names.append(name)
                if thing is not LOCAL:
                    space[name] = thing
            out.append(text.format(*names))
        return out

    @ComputedOnce
    def hold(self) -> Callable[[], bool]:
        """The test whether everything relied on is still true; nothing may be added after it."""
        space: dict[str, Any] = {}
        return written_test((), self.written(space), space)


class ArgumentTests(NamedTuple):
    """The tests whether arguments fit generated code.

    Attributes:
        parameters: the names that the tests have for the arguments.
        tests: expressions.
        space: the objects that they name.
    """

    parameters: list[str]
    tests: list[str]
    space: dict[str, Any]

    def guard(self, facts: Facts) -> Callable[..., bool]:
        """Make the test whether a call fits.

        ``facts``: what was read of the state of the program.
        """
        space = dict(self.space)
        return written_test(self.parameters, [*self.tests, *facts.written(space)], space)


def written_test(
    parameters: Iterable[str], tests: list[str], space: dict[str, Any]
) -> Callable[..., bool]:
    """Write the function that makes some tests; where one cannot be made, it does not hold."""
    text = (
        f"def holds({', '.join(parameters)}):\n"
        f"    try:\n"
        f"        return {' and '.join(tests) or 'True'}\n"
        f"    except Exception:\n"
        f"        return False\n"
    )
    space["__name__"] = __name__
    exec(compile(text, "<facts>", "exec"), space)
    return space["holds"]


def attribute_now(owner: Any, name: str) -> Any:
    """Read an attribute without recording it; ``MISSING`` where there is none."""
    try:
        return getattr(owner, name, MISSING)
    except Exception:  # noqa: BLE001 - what a property raises is raised by the code that reads it
        return MISSING


def _is_data(value: Any, depth: int = 3) -> bool:
    """Whether a value is an array or a number, or a plain container of nothing else."""
    if isinstance(value, _NO_DATA) or value is None:
        return False
    if isinstance(value, _PLAIN) or _shape(value) is not None:
        return True
    if type(value) in (list, tuple, set, dict) and depth:
        parts = list(value.values() if type(value) is dict else value)[:64]
        return all(isinstance(p, str | None | bool) or _is_data(p, depth - 1) for p in parts)
    return False


def _shape(value: Any) -> Any:
    shape = plainly(value, "shape")
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
        return type(value), tuple(n == 1 for n in shape), plainly(value, "dtype")
    return (type(value),)


_HELPERS = {
    "MISSING": MISSING,
    "attribute_now": attribute_now,
    "contents_of": contents_of,
    "holds_foreign": holds_foreign,
    "is_current": is_current,
    "kind_of": kind_of,
    "read_name": namespaces.read_name,
    "same": same,
    "same_objects": same_objects,
}
