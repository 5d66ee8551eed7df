"""Finding the first value that is not finite, and the statement that made it."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.debugging.causes import Cause, cause_of
from srcgrad.debugging.forward_lines import Line, line_of, own_names
from srcgrad.debugging.numbers import finite, is_inexact, is_numeric, numbers
from srcgrad.debugging.unselected import selection_behind
from srcgrad.errors import NotFiniteError, Spot
from srcgrad.load.observers import (
    Activation,
    Observer,
    Site,
    Step,
    Watch,
    WatchedFunction,
    watching,
)

_NAMES = 3  # how many places are shown of a call within calls


class FiniteCheck(Observer):
    """Raises at the first statement whose value is not finite while its operands are.

    What the program states itself is no offence: ``np.inf`` in the text, infinite entries of
    an argument. Neither is what Python needs to compute and nothing keeps, such as the branch
    that ``np.where`` does not select.
    """

    def enter(self, activation: Activation, arguments: dict[str, Any]) -> None:
        """Look at the arguments."""
        for name, value in arguments.items():
            for part in _leaves(value):
                if finite(part):
                    continue
                activation.notes[name] = None
                if activation.caller is None and np.any(np.isnan(part)):
                    raise _of_argument(activation.function, name, part)

    def started(self, function: str, arguments: dict[str, Any]) -> None:
        """Look at the arguments of a recorded function."""
        for name, value in arguments.items():
            for part in _leaves(value):
                if np.any(np.isnan(part)):
                    raise _not_finite("argument", name, function, part)

    def end(self, activation: Activation, values: tuple[Any, ...]) -> None:
        """Look at what a statement has given."""
        site, notes = activation.site, activation.notes
        assert site is not None
        if site.is_return:
            bad = any(not finite(part) for part in _results(site, values[0]))
            names: list[str] = []
        elif isinstance(site.node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
            names = [name for name, v in zip(site.targets, values, strict=True) if not _finite(v)]
            for name in set(site.targets) - set(names):
                notes.pop(name, None)
            bad = bool(names)
        else:
            return
        if not bad:
            return
        found = _made_in(activation, values)
        origins = [notes[name] for name in _read(site) if notes.get(name) is not None]
        if origins:  # it came from what was not finite before
            found = origins[0]
        if found is None:
            for name in names:
                notes[name] = None
            return
        if site.is_return or any(
            name in own_names(site.function) or "_bar" in name for name in names
        ):
            raise found.error()
        for name in names:
            notes[name] = found

    def step(self, watch: Watch, step: Step) -> None:
        """Look at a call that the tape recorded, or at what it gives in the way back.

        A value that is not finite is no offence before the result is not finite, either:
        nothing tells which values of a recorded function are thrown away.
        """
        if step.bars is not None:
            if finite(step.bar) and not all(map(finite, step.bars)):
                raise watch.notes.get("first") or _of_step(step, next(filter(_odd, step.bars)))
        elif _odd(step.value):
            if not step.name:
                found = watch.notes.get("first")
                if found is not None:
                    raise found
            elif "first" not in watch.notes and not any(map(_odd, step.operands)):
                watch.notes["first"] = _of_step(step, step.value)


def _odd(value: Any) -> bool:
    return not _finite(value)


def _of_step(step: Step, value: Any) -> NotFiniteError:
    """Return the error that names a step of a recorded function."""
    backward, place = step.bars is not None, step.place
    value = next(part for part in _leaves(value) if not finite(part))
    seen = numbers(value)
    what = f"the cotangent that `{step.name}` gives" if backward else f"what `{step.name}` gives"
    operands = [part for part in step.operands if is_numeric(part)]
    node = ast.Call(ast.Name(step.name, ast.Load()), [], [])
    cause = None if backward else cause_of(node, operands, value)
    rows = [f"operand {k + 1}  {numbers(part)}" for k, part in enumerate(operands)]
    rows += [f"cotangent  {numbers(step.bar)}"] if is_numeric(step.bar) else []
    line = Line(place.function, place.filename, place.lineno or 0, place.text)
    why = str(cause) if cause is not None else "What it is made of is finite."
    return NotFiniteError(
        f"the {'backward' if backward else 'forward'} part of {place.function} makes the first "
        f"{'nan' if seen.nans else 'inf'}: {_share(seen)} of {what}",
        spots=[_spot_of_call(line, step.name)] if place.lineno is not None else [],
        why="\n  ".join([why, *(f"  {row}" for row in rows)]),
        fixes=cause.fixes if cause is not None else (),
    )


def _spot_of_call(line: Line, name: str) -> Spot:
    """The user's line, with the call of a function underlined where there is just one such."""
    row = line.text.partition("\n")[0]
    try:
        calls = [part for part in ast.walk(ast.parse(row)) if isinstance(part, ast.Call)]
    except SyntaxError:
        calls = []
    alike = [part for part in calls if ast.unparse(part.func).rpartition(".")[2] == name]
    if len(alike) != 1 or alike[0].end_lineno != 1:
        return _whole(line)
    column, end = alike[0].col_offset, alike[0].end_col_offset or len(row)
    return Spot(line.filename, line.function, line.lineno, row, column, end - column)


@dataclass(frozen=True)
class Finding:
    """The expression that made the first value that is not finite."""

    # the statement, and those that the calls it runs in come from, outwards
    chain: tuple[Site, ...]
    node: ast.AST  # the expression
    operands: tuple[tuple[str, Any], ...]  # what it was made of: texts and values
    value: Any  # what it gave
    cause: Cause | None  # why, where that is known

    @property
    def site(self) -> Site:
        """The statement."""
        return self.chain[0]

    def error(self) -> NotFiniteError:
        """Return the error that names it."""
        site = self.site
        backward = is_backward(self.chain)
        seen = numbers(self.value)
        line = line_of(site)
        name = line.function if line is not None else site.function.text.source.name
        what = (
            f"the {'backward' if backward else 'forward'} part of {name} makes the first "
            f"{'nan' if seen.nans else 'inf'}: {_share(seen)} of {_of(self)}"
        )
        why = [str(self.cause) if self.cause else "What it is made of is finite."]
        fixes = list(self.cause.fixes) if self.cause else []
        if backward and self.cause is not None and self.cause.of_zero and line is not None:
            hint = _unselected(self, line)
            if hint is not None:
                why, fixes = [*why, hint[0]], [hint[1]]
        width = max((len(text) for text, _ in self.operands), default=0)
        rows = [f"{text:<{width}}  {numbers(value)}" for text, value in self.operands]
        return NotFiniteError(
            what,
            spots=spots(self.chain, self.node),
            why="\n  ".join([" ".join(why), *(f"  {row}" for row in rows)]),
            fixes=fixes,
        )


def _unselected(found: Finding, line: Line) -> tuple[str, str] | None:
    """What is said where the cotangent is 0 because ``np.where`` selects another value."""
    where = selection_behind(found.site.function.text.source, line.lineno)
    if where is None:
        return None
    call, condition = where
    why = (
        f"{call.place} does not select it where {condition} is false: its cotangent is 0 there, "
        "and its slope infinite."
    )
    fix = (
        f"choose the argument, not only the result: put np.where({condition}, argument, 1.0) "
        f"into the call in line {line.lineno}, and keep the np.where in line {call.lineno}"
    )
    return why, fix


def chain_of(activation: Activation) -> tuple[Site, ...]:
    """Return the statement that a call is at, and those that it comes from, outwards."""
    found: list[Site] = []
    current: Activation | None = activation
    while current is not None and current.site is not None:
        found.append(current.site)
        current = current.caller
    return tuple(found)


def is_backward(chain: tuple[Site, ...]) -> bool:
    """Tell whether a statement runs in a backward part."""
    return any(site.place is not None for site in chain)


def spots(chain: tuple[Site, ...], node: ast.AST) -> list[Spot]:
    """Return where a statement stands: in the user's text, in the generated one, and who called."""
    found: list[Spot] = []
    for site in chain[: _NAMES + 1]:
        line = line_of(site)
        inner = site is chain[0]
        if line is not None:
            found.append(_spot(line, node, site) if inner else _whole(line, "called here"))
        if inner and (line is None or line.text != site.text):
            found.append(_generated(site, node))
    return found


def _spot(line: Line, node: ast.AST, site: Site) -> Spot:
    """The user's line, with the same expression underlined where there is just one such."""
    row = line.text.partition("\n")[0]
    words = _segment(site, node)
    if words and words in row and not isinstance(node, ast.stmt):
        column = row.index(words)
        return Spot(line.filename, line.function, line.lineno, row, column, len(words))
    alike = [] if site.place is not None else _alike(row, node)
    if len(alike) == 1 and alike[0].end_lineno == 1:
        column, end = alike[0].col_offset, alike[0].end_col_offset
        return Spot(line.filename, line.function, line.lineno, row, column, end - column)
    return _whole(line)


def _whole(line: Line, note: str = "") -> Spot:
    row = line.text.partition("\n")[0]
    return Spot(line.filename, line.function, line.lineno, row, 0, len(row), note)


def _alike(row: str, node: ast.AST) -> list[Any]:
    """The operations of the same kind, and the calls of the same function, in a line."""
    try:
        parts = list(ast.walk(ast.parse(row)))
    except SyntaxError:  # it goes on in the next line
        return []
    if isinstance(node, ast.Call):
        name = ast.dump(node.func)
        return [p for p in parts if isinstance(p, ast.Call) and ast.dump(p.func) == name]
    if isinstance(node, ast.BinOp):
        kind = type(node.op)
        return [p for p in parts if isinstance(p, ast.BinOp) and type(p.op) is kind]
    return []


def _generated(site: Site, node: ast.AST) -> Spot:
    lineno = getattr(node, "lineno", site.lineno)
    rows = site.function.text.text.splitlines()
    row = rows[lineno - site.function.first]
    column = getattr(node, "col_offset", 0)
    ends = getattr(node, "end_lineno", lineno) == lineno
    last = getattr(node, "end_col_offset", len(row)) if ends else len(row)
    if isinstance(node, ast.stmt):
        column = len(row) - len(row.lstrip())
    return Spot(site.function.filename, site.function.name, lineno, row, column, last - column)


def _segment(site: Site, node: ast.AST) -> str:
    rows = site.function.text.text.splitlines()
    first = getattr(node, "lineno", None)
    if first is None or getattr(node, "end_lineno", None) != first:
        return ""
    return rows[first - site.function.first][node.col_offset : node.end_col_offset]  # type: ignore


def _made_in(activation: Activation, values: tuple[Any, ...]) -> Finding | None:
    """Return what in a statement is not finite, while what it was made of is."""
    site = activation.site
    assert site is not None
    numbered = {id(node): k for k, node in enumerate(site.parts)}
    root = getattr(site.node, "value", None)

    def look(node: Any) -> Finding | None:
        number = numbered.get(id(node))
        value = activation.parts.get(number) if number is not None else None
        if number is None:  # a tuple, say
            found = (look(part) for part in ast.iter_child_nodes(node))
            return next((part for part in found if part is not None), None)
        below = _below(node, numbered)
        numbers_below = [(part, numbered[id(part)]) for part in below]
        parts = activation.parts
        values = [(part, parts[k]) for part, k in numbers_below if k in parts]
        if all(finite(part) for part in _leaves(value)):
            return None
        bad = [part for part, v in values if any(not finite(leaf) for leaf in _leaves(v))]
        if isinstance(node, ast.Name | ast.Attribute):
            return None
        if is_inexact(value) and _anew(node, value, [v for _, v in values], bool(bad), site):
            shown = [(_text(p, site), v) for p, v in values if is_numeric(v)]
            operands = _operands(node, numbered, activation)
            cause = cause_of(node, operands, value)
            shown = tuple(dict(shown).items())
            return Finding(chain_of(activation), node, shown, value, cause)
        found = (look(part) for part in bad)
        return next((part for part in found if part is not None), None)

    found = look(root) if root is not None else None
    if root is None or found is not None or not isinstance(site.node, ast.AugAssign):
        return found
    added = activation.parts.get(numbered.get(id(root), -1))
    if site.targets[0] in activation.notes or not finite(added):
        return None
    shown = ((_text(root, site), added),) if is_numeric(added) else ()
    cause = Cause("too large a sum", fixes=("scale the values",))
    return Finding(chain_of(activation), site.node, shown, values[0], cause)


def _below(node: ast.AST, numbered: dict[int, int]) -> list[Any]:
    """The nearest expressions inside of another one whose values were seen."""
    found: list[Any] = []
    for part in ast.iter_child_nodes(node):
        found += [part] if id(part) in numbered else _below(part, numbered)
    return found


def _operands(node: ast.AST, numbered: dict[int, int], activation: Activation) -> list[Any]:
    """The values of the operands of an operation or a call, as far as all are known."""
    parts: list[Any] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Call) and not node.keywords:
        parts = list(node.args)
    found = []
    for part in parts:
        if isinstance(part, ast.Constant):
            found.append(part.value)
        elif id(part) in numbered and numbered[id(part)] in activation.parts:
            found.append(activation.parts[numbered[id(part)]])
        else:
            return []
    return found


def _anew(node: ast.AST, value: Any, below: list[Any], bad: bool, site: Site) -> bool:
    """Whether something is not finite here that is finite in the operands."""
    if not bad:
        return True
    if np.any(np.isnan(value)) and not any(
        np.any(np.isnan(leaf)) for part in below for leaf in _leaves(part) if is_inexact(leaf)
    ):
        return True
    if not _elementwise(node, site):
        return False
    try:
        known = [np.broadcast_to(np.isfinite(v), np.shape(value)) for v in below if is_inexact(v)]
    except ValueError:
        return False
    return bool(np.any(np.logical_and.reduce(known) & ~np.isfinite(value)))


def _elementwise(node: ast.AST, site: Site) -> bool:
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        base = node.func.value
        space = site.function.text.source.globals
        module = space.get(base.id) if isinstance(base, ast.Name) else None
        return isinstance(getattr(module, node.func.attr, None), np.ufunc)
    return isinstance(node, ast.UnaryOp)


def _leaves(value: Any, depth: int = 2) -> Iterator[Any]:
    """The numbers and arrays in a value, and in tuples."""
    if is_inexact(value):
        yield value
    elif isinstance(value, tuple) and depth:
        for part in value:
            yield from _leaves(part, depth - 1)


def _finite(value: Any) -> bool:
    return all(finite(part) for part in _leaves(value, 1))


def _results(site: Site, value: Any) -> Iterator[Any]:
    """What a return statement hands out, without what is only kept for a backward part."""
    pair = isinstance(site.node, ast.Return) and site.function.name.endswith("_forward")
    yield from _leaves(value[0] if pair and isinstance(value, tuple) else value)


def _read(site: Site) -> list[str]:
    return [part.id for part in site.parts if isinstance(part, ast.Name)]


def _text(node: ast.AST, site: Site) -> str:
    return _segment(site, node) or ast.unparse(node)


def _share(seen: Any) -> str:
    bad = seen.nans + seen.infs
    return f"{bad} of {seen.size} entries" if seen.shape else "the value"


def _of(found: Finding) -> str:
    if isinstance(found.node, ast.stmt):
        return f"`{found.site.text}`"
    text = _text(found.node, found.site)
    return f"`{text}`"


def _of_argument(function: WatchedFunction, name: str, value: Any) -> NotFiniteError:
    source = function.text.source
    backward = "residuals" in function.text.text.partition("\n")[0]
    return _not_finite("cotangent" if backward else "argument", name, source.name, value)


def _not_finite(what: str, name: str, function: str, value: Any) -> NotFiniteError:
    return NotFiniteError(
        f"the {what} {name!r} of {function} is not finite before anything has run",
        why=f"It is {numbers(value)}.",
        fixes=["mend the data: find the entries with np.argwhere(~np.isfinite(...))"],
    )


@contextlib.contextmanager
def detect_anomaly() -> Iterator[None]:
    """Stop at the first value that is not finite, in all derivatives that are called meanwhile.

    After each statement of the forward and of the backward part its value is looked at. The
    first one that is infinite or nan, while its operands are not, raises ``NotFiniteError``,
    which names the line, the operands and the reason. Infinities that the program states
    itself, as ``np.inf`` or in its arguments, are none of its making.

    The code is compiled a second time for that, with the same text; outside of the block
    nothing is slower.

    Example:
        >>> import numpy as np
        >>> from srcgrad import detect_anomaly, grad
        >>> def entropy(p):
        ...     return -np.sum(p * np.log(p))
        >>> with np.errstate(all="ignore"), detect_anomaly():
        ...     try:
        ...         grad(entropy)(np.array([0.0, 1.0]))
        ...     except ArithmeticError as error:
        ...         print(str(error).splitlines()[0])
        the forward part of entropy makes the first inf: 1 of 2 entries of `np.log(p)`
    """
    with watching(FiniteCheck()):
        yield
