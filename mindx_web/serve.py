"""What the web server loads: the ASGI application, made ready for many requests in one process.

Importing this changes how the process speaks to the database, so only the server does.
"""

import threading

from django.conf import settings
from django.db import connections

from library.language import spaces
from mindx_web.asgi import application
from mindx_web.operations import tracing
from mindx_web.web.silent_database import watched

__all__ = ["application"]


def _share_connections() -> None:
    """Requests take a database connection from a pool and give it back.

    Each request has a thread of its own here, so a connection kept by its thread would serve one request, and making
    one costs more than most requests do. Workers keep theirs: they are few, and a pool does not survive their forks.
    """
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0  # back into the pool after the request
    pool: dict[str, object] = {"min_size": 2, "max_size": 24, "timeout": 4}
    if settings.DB_SILENCE_S:
        # People wait for a page, not for ever. Workers hold leases that others take over, and wait.
        pool["connection_class"] = watched(settings.DB_SILENCE_S)
    database["OPTIONS"]["pool"] = pool


_share_connections()
tracing.start()
# The first plan page would otherwise wait for the sentence model; whether there is one, the pages say themselves.
if not settings.MODEL_SERVER:
    threading.Thread(target=spaces.why_unavailable, name="warm embeddings", daemon=True).start()
