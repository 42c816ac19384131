"""Comments and questions about a plan, carried from revision to revision.

Imports `notices` and below.
"""
