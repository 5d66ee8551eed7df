"""The reference engine: a tape that records what a function does while it runs.

It is small enough to read in one sitting, differentiates whatever Python code
runs, and is slow. It uses the formulas that the transformer uses, and shares no
other code with it; where the two agree, each is a witness for the other.

* ``boxes``: what stands for a number or an array while it is recorded.
* ``calls``: a call with boxes among its arguments becomes an entry.
* ``seeing``: how functions without a protocol (``math.sin``) get to see boxes.
* ``recording``: the tape and the walk back.
"""

from __future__ import annotations

from srcgrad.tape.derivatives import grad, value_and_grad, vjp
from srcgrad.tape.recording import Tape

__all__ = ["Tape", "grad", "value_and_grad", "vjp"]
