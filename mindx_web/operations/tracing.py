"""Sends the spans of goals to a collector by OTLP over HTTP, if an operator named one; otherwise nothing is loaded.

OpenTelemetry's usual variables apply: OTEL_EXPORTER_OTLP_ENDPOINT, …_HEADERS, OTEL_SERVICE_NAME and the others.
"""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING, Any

from celery.signals import worker_process_init, worker_process_shutdown
from django.conf import settings

from agents.record import telemetry

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

logger = logging.getLogger(__name__)

_provider: TracerProvider | None = None


def provider_of(processor: SpanProcessor) -> TracerProvider:
    """A provider that gives the root span of a goal the derived ids that later spans refer to."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Derived(IdGenerator):
        """Random ids, except for the root spans that `telemetry` asks for."""

        def generate_span_id(self) -> int:
            wanted = telemetry.root_wanted.get()
            return wanted.span_id if wanted is not None else random.getrandbits(64) or 1  # no secret

        def generate_trace_id(self) -> int:
            wanted = telemetry.root_wanted.get()
            return wanted.trace_id if wanted is not None else random.getrandbits(128) or 1  # no secret

    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have priority.
    resource = Resource.create({}).merge(Resource({"service.name": settings.TRACE_SERVICE}))
    provider = TracerProvider(resource=resource, id_generator=Derived(), shutdown_on_exit=True)
    provider.add_span_processor(processor)
    return provider


def start(**_: Any) -> None:
    """Start sending in this process. The sender has its own thread, so a worker calls this after its fork."""
    global _provider
    if not settings.TRACE_ENDPOINT_IS_SET or _provider is not None:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    _provider = provider_of(BatchSpanProcessor(OTLPSpanExporter()))
    telemetry.use(_provider.get_tracer("mindx"), content=settings.TRACE_CONTENT)
    logger.info("Traces of goals are sent to the collector")


def stop(**_: Any) -> None:
    """Send what is left; if the collector is down, this takes seconds at most."""
    global _provider
    if _provider is not None:
        telemetry.use(None)
        _provider.shutdown()
        _provider = None


worker_process_init.connect(start)
worker_process_shutdown.connect(stop)
