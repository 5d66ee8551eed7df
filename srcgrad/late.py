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
    name: module
    for module, names in {
        "scipy.linalg.blas": "dtrsm",
        "srcgrad.cache.entries": "Code keep kept",
        "srcgrad.cache.keys": "key_of",
        "srcgrad.cache.slots": "slots_of written_slots",
        "srcgrad.calling.api": "grad value_and_grad",
        "srcgrad.calling.batches": "making_loop",
        "srcgrad.calling.jacobians": "hessian hvp jacfwd jacobian jacrev",
        "srcgrad.calling.second_way": "otherwise",
        "srcgrad.checking": "check",
        "srcgrad.debugging.blame": "blame",
        "srcgrad.debugging.finite": "FiniteCheck",
        "srcgrad.debugging.log": "BackwardLog",
        "srcgrad.debugging.notes": "annotate origin",
        "srcgrad.debugging.stepping": "debug file_of stopped text_for",
        "srcgrad.debugging.trace": "saved trace",
        "srcgrad.effects": "effects note_registered",
        "srcgrad.expansion.validate": "validate",
        "srcgrad.formulas": "load_used",
        "srcgrad.frontend.checks.changed_state": "may_run_again repeatable",
        "srcgrad.generation.generate": "generate source_of",
        "srcgrad.generation.in_numba": "known_to_numba numba_pair words_for_numba",
        "srcgrad.generation.loops_in_numba": "loops_for_numba",
        "srcgrad.generation.nested": "derive",
        "srcgrad.generation.recorded_code": "kinds recorded_code with_recorded_calls",
        "srcgrad.generation.saving": "standalone with_imports",
        "srcgrad.ir.structures": "holds_complex leaves_of",
        "srcgrad.load.instrumented": "instrumented",
        "srcgrad.mpi.channels": "flushing",
        "srcgrad.mpi.messages": "message_function",
        "srcgrad.sparse.jacobians": "sparse_hessian sparse_jacobian",
        "srcgrad.tape.regions": "recorded recorded_jvp seen_results watching",
    }.items()
    for name in names.split()
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
    """Return a function of a module that is imported when it is first asked for."""
    with LOCK:
        return getattr(import_module(_MODULES[name]), name)


def module_of(name: str) -> ModuleType | None:
    """Return a module that is loaded, or is one of srcgrad's own; None for any other."""
    if name.partition(".")[0] == "srcgrad":
        with LOCK:
            return import_module(name)
    return sys.modules.get(name)
