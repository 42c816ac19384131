"""How a version is put to use: the trials of a tool, the decision, and the watch that takes a worse one back.

Imports the rooms `auditing` and `replays`.
"""
