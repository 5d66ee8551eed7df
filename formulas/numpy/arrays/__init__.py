"""Formulas of NumPy's functions that make, shape, join and index arrays."""
