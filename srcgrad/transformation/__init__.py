"""What one transformation shares between the functions it goes through."""
