"""The second way through: a tape that records what a function does while it runs.

It uses the formulas that the transformer uses, and shares no other code with it; where
the two agree, each is a witness for the other. It takes whatever Python runs.

In the order in which to read it:

* ``recording``: boxes, the tape, and the walk back over it.
* ``memory``: writes to arrays, and reads of memory that was written to.
* ``syntax``, ``rewriting``: the code of the user's functions, rewritten so that each call,
  operator, subscript and write goes through one of the next two modules.
* ``calls``: the one place that every call goes through; ``formulas``: the arguments of a
  call as its formula takes them.
* ``conversions``: what Python and NumPy take an object for, a number or an array.
* ``operators``: what stands for operators, subscripts, attributes and writes.
* ``devices``: functions of CuPy's.
* ``arrays``: a box as an array, for code that is not rewritten.
* ``library``, ``prelude``: functions that are called in a way of their own.
* ``interceptions``: what the user puts into the backward part.
* ``frames``: what looks at the frame that it is called in.
* ``ranks``, ``messages``: messages of MPI programs; ``threads``: threads that a function starts.
* ``solvers``, ``sparse_calls``, ``draws``, ``splines``: what belongs to SciPy; ``undoing``: calls
  that the program has not asked for.
* ``trees``: arguments and results that hold others.
* ``derivatives``: what the user calls.
"""

from __future__ import annotations

from srcgrad.tape import printing, rewriting
from srcgrad.tape.derivatives import grad, jvp, value_and_grad, vjp
from srcgrad.tape.libraries import (
    draws,
    frames,
    interceptions,
    iterators,
    library,
    ranks,
    solvers,
    sparse_calls,
    splines,
    threads,
)
from srcgrad.tape.recording import Tape
from srcgrad.tape.straight import program

assert program.program  # which says what a tape is as a program
assert printing.lines  # which defines how a tape is shown
assert iterators.Iteration  # which says how np.nditer is called
for _module in (
    draws,
    frames,
    interceptions,
    library,
    ranks,
    solvers,
    sparse_calls,
    splines,
    threads,
):  # each says how functions are called
    rewriting.HELPERS.update(_module.HANDLERS)

__all__ = ["Tape", "grad", "jvp", "value_and_grad", "vjp"]
