"""Routers for what people review: intent plans, comments, policies, and the inbox of other programs.

Imports `protocol`.
"""
