"""Telling people: who is told what, in their own list and wherever else they chose.

Imports `policies` and below.
"""
