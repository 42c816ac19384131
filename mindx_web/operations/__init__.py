"""What keeps a running mindX healthy: health checks, heartbeats, logs, traces, database set-up, orderly shutdown.

Imports `supervisor` and the packages below mindx_web.
"""
