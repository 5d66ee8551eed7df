"""Names of a forward part that hold something else, or nothing, once it does not read them."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.emit.primal.prune import read_by_functions
from srcgrad.frontend.text.names import assigned_names, names_in


def otherwise(body: list[Any], wanted: dict[str, str]) -> list[Any]:
    """Put lines behind the last statements that read some names.

    Args:
        body: the statements.
        wanted: by name, the text of what it holds from there on; nothing, where it is deleted.

    Returns:
        The statements. A name stays as it is where a local function reads it.
    """
    if not wanted or any("breakpoint" in names_in(statement) for statement in body):
        return body
    later = set().union(*map(read_by_functions, body))
    lines: dict[int, list[str]] = {}
    for name, text in wanted.items():
        places = [k for k, statement in enumerate(body) if name in names_in(statement)]
        sure = [k for k in places if _assigns(body[k], name)]
        if not places or (name in later and not text):
            continue
        if text:
            lines.setdefault(places[-1], []).append(f"{name} = {text}")
        elif sure:
            lines.setdefault(places[-1], []).append(f"del {name}")
    out: list[Any] = []
    for k, statement in enumerate(body):
        out.append(statement)
        gone = [line.removeprefix("del ") for line in lines.get(k, []) if line[:4] == "del "]
        out += [cst.parse_statement(line) for line in lines.get(k, []) if line[:4] != "del "]
        if gone:
            out.append(cst.parse_statement(f"del {', '.join(gone)}"))
    return out


def _assigns(statement: Any, name: str) -> bool:
    """Whether a statement certainly gives a name a value."""
    return isinstance(statement, cst.SimpleStatementLine) and name in assigned_names(statement)
