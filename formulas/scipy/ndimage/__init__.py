"""Derivatives of scipy.ndimage, in the order of its reference."""
