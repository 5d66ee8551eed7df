"""Simplification of the backward part: pure functions from blocks to blocks."""
