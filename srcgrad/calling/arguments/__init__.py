"""What a derivative is taken of, and the arguments that it is given."""
