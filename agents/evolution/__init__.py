"""How a candidate of the library comes to be, proves itself beside its parent, is put to use and is watched.

Imports goals, planning and execution, whose work it does anew in copies; `replaying` carries out a replay.
"""
