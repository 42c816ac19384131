"""Addresses of the pages of goals, workspaces and rules, one file a subject."""
