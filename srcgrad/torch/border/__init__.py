"""Functions that cross the border between NumPy and other libraries, with their derivatives."""
