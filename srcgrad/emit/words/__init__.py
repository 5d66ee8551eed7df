"""Names, expressions and lines of generated text."""
