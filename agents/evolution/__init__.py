"""How a candidate of the library proves itself: replays beside its parent, and the gate that uses them.

`gate` (pure) judges, `cases` chooses, `replays` are the rows, `replaying` does the work, `deciding` activates.
"""
