"""Functions of a generated module that have one text: one of them takes the place of all.

Layers of one kind are such functions: their arrays have other lengths, which no text shows.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from srcgrad.load.texts import FunctionText


def without_twins(functions: list[FunctionText], kept: Collection[str]) -> list[FunctionText]:
    """Return functions of which no two have the same text."""
    while True:
        groups: dict[Any, list[FunctionText]] = {}
        for function in functions:
            groups.setdefault(_key(function, functions, kept), []).append(function)
        if len(groups) == len(functions):
            return functions
        names = {
            each.name: min((twin.name for twin in twins), key=lambda name: (len(name), name))
            for twins in groups.values()
            for each in twins
        }
        functions = [_renamed(twins[0], names) for twins in groups.values()]


def _key(function: FunctionText, functions: list[FunctionText], kept: Collection[str]) -> Any:
    """What functions have in common that do the same."""
    if function.name in kept or function.apart is not None:
        return function.name
    own, source = {each.name for each in functions}, function.source
    text = re.sub(rf"\b{function.name}\b", "", function.text)
    read = frozenset((k, id(thing)) for k, thing in function.externals.items() if k not in own)
    cells = frozenset((name, id(cell)) for name, cell in source.cells.items())
    return text, read, id(source.function), id(source.globals), cells


def _renamed(function: FunctionText, names: dict[str, str]) -> FunctionText:
    text = re.sub(r"(?<![.\w])\w+", lambda word: names.get(word[0], word[0]), function.text)
    externals = {names.get(name, name): thing for name, thing in function.externals.items()}
    return replace(function, name=names[function.name], text=text, externals=externals)
