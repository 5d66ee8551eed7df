"""Names for the variables of the backward part.

Variables that hand a value on to each other (through a loop, out of a branch, by
an in-place write) share a name where their lives do not overlap; where they do,
a copy is written. Where several cotangents of a name of the user's are there at once, the last
one, which is complete, has the plain name.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable

from srcgrad.analysis.flow import liveness
from srcgrad.analysis.kept.plans import Names
from srcgrad.frontend.state.builder import OPERATOR_NAMES
from srcgrad.ir.blocks import carried_of, merges_of, statements, targets_of
from srcgrad.ir.nodes import Block, Equation, Loop, Statement, Var

_GENERIC = OPERATOR_NAMES | {"getitem", "item", "value", "spread", "total", "expand_dims", "T"}
_GENERIC |= {f.strip("_") for f in dir(operator)}


def assign_names(
    block: Block,
    live_out: set[Var],
    mine: list[Var],
    uses: Callable[[Equation], Iterable[Var]],
    value_uses: Callable,
    together: list[tuple[Var, Var]],
    names: Names,
    fixed: dict[Var, str],
) -> dict[Var, str]:
    """Give each variable of a block a name."""
    clash: dict[Var, set[Var]] = {v: set() for v in mine}
    order: list[Var] = []

    def meet(a: Var, b: Var) -> None:
        if a is not b and a in clash and b in clash:
            clash[a].add(b)
            clash[b].add(a)

    def visit(statement: Statement, live: frozenset[Var]) -> None:
        for target in targets_of(statement):
            order.append(target)
            for other in live:
                meet(target, other)
            for other in targets_of(statement):
                meet(target, other)
        if isinstance(statement, Loop):
            outs = set(targets_of(statement))
            for c in statement.carried:
                for other in live - outs:
                    meet(c.param, other)

    def own_uses(eq: Equation) -> list[Var]:
        return [v for v in uses(eq) if v in clash]

    heads: dict[Loop, set[Var]] = {}
    entering = liveness.walk(block, live_out, own_uses, visit, value_uses, heads)
    for given in fixed:  # parameters are all there at once, before the first statement
        for other in [*fixed, *entering]:
            meet(given, other)
    for loop, inside in heads.items():
        _meet_loop(loop, inside, value_uses, meet)
    groups = _Groups(clash)
    for a, b in together:
        groups.join(a, b)
    for a, b in _handed_on(block):
        given = (a in fixed) != (b in fixed) and a.name.endswith("_dot")
        if not given or a.name == b.name:  # x_dot does not go by the name of another tangent
            groups.join(a, b)
    result: dict[Var, str] = dict(fixed)
    owners: dict[str, list[Var]] = {}
    for var, name in fixed.items():
        owners.setdefault(name, []).append(groups.find(var))
    own = names.taken - names.given - vars(builtins).keys() - _GENERIC
    complete = {v.name: v for v in reversed(order) if v.name.removesuffix("_bar") in own}
    last = sorted(mine, key=lambda v: v.name)
    ordered = list(dict.fromkeys([*fixed, *complete.values(), *reversed(order), *last]))
    for var in ordered:
        root = groups.find(var)
        if var not in clash or var in result:
            continue
        members = groups.members(root)
        known = next((result[m] for m in members if m in result), None)
        name = known or _choose(root, members, owners, groups, names)
        owners.setdefault(name, []).append(root)
        for member in members:
            result[member] = name
    return result


def _choose(root, members, owners, groups, names: Names) -> str:
    wanted = next((m.name for m in members if m.named), root.name)
    if wanted in _GENERIC and not any(m.named for m in members):
        wanted = "term"
    name, count = wanted, 1
    met = set().union(*(groups.clash.get(m, ()) for m in members))
    while True:
        others = owners.get(name, ()) if name not in names.taken else None
        if others is not None and all(met.isdisjoint(groups.members(other)) for other in others):
            return name
        count += 1
        name = f"{wanted}{count}" if not wanted[-1].isdigit() else f"{wanted}_{count}"
        if count == 2 and wanted in names.taken:
            name = f"{wanted}_"


class _Groups:
    def __init__(self, clash: dict[Var, set[Var]]) -> None:
        self.clash = clash
        self.parent = {v: v for v in clash}
        self.inside = {v: [v] for v in clash}

    def find(self, var: Var) -> Var:
        while self.parent.get(var, var) is not var:
            var = self.parent[var]
        return var

    def members(self, root: Var) -> list[Var]:
        return self.inside.get(root, [root])

    def clashes(self, a: Var, b: Var) -> bool:
        if a is b:
            return False
        others = self.members(b)
        return any(
            m in self.clash and not self.clash[m].isdisjoint(others) for m in self.members(a)
        )

    def join(self, a: Var, b: Var) -> None:
        if a not in self.parent or b not in self.parent:
            return
        a, b = self.find(a), self.find(b)
        if a is b or self.clashes(a, b):
            return
        self.parent[b] = a
        self.inside[a] = self.inside[a] + self.inside[b]


def _meet_loop(loop: Loop, inside: set[Var], value_uses, meet) -> None:
    """Parameters of a loop are there together, and with all that its body reads."""
    params = [c.param for c in loop.carried]
    for param in params:
        for other in [*params, *inside]:
            meet(param, other)
    # What is live across the loop is live at its head, and at its end.
    for c in loop.carried:
        for other in loop.carried:
            if other is not c:
                for v in value_uses(other.init):
                    meet(c.param, v)


def _handed_on(block: Block) -> list[tuple[Var, Var]]:
    pairs: list[tuple[Var, Var]] = []
    for statement in statements(block):
        for m in merges_of(statement):
            pairs += [(m.out, v) for v in (m.then, m.orelse) if isinstance(v, Var)]
        for c in carried_of(statement):
            pairs.append((c.param, c.out))
            pairs += [(c.param, v) for v in (c.next, c.init) if isinstance(v, Var)]
    return pairs
