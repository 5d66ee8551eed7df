"""Lower expressions, and what goes through or writes into what they give."""
