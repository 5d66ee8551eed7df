"""What derivatives of SciPy's functions call at run time."""
