"""Seeing a derivative at work: the first value that is not finite, what each line did, and when."""
