"""From the call of a derivative to the code that fits it."""
