"""The forward part: the user's text with edits."""
