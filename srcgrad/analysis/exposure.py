"""Called functions that must keep copies, since their caller writes into what they were given."""

from __future__ import annotations

from srcgrad.analysis.clobber import ChangedLists, Clobbered
from srcgrad.ir.nodes import PAIR, Equation, Function, Var, equations, variables
from srcgrad.transform.results import leaves


def expose(function: Function) -> None:
    """Find, in all functions that a function calls, which must keep copies.

    Args:
        function: the function that is differentiated.
    """
    queue = [function]
    seen: set[tuple[Function, frozenset[Var]]] = set()
    while queue:
        caller = queue.pop()
        if (caller, caller.exposed) in seen:
            continue
        seen.add((caller, caller.exposed))
        clobbered, lists = Clobbered(caller), ChangedLists(caller)
        for call in equations(caller.body):
            if call.op.fn is not PAIR or call.payload.pair.function is None:
                continue
            called = call.payload.pair.function
            since = end_of(call, caller)
            frame = caller.layout.definitions[call.targets[0]].frame
            for arg, (_, parameter) in zip(call.args, called.params, strict=True):
                outside = any(clobbered(leaf, since=since) for leaf in leaves(arg))
                if outside or any(lists.later(leaf, since, frame) for leaf in leaves(arg)):
                    called.exposed |= frozenset(variables(parameter))
            queue.append(called)


def end_of(call: Equation, caller: Function) -> int:
    """When a call has ended, in the order of evaluation."""
    orders = caller.layout.definitions
    return max(orders[v].order for v in (*call.targets, *call.payload.versions))
