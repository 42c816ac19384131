"""The session for people: typed lines become requests, answers become short lines, Tab completes.

Imports `sandbox.sessions`.
"""
