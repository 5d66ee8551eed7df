"""Scientific programs of many kinds, with the gradients that an expert writes for them.

Each gradient by hand is an honest one: it computes what the gradient needs and nothing of the
value, keeps what it reads later, and reads as a careful author would leave it. Lines of the
program that it needs are the program's own; it differentiates that program, and does not
replace it by what a textbook knows of the problem.
"""

from tests.benchmarks.problems import fitting, learning, matrices, systems

PROBLEMS = [*learning.PROBLEMS, *fitting.PROBLEMS, *systems.PROBLEMS, *matrices.PROBLEMS]
