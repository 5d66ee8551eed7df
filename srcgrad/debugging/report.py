"""A trace as a page: the program at the left, its derivative at the right, heat in the margin."""

from __future__ import annotations

import ast
import html
import io
import keyword
import linecache
import math
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srcgrad.debugging.forward_lines import Line
from srcgrad.debugging.tables import duration, memory

if TYPE_CHECKING:
    from srcgrad.debugging.trace import Trace, TracedLine

_HEATS = ("value", "cotangent", "time", "memory")


def page_of(trace: Trace) -> str:
    """Return a trace as one HTML page that needs nothing from elsewhere."""
    kept = memory(trace.saved.bytes)
    facts = [
        f"forward {duration(trace.forward_seconds)}",
        f"backward {duration(trace.backward_seconds)}",
        f"{kept} kept",
    ]
    legend = "".join(f'<i style="background:rgb(var(--{name}))"></i>{name}' for name in _HEATS)
    recorded = "".join(
        f'<div class="recorded">recorded: {_safe(part.reason)} ({_safe(part.place)})</div>'
        for part in trace.recorded
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_safe(trace.function)}</title><style>\n{_file('css')}</style></head><body>"
        f"<header><h1>{_safe(trace.function)}</h1>"
        f"<span>{_safe(', '.join(facts))}</span>"
        f'<span class="legend">{legend}</span>'
        '<input id="search" type="search" placeholder="search  ( / )" aria-label="search">'
        '<button id="theme" title="dark or light (t)">&#9680;</button></header>'
        f'{recorded}<main><svg aria-hidden="true"></svg>'
        f'<section id="own"><h2>Your program</h2>{_own_side(trace)}</section>'
        f'<section id="made"><h2>Its derivative</h2>{_made_side(trace)}</section></main>'
        f'<div id="tip" role="status"></div><script>\n{_file("js")}</script></body></html>\n'
    )


def _file(kind: str) -> str:
    return Path(__file__).with_suffix(f".{kind}").read_text(encoding="utf-8")


def small_page_of(trace: Trace) -> str:
    """Return a trace as a table in HTML, for a notebook."""
    heats = _Heats(trace.lines)
    colours = {"value": "9,105,218", "cotangent": "207,34,46", "time": "191,135,0"}
    rows = []
    for found in trace.lines:
        text = "  " * found.depth + found.line.text.partition("\n")[0]
        cells = "".join(
            f'<td style="text-align:left;background:rgba({colours[name]},{heat:.2f})">'
            f"{_safe(said)}</td>"
            for name, heat, said in (
                ("value", heats.of(found)[0], _said(found.values)),
                ("cotangent", heats.of(found)[1], _said(found.cotangents)),
                ("time", heats.of(found)[2], duration(_seconds(found))),
            )
        )
        rows.append(
            f"<tr><td>{_safe(found.line.place)}</td>"
            f'<td style="text-align:left"><code style="white-space:pre">{_safe(text)}</code></td>'
            f"{cells}<td>{memory(found.kept_bytes) if found.kept_bytes else ''}</td></tr>"
        )
    names = ("line", "statement", "value", "cotangent", "time", "kept")
    head = "".join(f"<th>{name}</th>" for name in names)
    return (
        f"<table><caption>{_safe(trace.function)}: forward {duration(trace.forward_seconds)}, "
        f"backward {duration(trace.backward_seconds)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _own_side(trace: Trace) -> str:
    """The functions of the program, with heat in the margin."""
    traced = {(found.line.filename, found.line.lineno): found for found in trace.lines}
    heats = _Heats(trace.lines)
    linked = {(line.filename, line.lineno) for line in trace.links.values()}
    parts = []
    for filename, function, first, rows in _functions(trace):
        lines = []
        for number, coloured in enumerate(_coloured(rows), first):
            key = filename, number
            found = traced.get(key)
            margin = _margin(heats.of(found) if found is not None else None, found)
            tip = _tip(found) if found is not None else ""
            lines.append(_row(number, coloured, _key(*key) if key in linked else "", margin, tip))
        name = filename.replace("\\", "/").rsplit("/", 1)[-1]
        parts.append(_folding(function, f"{name}:{first}", lines))
    return "".join(parts)


def _made_side(trace: Trace) -> str:
    """The generated functions."""
    rows = trace.source.splitlines()
    starts = [k for k, row in enumerate(rows) if row.startswith(("def ", "import ", "from "))]
    ends = [*starts[1:], len(rows)]
    coloured = _coloured(rows)
    ran = {found.lineno: found for found in trace.statements if found.function in trace.source}
    parts = []
    for start, end in zip(starts, ends, strict=True):
        while end > start and not rows[end - 1].strip():
            end -= 1
        lines = []
        for k in range(start, end):
            link = trace.links.get(k + 1)
            found = ran.get(k + 1)
            tip = "" if found is None else _made_tip(found)
            key = _key(link.filename, link.lineno) if link is not None else ""
            kind = "back" if k + 1 in trace.backward_lines else ""
            lines.append(_row(k + 1, coloured[k], key, "", tip, kind))
        name = rows[start].removeprefix("def ").partition("(")[0]
        parts.append(_folding(name, "generated", lines))
    return "".join(parts)


def _functions(trace: Trace) -> list[tuple[str, str, int, list[str]]]:
    """The functions of the program that lines belong to: file, name, first line, text."""
    found: dict[tuple[str, str], list[int]] = {}
    lines: Iterable[Line] = [*(part.line for part in trace.lines), *trace.links.values()]
    for line in lines:
        found.setdefault((line.filename, line.function), []).append(line.lineno)
    parts = []
    for (filename, function), numbers in found.items():
        first, last = _extent(filename, min(numbers), max(numbers))
        rows = [linecache.getline(filename, k).rstrip("\n") for k in range(first, last + 1)]
        indent = min((len(r) - len(r.lstrip()) for r in rows if r.strip()), default=0)
        parts.append((filename, function, first, [row[indent:] for row in rows]))
    return parts


def _extent(filename: str, first: int, last: int) -> tuple[int, int]:
    """The first and the last line of the function around some lines."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return first, last
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.lineno <= first
        and last <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return first, last
    inner = max(around, key=lambda node: node.lineno)
    top = min([inner.lineno, *(part.lineno for part in inner.decorator_list)])
    return top, inner.end_lineno or last


class _Heats:
    """How large the figures of each line are among those of all lines, from 0 to 1."""

    def __init__(self, lines: list[TracedLine]) -> None:
        self.tables = [
            _logarithmic({id(line): _largest(line.values) for line in lines}),
            _logarithmic({id(line): _largest(line.cotangents) for line in lines}),
            _rooted({id(line): _seconds(line) for line in lines}),
            _rooted({id(line): float(line.kept_bytes) for line in lines}),
        ]

    def of(self, line: TracedLine) -> tuple[float, ...]:
        """The heat of value, cotangent, time and memory."""
        return tuple(table.get(id(line), 0.0) for table in self.tables)


def _largest(table: dict[str, Any]) -> float:
    return max((figures.norm for figures in table.values()), default=0.0)


def _logarithmic(figures: dict[int, float]) -> dict[int, float]:
    logs = {key: math.log10(n) for key, n in figures.items() if n > 0 and math.isfinite(n)}
    if not logs:
        return {}
    low, high = min(logs.values()), max(logs.values())
    width = max(high - low, 1.0)
    return {key: 0.15 + 0.75 * (n - low) / width for key, n in logs.items()}


def _rooted(figures: dict[int, float]) -> dict[int, float]:
    most = max(figures.values(), default=0.0)
    return {key: 0.9 * math.sqrt(n / most) for key, n in figures.items()} if most else {}


def _seconds(found: TracedLine) -> float:
    return found.forward_seconds + found.backward_seconds


def _margin(heat: tuple[float, ...] | None, found: TracedLine | None) -> str:
    cells = []
    for k, name in enumerate(_HEATS):
        alpha = heat[k] if heat is not None else 0.0
        table = [found.values, found.cotangents, {}, {}][k] if found is not None else {}
        odd = ' class="odd"' if any(v.nans or v.infs for v in table.values()) else ""
        cells.append(f'<b{odd} style="background:rgba(var(--{name}),{alpha:.2f})"></b>')
    return f'<span class="heat">{"".join(cells)}</span>'


def _said(table: dict[str, Any]) -> str:
    return ", ".join(f"{n.norm:.3g}{f' ({n.odd})' if n.odd else ''}" for n in table.values())


def _tip(found: TracedLine) -> str:
    """What is said of a line of the program."""
    rows = []
    for name, figures in found.values.items():
        label = "result" if name == "return" else name
        rows.append(f"{label}: {figures}, norm {figures.norm:.3g}")
        rows += _series(found.value_norms.get(name, []))
    for name, figures in found.cotangents.items():
        rows.append(f"cotangent of {name}: {figures}, norm {figures.norm:.3g}")
        rows += _series(found.cotangent_norms.get(name, []))
    times = [
        f"{word} {duration(seconds)}"
        for word, seconds in (
            ("forward", found.forward_seconds),
            ("backward", found.backward_seconds),
        )
        if seconds
    ]
    rows += [", ".join(times)] if times else []
    rows += [f"{memory(found.kept_bytes)} kept"] if found.kept_bytes else []
    rows += [f"ran {found.count} times"] if found.count > 1 else []
    return "\n".join(rows)


def _series(norms: list[float]) -> list[str]:
    """The norms of the first and the last times that a line ran."""
    if len(norms) < 2:
        return []
    words = [f"{norm:.3g}" for norm in norms]
    return ["  norms " + " ".join(words if len(words) <= 8 else [*words[:4], "...", *words[-3:]])]


def _made_tip(found: Any) -> str:
    """What is said of a generated line."""
    rows = [f"{name}: {n}, norm {n.norm:.3g}" for name, n in found.values.items()]
    times = f" in {found.count} times" if found.count > 1 else ""
    return "\n".join([*rows, f"{duration(found.seconds)}{times}"])


def _folding(name: str, place: str, lines: list[str]) -> str:
    return (
        f"<details open><summary>{_safe(name)}<small>{_safe(place)}</small></summary>"
        f'<div class="code">{"".join(lines)}</div></details>'
    )


def _row(number: int, text: str, key: str, margin: str, tip: str, kind: str = "") -> str:
    own = f' data-key="{_safe(key)}" tabindex="-1"' if key else ""
    own += f' data-tip="{_safe(tip)}"' if tip else ""
    kind = f"row {kind}".strip()
    inner = f'<span class="no">{number}</span>{margin}<span>{text} </span>'
    return f'<div class="{kind}"{own}>{inner}</div>'


def _key(filename: str, lineno: int) -> str:
    return f"{filename}:{lineno}"


def _safe(text: str) -> str:
    return html.escape(text, quote=True)


def _coloured(rows: list[str]) -> list[str]:
    """Lines of Python as HTML, with keywords, strings, numbers and comments marked."""
    marks: list[list[tuple[int, int, str]]] = [[] for _ in rows]
    try:
        for part in tokenize.generate_tokens(io.StringIO("\n".join(rows) + "\n").readline):
            kind = _kind(part)
            if not kind:
                continue
            (first, start), (last, end) = part.start, part.end
            for k in range(first, last + 1):
                stop = end if k == last else len(rows[k - 1])
                marks[k - 1].append((start if k == first else 0, stop, kind))
    except (tokenize.TokenError, IndentationError, SyntaxError):  # what is known so far will do
        pass
    return [_marked(row, found) for row, found in zip(rows, marks, strict=True)]


def _kind(part: tokenize.TokenInfo) -> str:
    if part.type == tokenize.NAME:
        return "k" if keyword.iskeyword(part.string) else ""
    return {tokenize.STRING: "s", tokenize.NUMBER: "n", tokenize.COMMENT: "c"}.get(part.type, "")


def _marked(row: str, marks: list[tuple[int, int, str]]) -> str:
    made, place = [], 0
    for start, end, kind in marks:
        made.append(_safe(row[place:start]))
        made.append(f'<span class="{kind}">{_safe(row[start:end])}</span>')
        place = end
    return "".join([*made, _safe(row[place:])])
