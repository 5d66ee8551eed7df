"""What the derivatives of scipy.ndimage call at run time."""
