"""Composition only: settings, urls, servers and the wiring of services.

Nothing below imports this package.
"""

from mindx_web.celery import app as celery_app

__all__ = ["celery_app"]
