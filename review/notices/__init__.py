"""Notices: who is told what, in their own list and wherever else they chose to be.

Imports `policies` and below.
"""
