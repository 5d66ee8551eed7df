"""The C++ expressions in PyTorch's table of derivatives, as expressions of Python.

What is spelled otherwise is put into Python's signs and parsed by Python: ``a ? b : c`` is
``b if a else c``, ``{a, b}`` a list, ``!a`` is ``~a``, and ``*a``, which takes the value of an
optional, ``+a``. Names keep their namespace and template arguments, as ``std::get<0>``.
"""

from __future__ import annotations

import ast
import keyword
import re


class NotAnExpression(ValueError):
    """The text is not one of the C++ expressions that the table is made of."""


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
_SIGNS = {"&&": "and", "||": "or", "!": "~", "->": ".", "true": "True", "false": "False"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def parse(text: str) -> ast.expr:
    """Return the tree of an expression.

    Raises:
        NotAnExpression: where something else stands there.

    Example:
        >>> ast.unparse(parse("grad * (!a ? self.cos().conj() : std::get<0>(b))"))
        'grad * (self.cos().conj() if ~a else std::get<0>(b))'
    """
    names: dict[str, str] = {}
    tokens = [*_tokens(text, names), ""]
    try:
        whole, _ = _python(tokens, 0, ("",))
        tree = ast.parse(whole, mode="eval").body
    except (IndexError, SyntaxError):
        raise NotAnExpression(f"{text!r}") from None
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            node.attr = names.get(node.attr, node.attr)
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        if isinstance(node, ast.Attribute) and id(node) not in called:
            raise NotAnExpression(f"{node.attr!r} is not called in {text!r}")
    return tree


def _tokens(text: str, names: dict[str, str]) -> list[str]:
    """The tokens in Python's signs, and which names stand for those that Python does not have."""
    found: list[str] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            raise NotAnExpression(f"{text[at:]!r} in {text!r}")
        at, kind = match.end(), match.lastgroup or ""
        word = match[kind]
        if kind == "comment":
            continue
        if word == "*" and (not found or found[-1] in ("and", "or", *"-+*/%<>~&|?:,([{")):
            word = "+"
        if word in _SIGNS:
            word = _SIGNS[word]
        elif kind == "lambda" or (
            kind == "name" and (keyword.iskeyword(word) or not word.isidentifier())
        ):
            names[f"name_{len(names)}"], word = word, f"name_{len(names)}"
        found.append(word)
    return found


def _python(tokens: list[str], k: int, ends: tuple[str, ...]) -> tuple[str, int]:
    """The text of the tokens from a place on to one of some ends, and where that stands."""
    parts: list[str] = []
    while tokens[k] not in ends:
        word = tokens[k]
        k += 1
        if word == "?":
            then, k = _python(tokens, k, (":",))
            other, k = _python(tokens, k + 1, ends)
            return f"(({then}) if ({' '.join(parts)}) else ({other}))", k
        if word in _CLOSING:
            items = []
            while tokens[k] != _CLOSING[word]:
                item, k = _python(tokens, k, (",", _CLOSING[word]))
                items.append(item)
                k += tokens[k] == ","
            closing = _CLOSING[word].replace("}", "]")
            word = f"{word.replace('{', '[')}{', '.join(items)}{closing}"
            k += 1
        parts.append(word)
    return " ".join(parts), k
