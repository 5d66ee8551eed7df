"""Derivatives of NumPy's functions, in the order of NumPy's reference."""
