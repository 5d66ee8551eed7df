"""Lower what is done with lists, dicts, tuples, and objects."""
