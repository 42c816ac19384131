"""Environments in the product: the worlds there are, runs of agents in them, and policies that are trained there.

Nothing real can be harmed in a simulation, so what is done there is shown while it happens and not reviewed before.
"""
