"""One clause read as one command: its slots are filled, and what speaks for and against the reading is weighed.

Imports `values`, `names` and `words`.
"""
