"""Liveness, and how often variables are read."""
