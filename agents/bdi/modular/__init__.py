"""The modular agent: one state, five exchangeable modules over it, and the loop that runs them. Pure.

A module takes the agent, returns nothing and speaks by the state alone. What acts or asks is wanted, never done, here.
"""
