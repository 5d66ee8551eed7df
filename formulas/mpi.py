"""Derivatives of messages between ranks: those of mpi4py's communicators.

The derivative is that of the sum of what all ranks return: J. Utke, L. Hascoët, P. Heimbach,
C. Hill, P. Hovland, U. Naumann, "Toward adjoinable MPI", 2009.
"""

from __future__ import annotations

from srcgrad.mpi.transfers import moved, transposed
from srcgrad.registry import formula, nondifferentiable


@formula(moved, sequences="parts transfer")
def moved_(token, parts, transfer):
    """z = (token, what a transfer gives this rank); linear in the parts of all ranks."""
    z = moved(token, parts, transfer)

    def backward(z_bar):
        back = moved(z_bar[0], z_bar[1], transposed(transfer))
        return back[0], back[1], None

    return z, backward


nondifferentiable(transposed)
