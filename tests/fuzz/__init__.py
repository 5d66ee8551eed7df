"""Random programs in the supported language, each differentiated in every way there is.

``make fuzz`` runs it for as long as one likes; ``make test`` runs a small, fixed
number of programs. A failure shrinks to a program that a person can read.
"""
