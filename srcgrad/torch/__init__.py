"""Derivatives across the border to PyTorch: ``function`` and ``formula``."""

from srcgrad.torch.border.modules import formula
from srcgrad.torch.border.operations import function

__all__ = ["formula", "function"]
