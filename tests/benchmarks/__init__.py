"""Benchmarks: generated code against the code an expert writes by hand.

``make bench`` runs them; pytest does not. Every ratio comes from one run whose
candidates take turns, and is a ratio of medians.
"""
