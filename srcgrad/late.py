"""What is imported when it is first asked for: the compiler, the tape, what saves text.

``import srcgrad`` and ``grad(f)`` bring in none of them; a first call brings in what it needs.
What is public stands here where something below makes it: a decorated function its Hessian,
a pickle its derivative.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

_MODULES = {
    "Code": "srcgrad.cache.entries",
    "BackwardLog": "srcgrad.debugging.log",
    "FiniteCheck": "srcgrad.debugging.finite",
    "annotate": "srcgrad.debugging.notes",
    "blame": "srcgrad.debugging.blame",
    "check": "srcgrad.checking",
    "debug": "srcgrad.debugging.stepping",
    "derive": "srcgrad.generation.nested",
    "dtrsm": "scipy.linalg.blas",
    "effects": "srcgrad.effects",
    "file_of": "srcgrad.debugging.stepping",
    "flushing": "srcgrad.mpi.channels",
    "generate": "srcgrad.generation.generate",
    "grad": "srcgrad.calling.api",
    "hessian": "srcgrad.calling.jacobians",
    "hvp": "srcgrad.calling.jacobians",
    "instrumented": "srcgrad.load.instrumented",
    "jacfwd": "srcgrad.calling.jacobians",
    "jacobian": "srcgrad.calling.jacobians",
    "jacrev": "srcgrad.calling.jacobians",
    "keep": "srcgrad.cache.entries",
    "kept": "srcgrad.cache.entries",
    "key_of": "srcgrad.cache.keys",
    "kinds": "srcgrad.generation.recorded_code",
    "known_to_numba": "srcgrad.generation.in_numba",
    "leaves_of": "srcgrad.ir.structures",
    "load_used": "srcgrad.formulas",
    "loops_for_numba": "srcgrad.generation.loops_in_numba",
    "making_loop": "srcgrad.calling.batches",
    "may_run_again": "srcgrad.frontend.checks.harmless",
    "note_registered": "srcgrad.effects",
    "numba_pair": "srcgrad.generation.in_numba",
    "message_function": "srcgrad.mpi.messages",
    "origin": "srcgrad.debugging.notes",
    "otherwise": "srcgrad.calling.second_way",
    "recorded": "srcgrad.tape.regions",
    "recorded_code": "srcgrad.generation.recorded_code",
    "recorded_jvp": "srcgrad.tape.regions",
    "require_real_results": "srcgrad.calling.real_results",
    "saved": "srcgrad.debugging.trace",
    "repeatable": "srcgrad.frontend.checks.harmless",
    "seen_results": "srcgrad.tape.regions",
    "slots_of": "srcgrad.cache.slots",
    "source_of": "srcgrad.generation.generate",
    "sparse_hessian": "srcgrad.sparse.jacobians",
    "sparse_jacobian": "srcgrad.sparse.jacobians",
    "standalone": "srcgrad.generation.saving",
    "stopped": "srcgrad.debugging.stepping",
    "text_for": "srcgrad.debugging.stepping",
    "trace": "srcgrad.debugging.trace",
    "validate": "srcgrad.expansion.validate",
    "value_and_grad": "srcgrad.calling.api",
    "watching": "srcgrad.tape.regions",
    "written_slots": "srcgrad.cache.slots",
    "with_imports": "srcgrad.generation.saving",
    "with_recorded_calls": "srcgrad.generation.recorded_code",
    "words_for_numba": "srcgrad.generation.in_numba",
}


# Held while code is generated or a module of srcgrad's is imported. A process that begins
# meanwhile would wait for a thread that it does not have.
LOCK = threading.RLock()
if sys.platform != "win32":
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )


if TYPE_CHECKING:  # for type checkers it is that of functools
    from functools import cached_property as ComputedOnce  # noqa: N812
else:

    class ComputedOnce(functools.cached_property):
        """A property that is computed once, without a lock.

        Up to Python 3.11 that of functools has one, which a process that begins while another
        thread computes the property would wait for without end.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """Return the value, and compute it the first time."""
            if instance is None:
                return self
            known = vars(instance)
            if self.attrname not in known:
                known[self.attrname] = self.func(instance)
            return known[self.attrname]


def late(name: str) -> Any:
    """Return a function of a module that is imported when it is first asked for.

    Args:
        name: one of those that the table names.
    """
    with LOCK:
        return getattr(import_module(_MODULES[name]), name)


def module_of(name: str) -> ModuleType | None:
    """Return a module that is loaded, or is one of srcgrad's own; None for any other.

    Args:
        name: its name.
    """
    if name.partition(".")[0] == "srcgrad":
        with LOCK:
            return import_module(name)
    return sys.modules.get(name)
