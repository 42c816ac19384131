"""Routers for components, workflows, experiences and candidates.

Imports `goals`, `review` and `protocol`.
"""
