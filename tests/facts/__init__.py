"""State that a function reads, and that changes between two calls of its derivatives."""
