"""The texts of the derivatives of programs, for comparison between processes.

``python -m tests.generated_texts NAME...`` prints them as JSON, generated in the
order of the names.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable

from srcgrad import differentiate, grad, source, value_and_grad
from srcgrad.errors import SrcgradError
from tests.programs.table import Program, programs


def texts_of(case: Program) -> dict[str, str]:
    """Return the texts of a program's derivatives, by what they are.

    They are generated for the program's arguments, but for ``any``, which is for
    any arguments. Where a derivative is refused, its text is that of the error.
    """
    args = case.make_args()
    wrt = case.wrt if len(case.wrt) > 1 else case.wrt[0]

    def split(fn: Callable) -> str:
        made = differentiate(fn, wrt=wrt)
        made.vjp(*args)
        return made.source("vjp")

    def joint(kind: Callable) -> str:
        made = kind(case.fn, wrt=wrt)
        made(*args)
        return source(made)

    makers = {"vjp": lambda: split(case.fn)}
    if not case.vector:
        makers["grad"] = lambda: joint(grad)
        makers["value_and_grad"] = lambda: joint(value_and_grad)
        makers["any"] = lambda: source(grad(case.fn, wrt=wrt))
        makers["second"] = lambda: split(grad(case.fn, wrt=wrt))
    texts = {}
    for kind, make in makers.items():
        try:
            texts[kind] = make()
        except SrcgradError as error:
            texts[kind] = str(error)
    return texts


def generate(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the texts of the programs of these names, generated in this order."""
    table = {case.name: case for case in programs()}
    return {name: texts_of(table[name]) for name in names}


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # programs print
        made = generate(sys.argv[1:])
    json.dump(made, sys.stdout)
