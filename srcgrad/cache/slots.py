"""The structures of gradients and results, as plain data."""

from __future__ import annotations

from typing import Any

from srcgrad.ir.forms import Form, Skeleton, dict_form

_PLAIN = (str, int, bool, type(None))


class _NoPlainData(Exception):
    """A structure with a class of the user's in it."""


def written_slots(slots: Any) -> Any:
    """Return what is known of the results of generated code as plain data.

    Returns:
        None where classes of the user's are in it.
    """
    try:
        return _written(slots)
    except _NoPlainData:
        return None


def _written(thing: Any) -> Any:
    if isinstance(thing, Skeleton):
        return "skeleton", _form(thing.form), _written(thing.parts), thing.live
    if isinstance(thing, tuple | list):
        return type(thing).__name__, tuple(map(_written, thing))
    if type(thing) in _PLAIN:
        return "plain", thing
    raise _NoPlainData


def _form(form: Any) -> Any:
    if form is None or form in (tuple, list):
        return None if form is None else form.__name__
    if type(form) is Form and form.cls is dict and all(type(n) in _PLAIN for n in form.names):
        return form.names
    raise _NoPlainData


def slots_of(plain: Any) -> Any:
    """Return what was known of the results of generated code."""
    kind, *rest = plain
    if kind == "plain":
        return rest[0]
    if kind == "skeleton":
        form, parts, live = rest
        if isinstance(form, str):
            form = {"tuple": tuple, "list": list}[form]
        elif form is not None:
            form = dict_form(form)
        return Skeleton(form, slots_of(parts), live)
    made = [slots_of(part) for part in rest[0]]
    return tuple(made) if kind == "tuple" else made
