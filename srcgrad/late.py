"""What is imported when it is first asked for: the compiler, the tape and what saves text.

``import srcgrad`` and ``grad(f)`` bring in neither; a first call brings in what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "derive": "srcgrad.nested",
    "generate": "srcgrad.generate",
    "leaves_of": "srcgrad.structures",
    "recorded_code": "srcgrad.recorded_code",
    "standalone": "srcgrad.saving",
    "validate": "srcgrad.expansion.validate",
    "with_imports": "srcgrad.saving",
}


def late(name: str) -> Any:
    """Return a function of a module that is imported when it is first asked for.

    Args:
        name: one of those that the table names.
    """
    return getattr(import_module(_MODULES[name]), name)
