"""Tangents along many directions at once: one sweep in the place of one for each column."""
