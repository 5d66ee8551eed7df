"""A tape as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import srcgrad.tape.recording as recording
from srcgrad.tape.libraries.interceptions import Interception, InterceptionOfMemory
from srcgrad.tape.memory import Added, Item, Read, Start, Write
from srcgrad.tape.recording import Box, Call, Steps, Tape, leaves, raw

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "matmul": "@"}


@recording.lines.define
def lines(tape: Tape) -> list[str]:
    """Return what a tape recorded, and after a walk back, the derivatives."""
    names = {node: name for name, node, _ in tape.arguments}
    made = [f"{name} = {shown(value)}" for name, _, value in tape.arguments]
    order: list[int] = []
    for entry in _shown(tape, names):
        for node in _made_by(entry):
            names[node] = f"v{len(order)}"
            order.append(node)
        made.append(_line(entry, names))
    nodes = [*reversed(order), *(node for _, node, _ in tape.arguments)]
    bars = tape.bars or [None] * len(tape.births)
    made += [f"dL_d{names[node]} = {shown(bars[node])}" for node in nodes if bars[node] is not None]
    return made


def _shown(tape: Tape, names: dict[int, str]) -> Iterator[Any]:
    """Go through the steps; through those of a solver where something else reads them."""
    for entry in tape.entries:
        if type(entry) is not Steps:
            yield entry
            continue
        names |= dict.fromkeys(range(entry.first, entry.last), "solved")
        read = tape.bars and any(bar is not None for bar in tape.bars[entry.first : entry.last])
        yield from (entry.entries or ()) if read else ()


def _made_by(entry: Any) -> list[int]:
    if type(entry) in (Start, Write, Added, InterceptionOfMemory):
        return []
    if type(entry) is Interception:
        return [entry.index] if entry.index != entry.source else []
    return [entry.index] if type(entry.index) is int else [leaf[0] for leaf in leaves(entry.index)]


def _line(entry: Any, names: dict[int, str]) -> str:
    if type(entry) in (Interception, InterceptionOfMemory):
        source = getattr(entry, "source", entry.index)
        made = f"{names[entry.index]} = " if entry.index != source else ""
        return f"{made}on_backward({names.get(source, 'memory')})"
    if type(entry) is Start:
        return f"memory = {names[entry.index]}"
    if type(entry) in (Write, Added):
        sign = "=" if type(entry) is Write else "+=" if entry.sign > 0 else "-="
        value = names.get(entry.index, "constant")
        return f"memory{_key(entry.key)} {sign} {value}"
    if type(entry) is Read:
        return f"{names[entry.index]} = memory{_key(entry.key)}"
    if type(entry) is Item:
        return f"{names[entry.index]} = {names[entry.source]}{_key(entry.key)}"
    assert type(entry) is Call
    nodes = dict(entry.inputs)
    given = [_given(nodes.get(k), value, names) for k, value in enumerate(entry.held)]
    given += [f"{name}={value!r}" for name, value in entry.options.items()]
    fn = entry.plan.fn
    name = getattr(fn, "__name__", str(fn))
    left = ", ".join(names[node] for node in _made_by(entry))
    if name in _SYMBOLS and not entry.options:
        return f"{left} = {f' {_SYMBOLS[name]} '.join(given)}"
    return f"{left} = {name}({', '.join(given)})"


def _key(key: Any) -> str:
    if key is ...:
        return "[...]"
    parts = key if isinstance(key, tuple) else (key,)
    return f"[{', '.join(map(_part, parts))}]"


def _part(part: Any) -> str:
    if isinstance(part, slice):
        ends = ["" if end is None else str(end) for end in (part.start, part.stop)]
        return ":".join(ends) + ("" if part.step is None else f":{part.step}")
    return shown(part)


def _given(node: Any, value: Any, names: dict[int, str]) -> str:
    if type(node) is int:
        return names[node]
    if isinstance(value, list | tuple):
        parts = node if node is not None else [None] * len(value)
        return f"[{', '.join(_given(n, v, names) for n, v in zip(parts, value, strict=True))}]"
    return shown(value)


def shown(value: Any) -> str:
    """Return a value in one line."""
    value = raw(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, np.ndarray | np.floating):
        return np.array2string(np.asarray(value), precision=6, separator=", ").replace("\n", "")
    return repr(value)


__all__ = ["Box", "lines", "shown"]
