"""The patterns of ``match`` statements as tests of their subject, and what they bind.

The tests say what Python's reference says of patterns: a sequence is an instance of
``collections.abc.Sequence`` that is no text, a mapping is one of ``Mapping``, and what
a class pattern tests by position is in ``__match_args__``.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import local_names
from srcgrad.frontend.text.source import Source
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
_TEXTS = ("str", "bytes", "bytearray")


class Unsupported(Exception):
    """A pattern that is no test of values.

    Args:
        node: the pattern.
        what: what is not supported.
    """

    def __init__(self, node: Any, what: str) -> None:
        super().__init__()
        self.node, self.what = node, what


def is_tuple(subject: Any) -> bool:
    """Whether an expression is a tuple, whatever its names stand for."""
    if isinstance(subject, cst.Attribute):
        return subject.attr.value == "shape"
    return isinstance(subject, cst.Tuple) and not any(
        isinstance(e, cst.StarredElement) for e in subject.elements
    )


class Pattern:
    """One pattern: the test that it stands for, and what it binds.

    Args:
        source: the function, which learns the names of classes that its text does not name.
        whole: whether the subject is known to be a tuple.

    Attributes:
        bound: the expressions that its names are bound to.
    """

    def __init__(self, source: Source, whole: bool) -> None:
        self.source, self.whole = source, whole
        self.bound: dict[str, Any] = {}

    def test(self, pattern: Any, subject: Any) -> Any:
        """Return the test that a pattern stands for, None where it always holds."""
        if isinstance(pattern, cst.MatchValue):
            return _compare(subject, cst.Equal(), pattern.value)
        if isinstance(pattern, cst.MatchSingleton):
            return _compare(subject, cst.Is(), pattern.value)
        if isinstance(pattern, cst.MatchOr):
            return self._one_of(pattern, subject)
        if isinstance(pattern, cst.MatchAs):
            test = None
            if pattern.pattern is not None:
                test = self.test(pattern.pattern, subject)
            if pattern.name is not None:
                self.bound[pattern.name.value] = subject
            return test
        if isinstance(pattern, cst.MatchSequence):
            return self._sequence(pattern, subject)
        if isinstance(pattern, cst.MatchMapping):
            return self._mapping(pattern, subject)
        if isinstance(pattern, cst.MatchClass):
            return self._class(pattern, subject)
        raise Unsupported(pattern, "a pattern of this kind")

    def _inner(self, pattern: Any, subject: Any) -> Any:
        whole, self.whole = self.whole, False
        try:
            return self.test(pattern, subject)
        finally:
            self.whole = whole

    def _one_of(self, pattern: cst.MatchOr, subject: Any) -> Any:
        """``a | b``: a name is bound by the first one that fits."""
        tests, bindings = [], []
        for part in pattern.patterns:
            outer, self.bound = self.bound, {}
            tests.append(self.test(part.pattern, subject))
            bindings.append(self.bound)
            self.bound = outer
        for name in bindings[-1]:
            value = bindings[-1][name].deep_clone()
            for test, binding in reversed(list(zip(tests[:-1], bindings[:-1], strict=True))):
                if test is None:
                    value = binding[name].deep_clone()
                    continue
                value = cst.IfExp(
                    test.deep_clone(), binding[name].deep_clone(), value, lpar=_OPEN, rpar=_CLOSE
                )
            self.bound[name] = value
        if None in tests:
            return None
        made = tests[0]
        for test in tests[1:]:
            made = cst.BooleanOperation(made, cst.Or(), test)
        return in_brackets(made) if len(tests) > 1 else made

    def _sequence(self, pattern: Any, subject: Any) -> Any:
        parts = pattern.patterns
        stars = [k for k, part in enumerate(parts) if isinstance(part, cst.MatchStar)]
        length = _call("len", subject)
        count = cst.Integer(str(len(parts) - len(stars)))
        fits = _compare(length, cst.GreaterThanEqual() if stars else cst.Equal(), count)
        test = fits if self.whole else both(self._is_sequence(subject), fits)
        for k, part in enumerate(parts):
            if stars and k == stars[0]:
                if part.name is not None:
                    upper = k + 1 - len(parts)
                    self.bound[part.name.value] = _rest(subject, k, upper)
                continue
            place = k - len(parts) if stars and k > stars[0] else k
            inner = self._inner(part.value, _item(subject, cst.parse_expression(str(place))))
            test = test if inner is None else both(test, inner)
        return test

    def _is_sequence(self, subject: Any) -> Any:
        named = _call("isinstance", subject, cst.Name(self.name_of(Sequence)))
        texts = cst.parse_expression(f"({', '.join(_TEXTS)})")
        return both(named, cst.UnaryOperation(cst.Not(), _call("isinstance", subject, texts)))

    def _mapping(self, pattern: cst.MatchMapping, subject: Any) -> Any:
        test: Any = _call("isinstance", subject, cst.Name(self.name_of(Mapping)))
        for element in pattern.elements:
            test = both(test, _compare(element.key, cst.In(), subject))
        for element in pattern.elements:
            inner = self._inner(element.pattern, _item(subject, element.key.deep_clone()))
            test = test if inner is None else both(test, inner)
        if pattern.rest is not None:
            text = cst.Module([]).code_for_node
            keys = "".join(f"{text(e.key)}, " for e in pattern.elements)
            own = f"{{k: v for k, v in {text(subject)}.items() if k not in ({keys})}}"
            self.bound[pattern.rest.value] = cst.parse_expression(own)
        return test

    def _class(self, pattern: cst.MatchClass, subject: Any) -> Any:
        cls = self._read(pattern.cls)
        if not isinstance(cls, type):
            raise Unsupported(pattern, "a pattern of a class that is not known before it runs")
        test: Any = _call("isinstance", subject, pattern.cls)
        given = [part.value for part in pattern.patterns]
        if cls in _ITSELF and len(given) == 1:
            inner = self._inner(given[0], subject)
            return test if inner is None else both(test, inner)
        held = facts.in_class(cls, "__match_args__", exactly=True)
        names = [] if held is MISSING else list(held)
        if len(given) > len(names):
            raise Unsupported(pattern, "a pattern with more parts than the class names")
        rows = list(zip(names, given, strict=False))
        rows += [(part.key.value, part.pattern) for part in pattern.kwds]
        for name, _ in rows:
            if name not in _fields(cls):
                key = cst.SimpleString(f'"{name}"')
                test = both(test, _call("hasattr", subject, key))
        for name, part in rows:
            inner = self._inner(part, cst.Attribute(subject.deep_clone(), cst.Name(name)))
            test = test if inner is None else both(test, inner)
        return test

    def _read(self, node: Any) -> Any:
        """What a dotted name outside of the function stands for."""
        if isinstance(node, cst.Attribute):
            owner = self._read(node.value)
            found = facts.attribute(owner, node.attr.value)
            return MISSING if found is facts.COMPUTED else found
        if not isinstance(node, cst.Name) or node.value in local_names(self.source.tree):
            return MISSING
        space = self.source.cells.get(node.value, self.source.globals)
        return facts.read_name(space, node.value)

    def name_of(self, cls: type) -> str:
        """A name under which the function finds a class."""
        label = cls.__name__
        taken = self.source.taken()
        while label in taken and self._read(cst.Name(label)) is not cls:
            label += "_"
        if self._read(cst.Name(label)) is not cls:
            self.source.cells[label] = types.CellType(cls)
        return label


def _fields(cls: type) -> tuple[str, ...]:
    """The attributes that each object of a class has."""
    if dataclasses.is_dataclass(cls):
        return tuple(f.name for f in dataclasses.fields(cls))
    return facts.in_class(cls, "_fields", exactly=True) if issubclass(cls, tuple) else ()


_OPEN, _CLOSE = [cst.LeftParen()], [cst.RightParen()]


def _call(name: str, *args: Any) -> cst.Call:
    space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    given = [cst.Arg(a.deep_clone(), comma=space) for a in args[:-1]]
    return cst.Call(cst.Name(name), [*given, cst.Arg(args[-1].deep_clone())])


def _item(subject: Any, index: Any) -> cst.Subscript:
    return cst.Subscript(subject.deep_clone(), [cst.SubscriptElement(cst.Index(index))])


def _rest(subject: Any, start: int, stop: int) -> cst.Call:
    """``list(s[1:-2])``: what a star stands for."""
    text = cst.Module([]).code_for_node(subject)
    bounds = f"{start or ''}:{stop or ''}"
    return cst.parse_expression(f"list({text}[{bounds}])")  # type: ignore[return-value]


def _compare(left: Any, operator: Any, right: Any) -> cst.Comparison:
    target = cst.ComparisonTarget(operator, right.deep_clone())
    return cst.Comparison(left.deep_clone(), [target])


def both(left: Any, right: Any) -> cst.BooleanOperation:
    """Return ``left and right``."""
    return cst.BooleanOperation(left, cst.And(), right)


def in_brackets(node: Any) -> Any:
    """Return an expression that can stand beside ``and``."""
    loose = isinstance(node, cst.BooleanOperation | cst.IfExp | cst.Lambda | cst.NamedExpr)
    if loose and not node.lpar:
        return node.with_changes(lpar=_OPEN, rpar=_CLOSE)
    return node
