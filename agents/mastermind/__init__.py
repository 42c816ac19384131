"""Mastermind, the command line of the whole: what a typed line means, whom it is about, when the backlog must stop.

Pure: lines, names and figures in, readings and decisions out. `agents.coordinator.commanding` carries them out.
"""
