"""Communicators of mpi4py, where a program uses them."""

from __future__ import annotations

import sys
from typing import Any

ASKING = ("Get_", "Is_", "Barrier", "barrier")  # how methods begin that write nothing
COUNTING = ("Get_rank", "Get_size", "rank", "size")  # and what gives whole numbers


def is_communicator(thing: Any) -> bool:
    """Tell whether something is a group of ranks that send messages to each other."""
    module = sys.modules.get("mpi4py.MPI")
    return module is not None and isinstance(thing, module.Intracomm)


def is_sum(thing: Any) -> bool:
    """Tell whether something is the operation by which ranks add up what they have."""
    module = sys.modules.get("mpi4py.MPI")
    return module is not None and type(thing) is module.Op and thing == module.SUM
