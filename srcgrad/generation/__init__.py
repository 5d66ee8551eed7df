"""The way through all passes, and modules that stand alone."""
