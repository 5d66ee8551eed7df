"""From generated text to a function that a debugger can step through."""
