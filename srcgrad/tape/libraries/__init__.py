"""What the tape does with functions of libraries that no formula alone tells."""
