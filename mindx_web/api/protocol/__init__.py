"""What holds for every request: tokens, strict bodies, pages of lists, problems for errors.

Imports no other room of the API.
"""
