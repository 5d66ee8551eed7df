"""Effects at every position of an expression, in every way that a helper can have one."""
