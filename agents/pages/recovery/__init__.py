"""Pages of recovery: what fails and how often, and how the belief in each strategy changed.

Imports no other room of pages.
"""
