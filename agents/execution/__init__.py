"""The executor: claim under a fenced lease, verify, run in a checkout, record in one statement.

`advance.sql` is the one place besides `agents.services.moves` that sets a state.
"""
