"""Refusing functions in which a name of Python's, such as ``sum``, stands for something else.

Text is understood by some of these names, and written with others.
"""

from __future__ import annotations

import builtins

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks.mentions import mentions_of
from srcgrad.frontend.text.source import Source
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts, namespaces
from srcgrad.program.syntax_trees import functions_at

_WRITTEN = frozenset({"enumerate", "float", "len", "list", "range", "slice", "sorted", "zip"})
_UNDERSTOOD = frozenset({"all", "any", "dict", "map", "max", "min", "reversed", "sum", "tuple"})


def require_usual_names(source: Source) -> None:
    """Refuse a function in which a name has another meaning than text that is written with it.

    What NumPy has under a name does the same for what is understood by it.
    """
    code = source.function.__code__
    nodes = functions_at(code, source.globals)
    found = [mentions_of(tree) for tree in nodes]
    bound = {name for each in found for name in each.bound | each.parameters}
    called = {path[0] for each in found for path in each.calls if len(path) == 1}
    for name in sorted(_WRITTEN | (_UNDERSTOOD & called)):
        if name not in bound:
            namespace = source.cells.get(name, source.globals)
            read = facts.read_name if name in called else namespaces.read_name
            value = read(namespace, name)
            own = value is getattr(builtins, name)
            if own or (name in _UNDERSTOOD and home(value) in WITH_FORMULAS):
                continue
        raise UnsupportedSyntaxError(
            f"{name} is not Python's function of that name in {source.name}",
            spots=[source.spot(source.tree)],
            fixes=["give it another name"],
        )
