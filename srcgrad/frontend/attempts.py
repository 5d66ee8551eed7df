"""Lowering that may be given up: the state of a builder before it, and going back there."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.builder import Builder


def snapshot(b: Builder) -> Any:
    """Return what `restore` needs to undo the lowering that follows."""
    layout = b.layout
    return (
        (b.block, list(b.block)),
        dict(b.env),
        dict(layout.definitions),
        len(layout.writes),
        {k: list(v) for k, v in layout.bindings.items()},
        len(layout.frames),
        layout.position,
        dict(layout.roles),
        (b.frame, [f.exits for f in b.frame.ancestors()], len(b.frame.statements)),
        (b.statement, b.statement_position, b.conditional, b.callee, b.style, b.fixed_origin),
    )


def restore(b: Builder, state: Any) -> None:
    """Bring a builder back to the state of a snapshot."""
    layout = b.layout
    held, env, definitions, writes, bindings, frames, position, roles, region, place = state
    b.block, block = held
    b.block[:] = block
    b.env = dict(env)
    layout.definitions, layout.roles = dict(definitions), dict(roles)
    layout.bindings = {k: list(v) for k, v in bindings.items()}
    layout.position = position
    b.frame, exits, count = region
    for frame, exit_ in zip(b.frame.ancestors(), exits, strict=True):
        frame.exits = exit_
    del layout.writes[writes:], layout.frames[frames:], b.frame.statements[count:]
    b.statement, b.statement_position, b.conditional, b.callee, b.style, b.fixed_origin = place
