"""Read the text of a function: trees, names, lines."""
