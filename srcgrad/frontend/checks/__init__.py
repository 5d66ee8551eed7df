"""What is found, or refused, in the syntax of a program before it is lowered."""
