"""`/metrics` for Prometheus: closed until an operator names a token or the addresses that may read it."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from mindx_web.metrics.house import House
from mindx_web.metrics.process import REGISTRY
from people.addresses import client_address, is_within

REGISTRY.register(House())


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures; 404 where nobody opened this page, 401 for those who may not read it."""
    if not settings.METRICS_TOKEN and not settings.METRICS_FROM:
        raise Http404
    if not (_has_token(request) or is_within(client_address(request), settings.METRICS_FROM)):
        return HttpResponse("A token is needed.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _has_token(request: HttpRequest) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted: str = settings.METRICS_TOKEN
    is_it = hmac.compare_digest(token.strip().encode(errors="replace"), wanted.encode())
    return bool(wanted) and kind.lower() == "bearer" and is_it
