"""What the background pool does regularly for the library."""

import logging
from functools import partial

from library import embedding, renewal
from library.errors import EmbeddingUnavailable
from library.language.entailment import verdicts
from library.memory import model_summaries, services

logger = logging.getLogger(__name__)


# A third of the time between two rounds: other upkeep waits meanwhile.
RENEW_S = 10.0


def embed_missing() -> None:
    """Embed what could not be embedded when it was written, then some of what another sentence model embedded."""
    for embed in (embedding.embed_missing, partial(renewal.renew, seconds=RENEW_S)):
        try:
            embed()
        except EmbeddingUnavailable as error:
            logger.warning("Embedding is postponed: %s", error)


def keep_memory() -> None:
    """Forget experiences that are older than `MEMORY_KEEP_DAYS`."""
    if forgotten := services.forget_expired():
        logger.info("%d experiences were forgotten because of their age", forgotten)


def summarise_memory() -> None:
    """Have the language model summarise long results of today."""
    model_summaries.write_some()


def prune_verdicts() -> None:
    """Drop verdicts of entailment models that are old or too many."""
    if gone := verdicts.prune():
        logger.info("%d verdicts of entailment were dropped because of their age or number", gone)
