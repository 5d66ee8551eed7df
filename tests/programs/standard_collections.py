"""Classes and iterators of Python's standard library."""



