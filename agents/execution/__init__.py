"""Runs an approved plan under a lease, step by step in a jail. Imports no planning."""
