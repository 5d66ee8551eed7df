"""Reading a function: from a function object to a libcst tree with line numbers."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import linecache
import re
import tokenize
import types
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import libcst as cst

from srcgrad.errors import Spot
from srcgrad.frontend.text.exits import map_suites
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.trees import below, children, rewritten
from srcgrad.program import facts
from srcgrad.program.compiled_text import Mangler, class_of, no_text, require_text
from srcgrad.program.syntax_trees import functions_at
from srcgrad.program.texts import without_indentation

Node = cst.CSTNode
_PRIVATE = re.compile(r"\b__(?!\w*__\b)\w")  # a name that is private to a class


_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


class Source:
    """The text of one function, and what its free names mean.

    Attributes:
        function: the Python function object it was read from.
        tree: its libcst definition; a lambda has become a ``def``.
        name: the function's name as an identifier.
        filename: the file, as the code object names it.
        globals: the live globals of the function.
        cells: the live cells of its free variables, by name.
        splices: what stands in the place of statements that lowering has rewritten, by
            their ids.
        nested: whether it is defined inside of the function object it was read from.
        operands: the nodes, by their ids, that have to be evaluated before what they stand in.
        receiver: the name node of the object that a constructor makes; see ``own``.
        rows: the texts of what has a line of its own, in the file or among the lines that are
            added, by the ids of statements.
        steps: of loops over ``checkpointed(...)``, by the names of their steps.
        iterated: the names of sequences that stand in the place of iterators.
    """

    def __init__(
        self,
        function: types.FunctionType,
        tree: cst.FunctionDef,
        filename: str,
        lines: dict[int, int],
        originals: tuple[Node, int, int],
        cells: dict[str, Any] | None = None,
    ) -> None:
        self.function = function
        self.tree = tree
        self.filename = filename
        self.name = tree.name.value
        self.globals = function.__globals__
        self.lines = lines
        self.originals = originals
        code, closure = function.__code__, function.__closure__ or ()
        self.changing: frozenset[int] = frozenset()  # lines of loops that change something
        self.cells = dict(zip(code.co_freevars, closure, strict=True)) if cells is None else cells
        self.kept: list[Node] = [tree]  # keeps the nodes alive whose ids are used as keys
        self.lambdas: dict[int, cst.FunctionDef] = {}
        self.splices: dict[int, list[Any]] = {}
        self._lowered: tuple[cst.FunctionDef, cst.FunctionDef] | None = None  # of a tree
        self.copies: dict[int, Node] = {}  # the nodes that stand in the text, by those made of them
        self.operands: dict[int, Node] = {}
        self.nested = False
        self.receiver: Any = None
        self.texts: dict[int, str] = {}
        self.rows: dict[int, str] = {}
        self.steps: dict[str, Any] = {}
        self.iterated: set[str] = set()

    def derive(self, old: Node, new: Node) -> None:
        """Let a rewritten statement stand at the line of the one it came from."""
        self.kept.append(new)
        if id(old) in self.lines:
            self.lines[id(new)] = self.lines[id(old)]

    def derive_all(self, old: Node, new: Node) -> None:
        """Let all of a rewritten statement that has no line yet stand at the line of the old."""
        self.kept.append(new)
        line = self.lines.get(id(old))
        for node in below(new) if line is not None else ():
            self.lines.setdefault(id(node), line)  # type: ignore[arg-type]

    def current(self, statements: Iterable[Any]) -> Iterator[Any]:
        """The statements of a suite as they are after lowering."""
        for statement in statements:
            if id(statement) in self.splices:
                yield from self.current(self.splices[id(statement)])
            else:
                yield statement

    @property
    def own(self) -> Any:
        """The name of the object that ``super()`` is about, None where there is none."""
        params = self.tree.params.params
        return self.receiver or (params[0].name if params else None)

    @property
    def lowered_tree(self) -> cst.FunctionDef:
        """The definition as it is after lowering, for its names."""
        if not self.splices:
            return self.tree
        if self._lowered is None or self._lowered[0] is not self.tree:
            self._lowered = self.tree, self._spliced(self.tree)
        return self._lowered[1]

    def _spliced(self, statement: Any) -> Any:
        """A statement with what stands in the place of those in it."""
        if not isinstance(statement, cst.BaseCompoundStatement):
            return statement
        return map_suites(statement, lambda suite: [*map(self._spliced, self.current(suite))])

    def splice(self, statement: Node, new: list[Any]) -> None:
        """Let statements stand in the place of one."""
        self.kept.append(statement)
        self.splices[id(statement)] = new
        self._lowered = None

    def unsplice(self, statement: Node) -> None:
        """Let a statement stand for itself, whatever an earlier lowering put in its place."""
        if self.splices.pop(id(statement), None) is not None:
            self._lowered = None

    def taken(self) -> set[str]:
        """All names in the function."""
        return names_in(self.lowered_tree)

    def line_of(self, statement: Node | None) -> int | None:
        """The line number of a statement in its file, None for inserted ones."""
        return None if statement is None else self.lines.get(id(statement))

    def text_of(self, statement: Node) -> str:
        """The text of a statement in its file, without its comment, or of its first line.

        Of one that was rewritten, it is that of the statement in the place of which it stands.
        """
        key = id(statement)
        if key not in self.texts:
            text, line = _first_line(statement), self.lines.get(key)
            there = self.written.get(line, []) if line is not None else []
            words = "".join(text.split())
            written = not there or any(words in "".join(t.split()) for t in there)
            self.texts[key] = text if written else there[0]
        return self.texts[key]

    @functools.cached_property
    def written(self) -> dict[int, list[str]]:
        """The texts of the statements in the file, by the lines where they begin."""
        found: dict[int, list[str]] = {}
        waiting: list[Any] = [self.originals[0]]
        while waiting:
            node = waiting.pop()
            line = self.lines.get(id(node))
            if line is not None and isinstance(node, _STATEMENTS):
                found.setdefault(line, []).append(_first_line(node))
            waiting += reversed(children(node))
        return found

    def row_of(self, statement: Node) -> str | None:
        """The text of a simple statement that stands on one line as it is here."""
        simple = type(statement) is cst.SimpleStatementLine
        return self.rows.get(id(statement)) if simple else None

    def note_row(self, statement: Node, text: str) -> None:
        """Note the text of a statement that is added, if that is one line."""
        if "\n" not in text:
            self.kept.append(statement)
            self.rows[id(statement)] = text

    def quote(self, statement: Node, text: str) -> None:
        """Let a rewritten statement be shown as the text of the one it came from."""
        self.kept.append(statement)
        self.texts[id(statement)] = text

    @property
    def is_generated(self) -> bool:
        """Whether the function is generated code."""
        return hasattr(self.function, "__srcgrad_generated__")

    @property
    def short_filename(self) -> str:
        """The file's name without its folders."""
        return self.filename.replace("\\", "/").rsplit("/", 1)[-1]

    def spot(self, node: Node, note: str = "") -> Spot:
        """Describe the place of a node of this function, for an error message."""
        node = self.copies.get(id(node), node)
        root, first_line, indent = self.originals
        lineno, column, width = _locate(root, node, first_line, indent)
        if lineno is None:
            lineno = self.lines.get(id(node), first_line)
            column, width = indent, 1
        line = linecache.getline(self.filename, lineno, self.globals).rstrip("\n")
        if not line:
            line = _first_line(node)
            column, width = 0, len(line)
        return Spot(self.filename, self.name, lineno, line, column, max(width, 1), note)


def _first_line(statement: Node) -> str:
    if isinstance(statement, cst.SimpleStatementLine):
        statement = statement.with_changes(
            leading_lines=(), trailing_whitespace=cst.TrailingWhitespace()
        )
    elif isinstance(statement, cst.If | cst.For | cst.While | cst.With | cst.Try | cst.FunctionDef):
        body = statement.body
        empty = cst.IndentedBlock([]) if isinstance(body, cst.IndentedBlock) else body
        statement = statement.with_changes(leading_lines=(), body=empty)
    lines = cst.Module([]).code_for_node(statement).strip().splitlines()
    if isinstance(statement, cst.SimpleStatementLine):
        return " ".join(line.strip() for line in lines)
    return lines[0]


def _locate(root: Node, node: Node, first_line: int, indent: int):
    from libcst.metadata import MetadataWrapper, PositionProvider

    if not isinstance(root, cst.Module):
        return None, 0, 1
    positions = MetadataWrapper(root, unsafe_skip_copy=True).resolve(PositionProvider)
    if node not in positions:
        return None, 0, 1
    span = positions[node]
    start, end = span.start, span.end
    width = end.column - start.column if end.line == start.line else 10**6
    return first_line + start.line - 1, start.column + indent, width


def read(function: Any, outline: Any = None) -> Source:
    """Read the source of a Python function.

    Args:
        function: a plain Python function (``def`` or ``lambda``).
        outline: its text with calls in the place of some of its statements, see
            ``generation.outlining``.

    Returns:
        Its ``Source``.
    """
    if not isinstance(function, types.FunctionType):
        raise no_text(function, "it is not written in Python")
    code = facts.code(function)
    lines = require_text(function)
    lines = lines if outline is None else outline.lines
    if code.co_name == "<lambda>":
        return _read_lambda(function, lines)
    text, numbers, before = _definition(lines, code, function, outline is None)
    root = _with_private_names(_parse(text, function), text, code)
    tree = root.body[0] if root.body else None
    if not isinstance(tree, cst.FunctionDef) or tree.name.value != code.co_name:
        raise no_text(
            function, f"line {code.co_firstlineno} of {code.co_filename!r} holds other text now"
        )
    numbering = _Numbering(text, before, code.co_firstlineno - 1 - before)
    numbering.statement(tree, numbers)
    found = numbering.lines
    indent = _indent(lines[code.co_firstlineno - 1])
    tree = tree if outline is None else _on_one_line(tree, outline.functions, found)
    source = Source(function, tree, code.co_filename, found, (root, code.co_firstlineno, indent))
    source.kept.append(root)
    source.texts |= numbering.texts
    if len(numbering.rows) == text.count("\n") + (text[-1:] != "\n"):  # nothing else ends a line
        source.rows = numbering.texts
    apart = {} if outline is None else outline.functions
    source.cells |= {name: types.CellType(part) for name, part in apart.items()}
    return source


def _on_one_line(tree: cst.FunctionDef, names: Any, lines: dict[int, int]) -> cst.FunctionDef:
    """Return a function in which calls of these names have no empty lines in them."""

    def rule(part: Any, made: Any) -> Any:
        if made is None:
            return None
        if isinstance(made, cst.Call) and getattr(made.func, "value", None) in names:
            made = made.with_changes(whitespace_before_args=cst.SimpleWhitespace(""))
        if id(part) in lines:
            lines[id(made)] = lines[id(part)]
        return made

    return rewritten(tree, rule)


def _definition(
    lines: list[str], code: types.CodeType, function: Any, plain: bool
) -> tuple[str, Any, int]:
    """Return the text of a definition, its ast, and how many lines that counts before it.

    ``plain``: whether the lines are those of the file, of which the ast is known.
    """
    start = code.co_firstlineno - 1
    known: list[Any] = functions_at(code, function.__globals__) if plain else []
    if len(known) == 1 and not _indent(lines[start]):
        return "".join(lines[start : _end(lines, start, known[0].end_lineno)]), known[0], start
    try:
        last = max(last or 0 for _, last, _, _ in code.co_positions())
        text, tree = without_indentation("".join(lines[start : _end(lines, start, last)]))
    except SyntaxError:  # the end was inside a string or brackets; reading tokens is slow, but sure
        try:
            text, tree = without_indentation("".join(inspect.getblock(lines[start:])))
        except SyntaxError as error:
            raise no_text(function, "its text cannot be parsed") from error
    return text, tree.body[0], 0


def _end(lines: list[str], start: int, end: int) -> int:
    """The number of the last line that is indented further than a definition that has ``end``."""
    base = _indent(lines[start])
    for k in range(end, len(lines)):
        text = lines[k].strip()
        if text and _indent(lines[k]) > base:
            end = k + 1
        elif text and not text.startswith("#"):
            break
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _parse(text: str, function: Any, parse: Any = cst.parse_module) -> Any:
    try:
        try:
            return parse(text)
        except (cst.CSTValidationError, TypeError):  # some parentheses that stand close to a word
            return parse(_spaced(text))
    except cst.ParserSyntaxError as error:
        raise no_text(function, "its text cannot be parsed") from error


def _spaced(text: str) -> str:
    """Return a text with blanks between its words and brackets, ``return(f)(x)`` with one."""
    rows = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(iter(rows).__next__))
    for one, other in reversed(list(pairwise(tokens))):
        if one.end == other.start and any(keyword.iskeyword(part.string) for part in (one, other)):
            if one.string in _CLOSING or other.string in _OPENING:
                row, column = one.end
                rows[row - 1] = f"{rows[row - 1][:column]} {rows[row - 1][column:]}"
    return "".join(rows)


_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def _with_private_names(tree: Any, text: str, code: types.CodeType) -> Any:
    """Return a tree in which names that are private to a class are as Python calls them.

    Generated code stands outside of the class.
    """
    cls = class_of(code.co_qualname)
    if cls is None or not _PRIVATE.search(text):
        return tree
    mangler = Mangler(cls)

    def rule(part: Any, made: Any) -> Any:
        if isinstance(made, cst.Name):
            return made.with_changes(value=mangler.written_out(made.value))
        return made.with_changes(name=part.name) if isinstance(made, cst.FunctionDef) else None

    return rewritten(tree, rule)


class _Numbering:
    """The lines of the statements of a function, by their ids, and the texts of most.

    Args:
        text: the text of the function.
        before: how many lines the ast counts before it.
        offset: how many more stand before it in its file.
    """

    def __init__(self, text: str, before: int, offset: int) -> None:
        self.rows = text.splitlines()
        self.before, self.offset = before, offset
        self.lines: dict[int, int] = {}
        self.texts: dict[int, str] = {}

    def statement(self, tree: Node, node: Any) -> None:
        """Note all statements in one, walking libcst and ast trees in parallel."""
        line = getattr(node, "lineno", None)
        if line is not None:
            self.lines[id(tree)] = line + self.offset
        if type(tree) is cst.SimpleStatementLine:
            return
        if isinstance(tree, cst.If) and isinstance(node, ast.If):
            self.suite(tree.body, node.body)
            if isinstance(tree.orelse, cst.If):
                self.statement(tree.orelse, node.orelse[0])
            elif tree.orelse is not None:
                self.suite(tree.orelse.body, node.orelse)
        elif isinstance(tree, cst.For | cst.While) and isinstance(node, ast.For | ast.While):
            self.suite(tree.body, node.body)
            if tree.orelse is not None:
                self.suite(tree.orelse.body, node.orelse)
        elif isinstance(tree, cst.With | cst.FunctionDef | cst.ClassDef):
            self.suite(tree.body, node.body)
        elif isinstance(tree, cst.Try):
            self.suite(tree.body, node.body)
            for handler, own in zip(tree.handlers, node.handlers, strict=True):
                self.suite(handler.body, own.body)
            for part, own in ((tree.orelse, node.orelse), (tree.finalbody, node.finalbody)):
                if part is not None:
                    self.suite(part.body, own)
        elif isinstance(tree, cst.Match):
            for case, arm in zip(tree.cases, node.cases, strict=True):
                self.suite(case.body, arm.body)

    def suite(self, suite: cst.BaseSuite, nodes: list[Any]) -> None:
        """Note the statements of a suite."""
        position = 0
        for statement in suite.body:
            parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else None
            self.statement(statement, nodes[position])
            if isinstance(suite, cst.SimpleStatementSuite) or parts is None:
                if isinstance(statement, cst.If | cst.For | cst.While | cst.With | cst.Try):
                    self.note_text(statement, nodes[position].lineno)
                position += 1
                continue
            if len(parts) == 1 and nodes[position].lineno == nodes[position].end_lineno:
                self.note_text(statement, nodes[position].lineno)
            for part in parts:
                self.lines[id(part)] = nodes[position].lineno + self.offset
                position += 1

    def note_text(self, statement: Node, line: int) -> None:
        """Note the first line of a statement that begins one, as the user wrote it."""
        row = self.rows[line - 1 - self.before].strip()
        if "#" not in row and "__" not in row:  # no comment, and no name that is private to a class
            self.texts[id(statement)] = row


def _read_lambda(function: types.FunctionType, lines: list[str]) -> Source:
    code = function.__code__
    fitting: list[Any] = functions_at(code, function.__globals__)
    if len(fitting) != 1:
        raise no_text(function, "its lambda expression cannot be found in the file")
    segment = _segment(lines, fitting[0])
    parsed = _parse(f"(\n{segment}\n)", function, cst.parse_expression)
    parsed = _with_private_names(parsed, segment, code)
    assert isinstance(parsed, cst.Lambda)
    parsed = parsed.with_changes(lpar=(), rpar=())
    tree = define_lambda(parsed, "lambda_")
    found = {id(tree): code.co_firstlineno, id(tree.body.body[0]): fitting[0].lineno}
    source = Source(function, tree, code.co_filename, found, (tree, code.co_firstlineno, 0))
    source.kept.append(parsed)
    return source


def _segment(lines: list[str], node: Any) -> str:
    """Return the text of a part of a file; ``ast`` would go through all of the file for it."""
    before = lines[: node.end_lineno - 1]
    if not all(row.endswith("\n") for row in before):  # they are no lines to Python's parser
        return ast.get_source_segment("".join(lines), node) or ""
    rows = [row.encode() for row in lines[node.lineno - 1 : node.end_lineno]]  # columns are bytes
    rows[-1] = rows[-1][: node.end_col_offset]
    rows[0] = rows[0][node.col_offset :]
    return b"".join(rows).decode()


def define_lambda(node: cst.Lambda, name: str) -> cst.FunctionDef:
    """Write a lambda expression as a ``def`` statement with one ``return``."""
    body = node.body
    if not getattr(body, "lpar", ()) and "\n" in cst.Module([]).code_for_node(body):
        body = body.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.FunctionDef(
        name=cst.Name(name),
        params=node.params,
        body=cst.IndentedBlock(
            [cst.SimpleStatementLine([cst.Return(body)])],
        ),
    )
