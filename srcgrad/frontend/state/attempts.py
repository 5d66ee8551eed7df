"""Lowering that may be given up: the state of a builder before it, and going back there.

The state is kept and dropped whole: whatever the builder and its layout hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Value, Var
from srcgrad.ir.unassigned import UNDEFINED

_HOLDING = (dict, list, set)


def snapshot(b: Builder) -> Any:
    """Return what `restore` needs to undo the lowering that follows."""
    region = b.frame, [f.exits for f in b.frame.ancestors()], len(b.frame.statements)
    return _held(b), _held(b.layout), region


def restore(b: Builder, state: Any) -> None:
    """Bring a builder back to the state of a snapshot."""
    builder, layout, region = state
    frame, exits, count = region
    for own, held in ((b, builder), (b.layout, layout)):
        for name, (value, copy) in held.items():
            if isinstance(value, list):
                value[:] = copy  # others hold the same list
            setattr(own, name, value if isinstance(value, list) else _copied(copy))
    b.frame = frame
    for part, exit_ in zip(frame.ancestors(), exits, strict=True):
        part.exits = exit_
    del frame.statements[count:]


def reaches(b: Builder, lower: Callable[[], Any]) -> bool:
    """Lower code inside of a loop; return False where no iteration so far would have reached it.

    It reads an element of a list that is empty so far, or a name that nothing was given. An
    iteration that does lets the loop be lowered again; where none does, the loop is refused.
    """
    if not (b.loops and b.leaves_out and any(map(_is_empty, b.env.values()))):
        lower()
        return True
    state = snapshot(b)
    try:
        lower()
    except SrcgradError as error:
        if error.later is None:
            raise
        restore(b, state)
        b.later.append(error)
        b.read_again.add(error.later)
        return False
    return True


def _is_empty(value: Value) -> bool:
    if value is UNDEFINED:
        return True
    return isinstance(value, Var) and value.type.kind == "list" and value.type.element is None


def _held(owner: Any) -> dict[str, tuple[Any, Any]]:
    """The attributes of an object, and copies of the containers among them."""
    return {name: (value, _copied(value)) for name, value in vars(owner).items()}


def _copied(value: Any) -> Any:
    """A copy of a container, and of those that a dict holds."""
    if isinstance(value, dict):
        made = dict(value)
        made.update(
            (key, _copied(part)) for key, part in value.items() if isinstance(part, _HOLDING)
        )
        return made
    return type(value)(value) if type(value) in (list, set) else value
