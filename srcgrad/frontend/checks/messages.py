"""Programs that send messages to other ranks, or receive some.

What a rank receives depends on what another one sends, whatever this one's text says. So a
program with such calls is recorded as a whole, and no call of it is taken for a constant.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.mentions import mentions_of, thing_at
from srcgrad.frontend.checks.purity import Purity, is_own, names_of
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


def require_no_messages(purity: Purity) -> None:
    """Have a program recorded that uses a communicator of mpi4py's.

    Args:
        purity: what the program names.

    Raises:
        UnsupportedSyntaxError: when it does.
    """
    module = sys.modules.get("mpi4py.MPI")
    if module is None:
        return
    by_name = {name for name in purity.reads.attributes if name.lower() in _MESSAGES}
    for thing in list(purity.seen.values()):
        if isinstance(getattr(thing, "__self__", None), module.Comm):
            raise _refusal(thing.__name__)
        if not isinstance(thing, types.FunctionType) or not is_own(thing):
            continue
        nodes = functions_at(thing.__code__, thing.__globals__)
        names = names_of(thing)
        for name, path, _ in mentions_of(nodes[0]).loaded if len(nodes) == 1 else ():
            if name.lower() not in _MESSAGES:
                continue
            by_name.discard(name)
            found = None if path is None else thing_at(path, names)
            if found is None or isinstance(getattr(found, "__self__", None), module.Comm):
                raise _refusal(name)
    if by_name:
        raise _refusal(min(by_name))


def _refusal(name: Any) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(
        f"messages go to or come from other ranks (.{name})",
        why="What is received depends on what other ranks do.",
    )
