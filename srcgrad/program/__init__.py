"""What is read of the user's program when code is generated."""
