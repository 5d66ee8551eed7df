"""Lower calls of libraries of arrays, and views."""
