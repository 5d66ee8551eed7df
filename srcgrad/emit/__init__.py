"""From the intermediate representation to readable Python."""
