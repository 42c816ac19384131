"""Routers for goals and their parts: beliefs, questions, designs, typed commands, model generations.

Imports `review` and `protocol`.
"""
