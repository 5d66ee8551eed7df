"""What is imported when it is first asked for: the compiler, the tape and what saves text.

``import srcgrad`` and ``grad(f)`` bring in neither; a first call brings in what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {
    "BackwardLog": "srcgrad.debugging.log",
    "FiniteCheck": "srcgrad.debugging.finite",
    "blame": "srcgrad.debugging.blame",
    "debug": "srcgrad.debugging.stepping",
    "derive": "srcgrad.generation.nested",
    "file_of": "srcgrad.debugging.stepping",
    "generate": "srcgrad.generation.generate",
    "has_effects": "srcgrad.frontend.checks.purity",
    "instrumented": "srcgrad.load.instrumented",
    "leaves_of": "srcgrad.ir.structures",
    "load_used": "srcgrad.formulas",
    "recorded": "srcgrad.tape.regions",
    "recorded_code": "srcgrad.generation.recorded_code",
    "saved": "srcgrad.debugging.trace",
    "standalone": "srcgrad.generation.saving",
    "stopped": "srcgrad.debugging.stepping",
    "trace": "srcgrad.debugging.trace",
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
