"""Derivatives of Python's operators, built-in functions and math module."""
