"""What became of the rows that a restore looks at, one by one: an error in one keeps no other from being settled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

logger = logging.getLogger(__name__)

# Who did it, as transitions say.
BY = "restore"


@dataclass(frozen=True)
class Settled:
    """One thing that was done: to how many rows, in words, a sentence for each row that was not as it should be, and
    one for each that could not be settled.
    """

    count: int
    words: str
    rows: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()


class Rows:
    """Settles rows of one kind and keeps what is to be said of them."""

    def __init__(self) -> None:
        self._count = 0
        self._said: list[str] = []
        self._unsettled: list[str] = []

    def settle(self, row: str, *ways: Callable[[], object]) -> None:
        """Settle one row by the first of these ways that raises nothing, each in a transaction of its own.

        A text that a way returns is a sentence about the row; an error of an earlier way is said behind it.
        """
        errors: list[str] = []
        for way in ways:
            try:
                with transaction.atomic():
                    said = way()
            except Exception as error:
                # The edge of a loop over rows that anything may be wrong with.
                logger.info("%s was not settled", row, exc_info=error)
                errors.append(f"{type(error).__name__}: {error}")
                continue
            self._count += 1
            if isinstance(said, str) and said:
                self._said.append(f"{said} ({'; '.join(errors)})" if errors else said)
            return
        self._unsettled.append(f"{row} could not be settled ({'; '.join(errors)})")

    def settled(self, words: str) -> Settled:
        """All of it."""
        return Settled(self._count, words, tuple(self._said), tuple(self._unsettled))
