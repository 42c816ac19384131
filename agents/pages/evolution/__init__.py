"""Pages of evolution: what the past proposes, the replay and the canary of a version, searches for a better one.

Imports the room `library`.
"""
