"""Programs that send messages to other ranks, or receive some.

What a rank receives depends on what another one sends, whatever this one's text says. So a
program with such calls is recorded as a whole, and no call of it is taken for a constant.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.function_text import mentions_of, thing_at
from srcgrad.frontend.checks.purity import Purity, is_own, names_of
from srcgrad.frontend.text.trees import below
from srcgrad.library.attributes import plainly
from srcgrad.program.syntax_trees import functions_at

_ROUTES = """
allgather allreduce alltoall bcast exscan gather reduce reduce_scatter reduce_scatter_block scan
scatter send recv sendrecv sendrecv_replace
"""
_MESSAGES = frozenset(
    prefix + spelling
    for route in _ROUTES.split()
    for spelling in (route, f"{route}v", f"{route}w", f"{route}_init", f"{route}_replace")
    for prefix in ("", "i", "s", "b", "r", "is", "ib", "ir", "m", "neighbor_", "ineighbor_")
)


_NOT_ONCE = (
    *(cst.Try, cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.Comparison, cst.Assert),
    *(cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp),
)
LOWERED = frozenset(
    {"Sendrecv_replace", "Send", "Ssend", "Recv", "Sendrecv", "Bcast", "Allreduce", "allreduce"}
)


def messages_of(purity: Purity, entry: Any) -> bool:
    """Tell whether a function sends messages to other ranks, or receives some, in its own text.

    Raises:
        UnsupportedSyntaxError: when called functions do.
    """
    module = sys.modules.get("mpi4py.MPI")
    if module is None:
        return False
    by_name = {name for name in purity.reads.attributes if name.lower() in _MESSAGES}
    bound = set()
    own = False
    for thing in list(purity.seen.values()):
        if isinstance(plainly(thing, "__self__"), module.Comm):
            bound.add(thing.__name__)
        if not isinstance(thing, types.FunctionType) or not is_own(thing):
            continue
        nodes = functions_at(thing.__code__, thing.__globals__)
        names = names_of(thing)
        for name, path, _ in mentions_of(nodes[0]).loaded if len(nodes) == 1 else ():
            if name.lower() not in _MESSAGES:
                continue
            by_name.discard(name)
            found = None if path is None else thing_at(path, names)
            if found is not None and not isinstance(plainly(found, "__self__"), module.Comm):
                continue
            if thing.__code__ is not entry.__code__ or name not in LOWERED:
                raise _refusal(name)
            bound.discard(name)
            own = True
    if by_name | bound:
        raise _refusal(min(by_name | bound))
    return own


def require_lowered(tree: cst.CSTNode, lowered: set[int]) -> None:
    """Make sure that what a text says of messages was understood.

    Args:
        tree: the text of a function.
        lowered: the calls that were lowered as messages, by identity.

    Raises:
        UnsupportedSyntaxError: when a message is named elsewhere, is sent in a ``try``, or is not
            the only one of a line that is run once: lines of text may name parts of theirs before.
    """
    calls = {id(call): call for call in below(tree) if id(call) in lowered}
    known = {id(call.func) for call in calls.values()}
    alone = set()
    for node in below(tree):
        if isinstance(node, cst.Attribute) and node.attr.value.lower() in _MESSAGES:
            if id(node) not in known:
                raise _refusal(node.attr.value)
        inside = [id(part) for part in below(node) if id(part) in calls]
        if inside and isinstance(node, _NOT_ONCE):
            raise _refusal(calls[inside[0]].func.attr.value)
        if len(inside) == 1 and isinstance(node, cst.SimpleStatementLine):
            alone.update(inside)
    for call in calls.keys() - alone:
        raise _refusal(calls[call].func.attr.value)


def _refusal(name: Any) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"messages go to or come from other ranks (.{name})",
        why="What is received depends on what other ranks do.",
    )
