"""The pages of agents: those of this installation, system agents, and agents elsewhere. Thin views."""
