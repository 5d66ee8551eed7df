"""Arrays in dicts, objects and lists that augmented assignments write in place; stars of arrays."""


