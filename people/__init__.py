"""Who is asking: people, their roles, API tokens and login limits.

The lowest Django app; every other one may import it and it imports none of them.
"""
