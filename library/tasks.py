"""What the worker does for the library."""

import logging

from celery import shared_task

from library import embedding
from library.errors import EmbeddingUnavailable

logger = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def embed_missing() -> None:
    """Embed what could not be embedded when it was written. Beat sends this every half minute."""
    try:
        embedding.embed_missing()
    except EmbeddingUnavailable as error:
        logger.warning("Embedding is postponed: %s", error)
