"""Turns of phrase that mean a plain command, in the notation of `frames`.

Imports `values` and `words`.
"""
