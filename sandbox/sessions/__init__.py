"""A session: its commands in the jail, the result of programs, undo.

Imports the jail, the gate, the analysis and the store.
"""
