"""The texts of the derivatives of programs, for comparison between processes.

``python -m tests.generated_texts NAME...`` prints them as JSON, generated in the
order of the names.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable


from srcgrad import differentiate, grad, source, value_and_grad
from tests.programs.table import Program, programs


def texts_of(case: Program) -> dict[str, str]:
    """Return the texts of a program's derivatives, by what they are.

    Each is generated for the program's arguments; ``any`` is for any arguments.
    """
    args = case.make_args()
    wrt = case.wrt if len(case.wrt) > 1 else case.wrt[0]
    split = differentiate(case.fn, wrt=wrt)
    split.vjp(*args)
    found = {"vjp": split.source("vjp")}
    if case.vector:
        return found
    for kind in (grad, value_and_grad):
        made = kind(case.fn, wrt=wrt)
        made(*args)
        found[kind.__name__] = source(made)
    found["any"] = source(grad(case.fn, wrt=wrt))
    if case.order2:
        second = differentiate(grad(case.fn, wrt=wrt), wrt=wrt)
        second.vjp(*args)
        found["second"] = second.source("vjp")
    return found


def generate(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the texts of the programs of these names, generated in this order."""
    table = {case.name: case for case in programs()}
    return {name: texts_of(table[name]) for name in names}


if __name__ == "__main__":
    json.dump(generate(sys.argv[1:]), sys.stdout)
