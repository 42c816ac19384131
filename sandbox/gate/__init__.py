"""The network gate: which hosts a session's programs may reach, and everything between the programs and the hosts.

All of it runs outside the jail, in the session's process, so programs in the jail cannot manipulate it.
"""
