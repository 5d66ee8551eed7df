"""What derivatives of ``scipy.stats`` call at run time."""
