"""A parser for the C++ expressions in PyTorch's table of derivatives, into a small tree."""

from __future__ import annotations

import re
from dataclasses import dataclass


class NotAnExpression(ValueError):
    """The text is not one of the C++ expressions that the table is made of."""


@dataclass(frozen=True)
class Name:
    """A name, with its namespace and template arguments, as ``at::where`` or ``std::get<0>``."""

    name: str


@dataclass(frozen=True)
class Literal:
    """A number, a truth value or a text, as Python has it."""

    value: int | float | bool | str


@dataclass(frozen=True)
class Call:
    """A call of a function by its name."""

    name: str
    args: tuple[Tree, ...]


@dataclass(frozen=True)
class Method:
    """A call of a method, by ``.`` or ``->``."""

    of: Tree
    name: str
    args: tuple[Tree, ...]


@dataclass(frozen=True)
class Unary:
    """An operator before its operand; ``*`` takes the value of an optional."""

    op: str
    of: Tree


@dataclass(frozen=True)
class Binary:
    """An operator between two operands."""

    op: str
    left: Tree
    right: Tree


@dataclass(frozen=True)
class Conditional:
    """``test ? then : other``."""

    test: Tree
    then: Tree
    other: Tree


@dataclass(frozen=True)
class Braces:
    """A list in braces."""

    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Index:
    """``of[index]``."""

    of: Tree
    index: Tree


@dataclass(frozen=True)
class Lambda:
    """A lambda, as its text."""

    text: str


Tree = Name | Literal | Call | Method | Unary | Binary | Conditional | Braces | Index | Lambda

_TOKENS = re.compile(
    r"""\s*(?:
      (?P<comment>/\*.*?\*/)
    | (?P<lambda>\[\]\s*\([^)]*\)\s*\{[^}]*\})
    | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)
    | (?P<name>(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:<(?:\w|::|,|\s)*>(?=\s*\())?)
    | (?P<string>"[^"]*")
    | (?P<op>->|&&|\|\||==|!=|<=|>=|[-+*/%<>!&|?:.,(){}\[\]])
    )""",
    re.VERBOSE | re.DOTALL,
)

# From weak to strong, as in C++.
_PRECEDENCE = (("||",), ("&&",), ("|",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("+", "-"))
_STRONG = ("*", "/", "%")


def parse(text: str) -> Tree:
    """Return the tree of an expression.

    Args:
        text: the expression, as it stands in the table.

    Raises:
        NotAnExpression: where something else stands there.

    Example:
        >>> parse("grad * self.cos().conj()")  # doctest: +NORMALIZE_WHITESPACE
        Binary(op='*', left=Name(name='grad'),
               right=Method(of=Method(of=Name(name='self'), name='cos', args=()),
                            name='conj', args=()))
    """
    parser = _Parser(_tokens(text), text)
    tree = parser.conditional()
    parser.expect("")
    return tree


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            raise NotAnExpression(f"{text[at:]!r} in {text!r}")
        at = match.end()
        kind = match.lastgroup or ""
        if kind != "comment":
            found.append((kind, match[kind]))
    return [*found, ("end", "")]


class _Parser:
    """Reads tokens from left to right, one method for each level of precedence."""

    def __init__(self, tokens: list[tuple[str, str]], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    def peek(self) -> str:
        return self.tokens[self.at][1]

    def take(self) -> tuple[str, str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, word: str) -> bool:
        if self.peek() != word or self.tokens[self.at][0] not in ("op", "end"):
            return False
        self.at += 1
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise NotAnExpression(f"{self.peek()!r} where {word!r} should be, in {self.text!r}")

    def conditional(self) -> Tree:
        test = self.binary(0)
        if not self.accept("?"):
            return test
        then = self.conditional()
        self.expect(":")
        return Conditional(test, then, self.conditional())

    def binary(self, level: int) -> Tree:
        last = level == len(_PRECEDENCE)
        words = _STRONG if last else _PRECEDENCE[level]
        left = self.unary() if last else self.binary(level + 1)
        while self.peek() in words and self.tokens[self.at][0] == "op":
            word = self.take()[1]
            left = Binary(word, left, self.unary() if last else self.binary(level + 1))
        return left

    def unary(self) -> Tree:
        for word in ("-", "!", "*"):
            if self.accept(word):
                return Unary(word, self.unary())
        return self.postfix(self.primary())

    def primary(self) -> Tree:
        kind, word = self.take()
        if kind == "number":
            return Literal(int(word) if word.isdigit() else float(word))
        if kind == "string":
            return Literal(word[1:-1])
        if kind == "lambda":
            return Lambda(word)
        if kind == "name":
            if word in ("true", "false"):
                return Literal(word == "true")
            return Call(word, self.arguments(")")) if self.accept("(") else Name(word)
        if word == "(":
            inside = self.conditional()
            self.expect(")")
            return inside
        if word == "{":
            return Braces(self.arguments("}"))
        raise NotAnExpression(f"{word!r} in {self.text!r}")

    def postfix(self, tree: Tree) -> Tree:
        while True:
            if self.accept(".") or self.accept("->"):
                kind, word = self.take()
                if kind != "name":
                    raise NotAnExpression(f"{word!r} after a dot, in {self.text!r}")
                self.expect("(")
                tree = Method(tree, word, self.arguments(")"))
            elif self.accept("["):
                tree = Index(tree, self.conditional())
                self.expect("]")
            else:
                return tree

    def arguments(self, closing: str) -> tuple[Tree, ...]:
        if self.accept(closing):
            return ()
        found = [self.conditional()]
        while self.accept(","):
            found.append(self.conditional())
        self.expect(closing)
        return tuple(found)
