"""Pages of agents: what each does, the bus between them, Mastermind's backlog, modular runs, runs in environments.

Imports the room `files`.
"""
