"""Points without a grid: what SciPy interpolates between them, and what it tells of them."""
