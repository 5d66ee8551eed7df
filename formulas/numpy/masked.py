"""Which of the functions for masked arrays tell whether something is one."""

from numpy import ma

from srcgrad.registry import class_tests

class_tests(ma.isMaskedArray)
