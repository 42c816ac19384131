"""Which goal comes next, and how firmly an agent holds on to its plan while beliefs change.

Imports `plans` and `beliefs`.
"""
