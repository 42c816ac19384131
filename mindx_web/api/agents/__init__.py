"""Routers for agents and for what they run: the bus, Mastermind, environments, modular runs, MCP servers.

Imports `protocol`.
"""
