"""Lower statements, loops and whole functions."""
