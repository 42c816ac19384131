"""The ASGI application: HTTP by Django, sockets by Channels, behind the origin check and the session.

Forwarded addresses are believed here and nowhere else, so the server must be started with `--no-proxy-headers`: of
itself it believes everybody on the loopback.
"""

import os
from typing import TYPE_CHECKING, Any, cast

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from mindx_web.web.body_limit import BodyLimit

if TYPE_CHECKING:
    from asgiref.typing import ASGI3Application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
# The largest file, and room for the form around it.
_http = BodyLimit(cast("ASGI3Application", get_asgi_application()), settings.UPLOAD_MAX_BYTES + 1024 * 1024)

from agents.live.routing import websocket_urlpatterns  # noqa: E402  # models can be imported only after Django is set up
from mindx_web.mcp.http import BesideMcp  # noqa: E402  # it asks the API, which has models
from mindx_web.metrics.viewers import Counted  # noqa: E402  # settings must be there first
from mindx_web.web.origins import SameOrigin  # noqa: E402

_by_protocol = ProtocolTypeRouter(
    {
        "http": BesideMcp(cast("Any", _http)),
        "websocket": SameOrigin(AuthMiddlewareStack(Counted(URLRouter(websocket_urlpatterns)))),
    }
)
application = ProxyHeadersMiddleware(cast("Any", _by_protocol), settings.TRUSTED_PROXIES)
