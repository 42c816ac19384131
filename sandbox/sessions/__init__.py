"""A session: each of its commands carried out in the jail, how a program's end is judged, undo.

Imports the jail, the gate, the analysis and the store.
"""
