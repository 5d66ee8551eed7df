"""Called functions that must keep copies, since their caller writes into what both hold.

Both hold what the function was given, what it gave back, and what is reached from outside.
"""

from __future__ import annotations

from srcgrad.analysis.memory.clobber import ChangedLists, Clobbered
from srcgrad.ir.leaves import is_target, leaves
from srcgrad.ir.nodes import PAIR, Function, Var, equations, variables


def expose(function: Function) -> None:
    """Find, in all functions that a function calls, which must keep copies."""
    queue = [function]
    seen: set[tuple[Function, frozenset[Var], bool]] = set()
    while queue:
        caller = queue.pop()
        state = (caller, caller.exposed, caller.outside_exposed)
        if state in seen:
            continue
        seen.add(state)
        clobbered, lists = Clobbered(caller), ChangedLists(caller)
        for call in equations(caller.body):
            if call.op.fn is not PAIR or call.payload.pair.function is None:
                continue
            called = call.payload.pair.function
            queue.append(called)
            made = [caller.layout.definitions[v] for v in (*call.targets, *call.payload.versions)]
            if not made:
                continue  # it gives a function, and nothing that a backward part needs
            since, frame = max(d.order for d in made), made[0].frame
            called.outside_exposed |= clobbered.outside(since, frame)
            given = [v for v in leaves(called.result) if is_target(v)]
            shared = [(arg, own) for arg, (_, own) in zip(call.args, called.params, strict=True)]
            for theirs, own in [*shared, *zip(call.targets, given, strict=True)]:
                outside = any(clobbered(leaf, since=since) for leaf in leaves(theirs))
                if outside or any(lists.later(leaf, since, frame) for leaf in leaves(theirs)):
                    called.exposed |= frozenset(variables(own))
