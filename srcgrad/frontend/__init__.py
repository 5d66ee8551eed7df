"""From a function object to the intermediate representation."""
