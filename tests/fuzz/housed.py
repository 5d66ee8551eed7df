"""Random programs whose statements stand elsewhere: in a method, a constructor, a generator."""

from __future__ import annotations

import ast
from dataclasses import replace

from hypothesis import strategies as st

from tests.fuzz.programs import Program
from tests.housing import HOUSES, moved


def housed(*kinds: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    """Return a strategy for programs of some kinds in any of the places they may stand in."""
    return st.builds(in_house, st.one_of(kinds), st.sampled_from(sorted(HOUSES)))


def in_house(program: Program, house: str) -> Program:
    """Return a program with the statements of its function in another place, if they can be.

    A call whose result nobody needs is not carried out; then it raises nothing, either.
    """
    if "raise" in program.source:
        return program
    module = ast.parse(program.source)
    pieces = []
    for part in module.body:
        text = None
        if isinstance(part, ast.FunctionDef) and part.name == "f":
            text = moved(part, house)
        pieces.append(text or ast.unparse(part))
    return replace(program, source="\n".join(pieces))
