"""The executor: claim under a fenced lease, verify, run in a checkout, report in one statement.

Its statements are the one place besides `agents.services.moves` that sets a state.
"""
