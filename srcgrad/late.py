"""What is imported when it is first asked for: the compiler, the tape and what saves text.

``import srcgrad`` and ``grad(f)`` bring in neither; a first call brings in what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "derive": "srcgrad.generation.nested",
    "generate": "srcgrad.generation.generate",
    "has_effects": "srcgrad.frontend.checks.purity",
    "leaves_of": "srcgrad.ir.structures",
    "load_used": "srcgrad.formulas",
    "recorded": "srcgrad.tape.regions",
    "recorded_jvp": "srcgrad.tape.regions",
    "recorded_code": "srcgrad.generation.recorded_code",
    "seen_results": "srcgrad.tape.regions",
    "standalone": "srcgrad.generation.saving",
    "validate": "srcgrad.expansion.validate",
    "with_imports": "srcgrad.generation.saving",
    "with_recorded_calls": "srcgrad.generation.recorded_code",
}


def late(name: str) -> Any:
    """Return a function of a module that is imported when it is first asked for.

    Args:
        name: one of those that the table names.
    """
    return getattr(import_module(_MODULES[name]), name)
