"""Figures for Prometheus: what this web process counted, and what the database knows when it is asked.

Labels come from our own code (states, tools, routes), never from texts that somebody typed.
"""
