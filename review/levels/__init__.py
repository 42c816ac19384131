"""Designs and choices of rules, shown and decided.

Imports `deciding` and below.
"""
