"""Doing something with many files at once: what many_files does in the jail."""
