"""Routers for agents and what they run: the bus, Mastermind, environments, modular runs, MCP servers.

Imports `protocol`.
"""
