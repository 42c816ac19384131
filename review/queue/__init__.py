"""What waits for a person: listed, grouped, counted, assigned, and its time limits.

Imports `levels` and below.
"""
