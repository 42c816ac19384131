"""A person's decision: rights, words and digest, held for a moment, written once, asked for by the gate.

Imports `talk` and below.
"""
