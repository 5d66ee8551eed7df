"""What is noted of the steps of a tape, and told to those who watch."""
