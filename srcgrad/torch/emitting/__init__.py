"""Formulas as C++ for PyTorch, and as entries of its table."""
