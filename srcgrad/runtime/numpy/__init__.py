"""What derivatives of some of NumPy's functions call at run time."""
