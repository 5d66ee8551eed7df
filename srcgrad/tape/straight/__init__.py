"""What ran on a tape, as the straight-line program that it was."""
