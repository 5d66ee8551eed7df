"""Lower calls: of functions with source, of derivatives, of solvers."""
