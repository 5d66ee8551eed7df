"""Libraries, and the effects of families of their functions."""
