"""Sparse Jacobians and Hessians: their pattern, its colouring, and a product for each colour."""

from srcgrad.sparse.jacobians import SparsityWarning
from srcgrad.sparse.sparsity import Sparsity

__all__ = ["Sparsity", "SparsityWarning"]
