"""What steps and plans brought about: the verdict on a goal, the syntax of files, what programs did on the network.

Imports no other room of the mind.
"""
