"""What keeps a running mindX well: health, heartbeats, logs, traces, set-up of the database, orderly ends.

Imports `supervisor` and what lies below mindx_web.
"""
