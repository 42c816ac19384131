"""A person's decision: its rights, text and digest; held for a moment, written once, read by the gate.

Imports `talk` and below.
"""
