"""Which values share memory, and who sees which write."""
