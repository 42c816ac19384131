"""What the worker does for the library."""

import logging

from celery import shared_task

from library import embedding
from library.errors import EmbeddingUnavailable
from library.memory import services

logger = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def embed_missing() -> None:
    """Embed what could not be embedded when it was written. Beat sends this every half minute."""
    try:
        embedding.embed_missing()
    except EmbeddingUnavailable as error:
        logger.warning("Embedding is postponed: %s", error)


@shared_task(ignore_result=True)
def keep_memory() -> None:
    """Forget experiences that are older than `MEMORY_KEEP_DAYS`. Beat sends this every hour."""
    if forgotten := services.forget_expired():
        logger.info("%d experiences were forgotten because of their age", forgotten)
