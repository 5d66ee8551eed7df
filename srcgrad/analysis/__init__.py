"""Questions about a program: shapes, aliasing, liveness, what must be kept."""
