"""The hands of mindX: jailed sessions, their commands, and snapshots of their files.

Knows no goal and no database; everything here runs without Django. Callers speak `contract` and `commands`.
"""
