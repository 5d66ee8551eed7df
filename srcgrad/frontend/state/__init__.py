"""The state of one lowering, and what all of lowering needs."""
