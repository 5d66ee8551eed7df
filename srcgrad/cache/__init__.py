"""Generated code that is kept on disk, for other processes."""
