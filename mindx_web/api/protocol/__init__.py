"""Shared by every request: tokens, strict bodies, pages of lists, problems for errors.

Imports no other package of the API.
"""
