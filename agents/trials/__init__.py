"""Trials of tools: each is carried out in a real jail, and what it did is compared with what the tool says of itself.

`running` carries one out, `observing` sees what it does to files, `judging` compares (pure).
"""
