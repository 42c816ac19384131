"""Refusals of review, in words that a person can act on."""

from __future__ import annotations


class ReviewError(Exception):
    """The review could not do that."""


class DecisionRefused(ReviewError):
    """This person may not decide this plan."""


class NotNow(DecisionRefused):
    """It is not possible in the current state; nothing was changed."""


class WordsRefused(DecisionRefused):
    """A comment, a reason or a number of a decision is not valid; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
