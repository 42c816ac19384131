"""Protocols of other systems of agents, spoken at addresses of ours.

What they do goes through the same services and the same review as everything else.
"""
