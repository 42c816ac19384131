"""The sandbox: jailed sessions, their commands, and snapshots of their files.

Knows no goal and no database; everything here runs without Django. Callers use `contract` and `commands`.
"""
