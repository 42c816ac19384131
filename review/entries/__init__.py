"""A plan's row in the queue: its place, shape and risk, worked out from real cases and stored.

Imports `models`, `reading` and `risk`.
"""
