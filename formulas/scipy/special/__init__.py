"""Derivatives of scipy.special, in the order of its reference."""
