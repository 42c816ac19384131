"""Signed chains of what people did, the journal made of them, and the seal of an approval.

Imports `models` and `reading`.
"""
