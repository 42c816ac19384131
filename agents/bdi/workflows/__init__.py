"""Workflows: steps that people or models write in YAML, read strictly, checked line by line, and bound to the steps of
an intent plan. Pure.
"""
