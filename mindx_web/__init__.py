"""Composition only: settings, urls, servers and the wiring of services.

Nothing below imports this package. It imports nothing itself: the supervisor lives in it and needs neither Django nor
Celery, which would be most of its memory.
"""
