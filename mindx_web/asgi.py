"""The ASGI application: HTTP by Django, sockets by Channels, behind the origin check and the session."""

import os
from typing import TYPE_CHECKING, cast

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.db import connections

from mindx_web.body_limit import BodyLimit

if TYPE_CHECKING:
    from asgiref.typing import ASGI3Application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
# The largest file, and room for the form around it.
_http = BodyLimit(cast("ASGI3Application", get_asgi_application()), settings.UPLOAD_MAX_BYTES + 1024 * 1024)

from agents.routing import websocket_urlpatterns  # noqa: E402  # models can be imported only after Django is set up


def _share_connections() -> None:
    """Requests take a database connection from a pool and give it back.

    Each request has a thread of its own here, so a connection kept by its thread would serve one request, and making
    one costs more than most requests do. Workers keep theirs: they are few, and a pool does not survive their forks.
    """
    database = connections.settings["default"]
    database["CONN_MAX_AGE"] = 0  # back into the pool after the request
    database["OPTIONS"]["pool"] = {"min_size": 2, "max_size": 24, "timeout": 10}


_share_connections()
application = ProtocolTypeRouter(
    {"http": _http, "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))}
)
