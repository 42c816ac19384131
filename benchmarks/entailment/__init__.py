"""Pairs of sentences about workspaces, written by hand, on which nothing is trained or chosen; and what is measured."""
