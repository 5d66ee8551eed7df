"""The texts of which a generated function is put together."""

from __future__ import annotations

import ast
import builtins
import itertools
import math
import textwrap
from collections.abc import Sequence
from typing import Any

import libcst as cst

from srcgrad.emit.words.expressions import Expressions
from srcgrad.emit.words.text import LINE, to_text
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.names import identifiers
from srcgrad.ir.nodes import Value
from srcgrad.load.wrapping import wrap
from srcgrad.program import facts

_MODULE = cst.Module([])


def signature_text(source: Any, name: str, extras: list[str]) -> str:
    """Return the first line of a generated function.

    A default that only the place of a local definition knows is left out: calls
    of the generated function pass it. Other functions have their defaults already.
    """
    params = source.tree.params
    if source.nested:
        params = params.with_changes(
            params=_reachable(source, params.params),
            kwonly_params=_reachable(source, params.kwonly_params),
            posonly_params=_reachable(source, params.posonly_params),
        )
    else:
        params = params.with_changes(
            params=_told(source, params.params),
            kwonly_params=_told(source, params.kwonly_params),
            posonly_params=_told(source, params.posonly_params),
        )
    added = [cst.Param(cst.Name(e)) for e in extras]
    if added:
        params = params.with_changes(
            kwonly_params=[*params.kwonly_params, *added],
            star_arg=params.star_arg
            if isinstance(params.star_arg, cst.Param | cst.ParamStar)
            else cst.ParamStar(),
        )
    return head_of(source, name, params, added=bool(added))


def head_of(source: Any, name: str, params: cst.Parameters, added: bool) -> str:
    """Return the first line of a function, which may be broken as in the user's text."""
    before = source.tree.whitespace_before_params
    if added:
        params, before = _without_layout(params), cst.SimpleWhitespace("")
    node = cst.FunctionDef(
        cst.Name(name), params, cst.IndentedBlock([]), whitespace_before_params=before
    )
    text = _MODULE.code_for_node(node)
    return _wrapped(text[: text.rindex(":") + 1])


def _without_layout(params: cst.Parameters) -> cst.Parameters:
    default = cst.MaybeSentinel.DEFAULT
    nothing = cst.SimpleWhitespace("")

    def plain(param: Any) -> Any:
        if not isinstance(param, cst.Param):
            return cst.ParamStar() if isinstance(param, cst.ParamStar) else param
        return param.with_changes(comma=default, whitespace_after_param=nothing)

    return cst.Parameters(
        params=[plain(p) for p in params.params],
        star_arg=plain(params.star_arg),
        kwonly_params=[plain(p) for p in params.kwonly_params],
        star_kwarg=plain(params.star_kwarg),
        posonly_params=[plain(p) for p in params.posonly_params],
    )


def _wrapped(head: str) -> str:
    """Break the first line of a function that is too long."""
    if len(head) <= LINE or "\n" in head:
        return head
    start, _, rest = head.partition("(")
    lines = textwrap.wrap(rest.removesuffix("):"), LINE - 4, break_long_words=False)
    return "\n".join([f"{start}(", *(f"    {line}" for line in lines), "):"])


def _reachable(source: Any, params: Sequence[cst.Param]) -> list[cst.Param]:
    """Parameters without the defaults that the generated module cannot evaluate."""
    known = set(source.globals) | set(dir(builtins))
    made: list[cst.Param] = []
    for param in params:
        if param.default is not None and not identifiers(param.default) <= known:
            optional = any(other.default is not None for other in made)
            default = cst.Name("None") if optional else None
            equal = param.equal if optional else cst.MaybeSentinel.DEFAULT
            param = param.with_changes(default=default, equal=equal)
        made.append(param)
    return made


def _told(source: Any, params: Sequence[cst.Param]) -> list[cst.Param]:
    """Parameters with the defaults that the function has, whatever their text says by now.

    Those of a function of srcgrad's have no annotations: a reader has not imported their names.
    """
    values = _defaults(source)
    if source.globals.get("__name__", "").startswith("srcgrad."):
        params = [_without_annotation(p) for p in params]
    return [
        p.with_changes(default=_shown(source, p.default, values[p.name.value]))
        if p.default is not None and p.name.value in values
        else p
        for p in params
    ]


def _without_annotation(param: cst.Param) -> cst.Param:
    nothing = cst.SimpleWhitespace("")
    equal = param.equal if param.default is None else cst.AssignEqual(nothing, nothing)
    return param.with_changes(annotation=None, equal=equal)


def _defaults(source: Any) -> dict[str, Any]:
    """The defaults of the function that a text defines, by parameter; none of a local one's."""
    function, names = source.function, (source.tree.name.value, "<lambda>")
    if facts.code(function).co_name not in names:
        return {}
    given = facts.signature(function).parameters.values()
    return {p.name: p.default for p in given if p.default is not p.empty}


def _shown(source: Any, default: cst.BaseExpression, value: Any) -> cst.BaseExpression:
    """The text of a default: the user's, unless its names mean something else by now."""
    names = identifiers(default)
    plain = type(value) in (int, float, bool, str, type(None)) and value == value
    if not names or not plain or value in (math.inf, -math.inf):
        return default
    if isinstance(default, cst.Name) and source.globals.get(default.value, default) is value:
        return default
    if names <= {*source.globals, *dir(builtins)} and not isinstance(default, cst.Name):
        return default
    return cst.parse_expression(repr(value))


def require_in_reach(function: Any, body: list[Any]) -> list[Any]:
    """Return the statements of a generated function; refuse those that it could not run.

    The code of a local function stands beside that of the function around it, and is given
    the data that it captured: no name in it stands for another local function.

    Raises:
        UnsupportedSyntaxError: when they name a local function that was captured.
    """
    captured = function.layout.captured
    found = captured and sorted(captured & set(identifiers(cst.Module(body))))
    if found:
        source = function.source
        raise UnsupportedSyntaxError(
            f"a local function that hands on another one, {found[0]!r}, is not supported",
            spots=[source.spot(source.tree.name)],
            fixes=["give it that function as an argument, or make it a function of the module"],
        )
    return body


def assemble(
    source: Any, head: str, doc: str, body: list[Any], middle: list[str], tail: list[str]
) -> str:
    """Put the parts of a function together that is generated for one with a source."""
    lines = [head, *docstring(doc)]
    if body:
        text: list[str] = []
        for row, group in itertools.groupby(body, source.row_of):
            for statement in group if row is not None else ():
                text += [*map(_empty_line, statement.leading_lines), f"    {row}"]
            if row is None:
                node = cst.FunctionDef(cst.Name("f"), cst.Parameters(), cst.IndentedBlock([*group]))
                text += cst.Module([node]).code.rstrip("\n").split("\n")[1:]
        while text and not text[0].strip():
            text = text[1:]
        quoted = any(mark in line for line in text for mark in ('"""', "'''"))
        lines += text if quoted else [line.rstrip() for line in text]  # a string keeps its blanks
    if body and middle:
        lines.append("")
    lines += middle
    for line in tail:
        lines += [f"    {part}" for part in wrap(line, LINE - 4)]
    return "\n".join(lines) + "\n"


def _empty_line(line: cst.EmptyLine) -> str:
    comment = "" if line.comment is None else line.comment.value
    return "    " * line.indent + line.whitespace.value + comment


def docstring(text: str) -> list[str]:
    """Return a docstring, broken where it is too long for a line."""
    if len(text) <= LINE - 10:
        return [f'    """{text}"""']
    first, *rest = textwrap.wrap(text, LINE - 10)
    return [f'    """{first}', *[f"    {line}" for line in rest], '    """']


def value_text(expressions: Expressions, value: Value) -> str:
    """Return a value as one line of text."""
    node = ast.Expr(expressions.value(value))
    return " ".join(part.strip() for part in to_text(node))
