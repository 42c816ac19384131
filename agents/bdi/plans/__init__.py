"""A plan as a document that people review: its steps, values, conditions and branches, and what is left of it.

Imports `beliefs` and `outcome`.
"""
