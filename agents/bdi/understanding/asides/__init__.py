"""What a text says besides its commands: courtesy, talk, remarks, and clauses that only tell something.

Imports `names` and `words`.
"""
