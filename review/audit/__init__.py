"""Signed chains of what people did, the journal, and the seal of an approval.

Imports `models` and `reading`.
"""
