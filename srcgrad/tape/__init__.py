"""The reference engine: a tape that records what a function does while it runs.

It is small enough to read in one sitting, differentiates whatever Python code
runs, and is slow. It uses the formulas that the transformer uses, and shares no
other code with it; where the two agree, each is a witness for the other.

In the order in which to read it:

* ``recording``: the tape, and the walk back over it.
* ``binding``: the arguments of a call as its formula takes them.
* ``boxes``: what stands for a number or an array; its calls and writes become entries.
* ``seeing``: how functions without a protocol (``math.sin``) get to see boxes.
* ``derivatives``: what the user calls.
"""

from __future__ import annotations

from srcgrad.tape.derivatives import grad, value_and_grad, vjp
from srcgrad.tape.recording import Tape

__all__ = ["Tape", "grad", "value_and_grad", "vjp"]
