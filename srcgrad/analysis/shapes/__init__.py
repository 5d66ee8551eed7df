"""Kinds, ranks and lengths of what calls give back."""
