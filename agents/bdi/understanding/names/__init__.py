"""Which file, folder or part of the code a name means, among those that are there.

Imports `words`.
"""
