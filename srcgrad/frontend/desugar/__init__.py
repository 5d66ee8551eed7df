"""Rewrite syntax in simpler syntax, before anything is known."""
