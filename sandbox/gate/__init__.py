"""The network gate: what a session's programs may reach, and everything that stands between them and it.

All of it runs outside the jail, in the session's process; the jail holds no part of it that could be turned.
"""
