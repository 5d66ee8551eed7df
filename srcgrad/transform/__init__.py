"""Reverse mode."""
