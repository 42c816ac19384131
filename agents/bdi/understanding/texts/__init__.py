"""A whole text: split into clauses, rephrased as commands, read one by one, and decided or asked about.

Imports every other room of `understanding`.
"""
