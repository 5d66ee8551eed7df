"""Derivatives of the densities of scipy.stats, a file for each distribution."""
