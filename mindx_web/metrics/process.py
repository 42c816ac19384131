"""What this web process counts itself; gone with it, as every counter of Prometheus may be."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Gauge, Histogram

REGISTRY = CollectorRegistry(auto_describe=True)

HTTP_SECONDS = Histogram(
    "mindx_http_request_duration_seconds",
    "Time from a request's arrival to its answer, by route (the pattern, never the address).",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
VIEWERS = Gauge("mindx_websocket_viewers", "Live pages that are open at this web process.", registry=REGISTRY)
