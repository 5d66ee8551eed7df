"""Which primal values the backward part reads, and where they are kept."""
