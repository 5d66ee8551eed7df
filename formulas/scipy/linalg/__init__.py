"""Derivatives of scipy.linalg, in the order of its reference."""
