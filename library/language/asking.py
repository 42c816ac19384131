"""What is asked of a language model, what it answers, and how it can fail to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from library.errors import LibraryError
from library.language.masking import NOTHING_MASKED, Masked


@dataclass(frozen=True)
class Usage:
    """Tokens in and out, and what they cost in US dollars; `cost` None: the model has no known price.

    Counted by the provider, else by LiteLLM; `is_estimate`: by neither, so guessed from the length of the texts.
    """

    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    is_estimate: bool = False

    def __add__(self, other: Usage) -> Usage:
        costs = (self.cost, other.cost)
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0)),
            self.is_estimate or other.is_estimate,
        )


NOTHING_USED = Usage(0, 0, Decimal(0))


class ModelError(LibraryError):
    """No answer that can be used. `code` is one word for tables and tests, the message a sentence for people."""

    code = "failed"

    def __init__(self, message: str, *, call: int | None = None) -> None:
        super().__init__(message)
        # The row of the last call that was made for it; None when none was.
        self.call = call
        # What the provider used before it came to nothing.
        self.used = NOTHING_USED


class NoModel(ModelError):
    """No model is set up."""

    code = "no_model"


class BudgetSpent(ModelError):
    """What the agent may use on one day is used."""

    code = "budget_spent"


class Stopped(ModelError):
    """The asker wants the answer no more."""

    code = "stopped"


class CallFailed(ModelError):
    """One request came to nothing. `code` says which way, `again` whether the same request may succeed later."""

    def __init__(self, code: str, message: str, *, again: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.again = again
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class Message:
    """One part of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Allowance:
    """What one agent may use on one day (UTC); None: no bound. `cost` is in US dollars."""

    tokens: int | None = None
    cost: Decimal | None = None

    def __bool__(self) -> bool:
        return self.tokens is not None or self.cost is not None


@dataclass(frozen=True)
class PromptUsed:
    """A prompt as it stands in a request: name, version, what its values were, and the whole text that came of it.

    Of the prompt behind the instructions the values are kept with the call, so they hold nothing that anybody typed.
    """

    name: str
    version: str
    text: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Ask:
    """A request. Two with the same messages, model, schema, temperature and length are the same request.

    `schema` is a JSON Schema for the answer: where the provider can hold a model to it, it does; the caller checks the
    answer all the same. `agent` and `goal` are opaque: whose budget it is, and what it was for.
    """

    purpose: str
    messages: tuple[Message, ...]
    models: tuple[str, ...]
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 4096
    agent: str = ""
    goal: str = ""
    allowance: Allowance = Allowance()
    # The kinds of secrets that were taken out of the messages.
    masked: tuple[str, ...] = ()
    # The prompts in its messages. The first message begins with the text of the first.
    prompts: tuple[PromptUsed, ...] = ()
    # The call whose request this one sends again.
    replay_of: int | None = None


@dataclass(frozen=True)
class Said:
    """The whole answer to one request."""

    text: str
    model: str
    usage: Usage


@dataclass(frozen=True)
class Answer:
    """An answer, and the row that keeps it with its prompt; `model` says of itself what it is, `asked` is our word.

    `masked`: the secrets of the question, for whose marks the answer may hold.
    """

    text: str
    call: int
    model: str
    is_cached: bool
    asked: str
    masked: Masked = NOTHING_MASKED


# Called with each piece of an answer as it comes.
OnText = Callable[[str], None]
# Asked again and again while an answer comes: is it still wanted?
IsWanted = Callable[[], bool]
# Whether an answer is one that its asker can use; marks in it stand for the secrets of the question.
Accepts = Callable[[str, Masked], bool]


def guessed_tokens(text: str) -> int:
    """About as many tokens as a text has: three characters each, rather too many than too few for English."""
    return len(text) // 3 + 1
