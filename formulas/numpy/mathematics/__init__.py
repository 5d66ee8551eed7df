"""Formulas of NumPy's mathematical functions, reductions and statistics."""
