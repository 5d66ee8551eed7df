"""The parameters through which a function is given tangents."""

from __future__ import annotations

import builtins

import libcst as cst

from srcgrad.analysis.kept.plans import Names
from srcgrad.frontend.text.names import names_in
from srcgrad.ir.nodes import Var


def seed_names(tree: cst.FunctionDef, seeds: list[Var]) -> dict[Var, str]:
    """The names of a function's parameters for tangents, which its callers use too."""
    names = Names({*names_in(tree), *dir(builtins)})
    return {v: names.fresh(v.name) for v in seeds}


def takes_keywords(tree: cst.FunctionDef) -> bool:
    """Whether tangents can only be passed to a function by name."""
    params = tree.params
    given = [*params.posonly_params, *params.params]
    return isinstance(params.star_arg, cst.Param) or any(p.default is not None for p in given)
