"""One request to a language model, or to a sentence model, through LiteLLM. Nothing else in mindX knows LiteLLM.

It is imported with the first request of a process, because it takes seconds and 160 MB; nothing is connected to before.
Facts about it: docs.litellm.ai (exceptions, streaming, structured outputs), version pinned in requirements.in.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from django.utils import timezone

from library.language import storable
from library.language.asking import (
    Ask,
    CallFailed,
    IsWanted,
    ModelError,
    OnText,
    Said,
    Stopped,
    Usage,
    guessed_tokens,
)

logger = logging.getLogger(__name__)

# No plan is longer; a model that rambles on is stopped and not read to its end.
LONGEST_ANSWER = 1_000_000
_ERROR_CHARS = 500
_NAME_CHARS = 200
# A server that asks for more patience is treated as one that does not answer.
_LONGEST_RETRY_AFTER_S = 3600.0

# What LiteLLM puts before a provider's own words: its classes, which say what `_IN_WORDS` says.
_OF_THE_CLIENT = re.compile(r"^litellm\.\w+: (?:\w+(?:Error|Timeout): )?(?:\w+Exception - )?")

_KEY_NAMES = ("_API_KEY", "_API_TOKEN", "_SECRET_ACCESS_KEY", "_SESSION_TOKEN", "_AUTH_TOKEN", "_CREDENTIALS")
_KEY_MIN = 8

# By the names of httpx' classes: no connection, so nothing was read.
_NEVER_SENT = frozenset({"ConnectTimeout", "PoolTimeout", "ConnectError"})

# By the name of LiteLLM's class: our word for it, and whether the same request may succeed later.
_KINDS = (
    ("MidStreamFallbackError", "cut_off", True),
    ("RateLimitError", "rate_limited", True),
    ("ContextWindowExceededError", "prompt_too_long", False),
    ("ContentPolicyViolationError", "refused_by_provider", False),
    ("AuthenticationError", "key_refused", False),
    ("PermissionDeniedError", "key_refused", False),
    ("PaymentRequiredError", "key_refused", False),
    ("NotFoundError", "no_such_model", False),
    ("Timeout", "timed_out", True),
    ("BadRequestError", "request_refused", False),
    ("UnprocessableEntityError", "request_refused", False),
    ("UnsupportedParamsError", "request_refused", False),
    ("APIConnectionError", "unreachable", True),
    ("ServiceUnavailableError", "server_error", True),
    ("InternalServerError", "server_error", True),
    ("BadGatewayError", "server_error", True),
    ("APIError", "server_error", True),
)
_IN_WORDS = {
    "rate_limited": "too many requests, says the provider",
    "prompt_too_long": "the prompt is longer than the model can read",
    "refused_by_provider": "the provider's content policy refused it",
    "key_refused": "the provider refused the key",
    "no_such_model": "the provider does not have this model",
    "timed_out": "no answer came in time",
    "cut_off": "the answer was cut off",
    "request_refused": "the provider refused the request",
    "unreachable": "the provider could not be reached",
    "server_error": "the provider had an error",
}


@cache
def _library() -> Any:
    """LiteLLM, set to do nothing but make requests: no telemetry, no price list from the network, no retries."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it reads .env files
    # Else it hands every piece of an answer and then the whole of it to threads that prepare what nobody is told; they
    # take the interpreter from the worker as long as reading the answer did.
    os.environ.setdefault("LOGGING_EXECUTOR_MAX_PENDING_TASKS", "0")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_streaming_logging = True
    litellm.drop_params = True  # a model that takes no temperature is asked without one
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.ERROR)  # they log prompts
    return litellm


_loading = threading.Lock()


@dataclass
class _Heard:
    """What came of an answer so far."""

    model: str
    parts: list[str] = field(default_factory=list)
    finish: str = ""
    usage: tuple[int, int] | None = None
    pieces: int = 0


def request(
    ask: Ask, model: str, *, timeout_s: float, on_text: OnText | None = None, is_wanted: IsWanted | None = None
) -> Said:
    """Ask once and read the answer as it comes, for at most `timeout_s` in all.

    Raises CallFailed, or Stopped once `is_wanted` says no; `used` says what the provider had used by then.
    """
    with _loading:
        library = _library()
    heard = _Heard(model)
    try:
        _listen(library, ask, heard, model, timeout_s, on_text, is_wanted)
    except (CallFailed, Stopped) as error:
        if heard.pieces or _was_sent(error):
            error.used = _usage(library, ask, model, storable.text("".join(heard.parts)), heard.usage)
        raise
    whole = storable.text("".join(heard.parts))
    return Said(whole, heard.model, _usage(library, ask, model, whole, heard.usage))


def embed(model: str, texts: list[str], *, dimensions: int, timeout_s: float) -> list[list[float]]:
    """Ask a sentence model once for a vector of each text; models that can choose give `dimensions` numbers.

    Raises CallFailed. What comes back is as the provider sent it: wrong lengths and numbers are for the caller.
    """
    with _loading:
        library = _library()
    try:
        answer = library.embedding(
            model=model,
            input=texts,
            dimensions=dimensions,
            encoding_format="float",
            timeout=timeout_s,
            num_retries=0,
            max_retries=0,
            no_log=True,
        )
        rows = sorted(answer.data, key=lambda one: int(one["index"]))
        return [[float(number) for number in one["embedding"]] for one in rows]
    except Exception as error:  # as of `request`; and what is no answer at all
        raise _failure(model, error) from error


def _listen(
    library: Any,
    ask: Ask,
    heard: _Heard,
    model: str,
    timeout_s: float,
    on_text: OnText | None,
    is_wanted: IsWanted | None,
) -> None:
    """Read the answer to its end, piece by piece into `heard`."""
    end, length = time.monotonic() + timeout_s, 0
    try:
        with contextlib.closing(_stream(library, ask, model, timeout_s)) as chunks:
            for chunk in chunks:
                text, ended, used, by = _read(chunk)
                heard.pieces += 1
                heard.finish, heard.usage, heard.model = ended or heard.finish, used or heard.usage, by or heard.model
                heard.parts += [text] if text else []
                length += len(text)
                if length > LONGEST_ANSWER:
                    message = (
                        f"{model}: the answer was longer than {LONGEST_ANSWER} characters, so mindX stopped reading it"
                    )
                    raise CallFailed("answer_too_long", message, again=False)
                _check_wanted(model, timeout_s, end, is_wanted)
                if text and on_text is not None:
                    on_text(storable.text(text))
                if heard.finish and heard.usage:  # it has said all; LiteLLM would put the answer together once more
                    break
            if not chunks.has_end:
                heard.finish = ""
    except (CallFailed, Stopped):
        raise
    except Exception as error:  # LiteLLM raises its own classes, its clients' and, now and then, a plain one
        if not heard.finish:
            raise _failure(model, error) from error
        # The answer is whole; what follows it are its counts, and those of some providers cannot be read.
        logger.warning("%s ended its answer with what its client cannot read: %s", model, type(error).__name__)
    _check_end(heard, ask, model, length)


def _check_wanted(model: str, timeout_s: float, end: float, is_wanted: IsWanted | None) -> None:
    if time.monotonic() > end:
        raise CallFailed("timed_out", f"{model}: no complete answer within {timeout_s:g} s", again=True)
    if is_wanted is not None and not is_wanted():
        raise Stopped("The answer is no longer needed.")


def _check_end(heard: _Heard, ask: Ask, model: str, length: int) -> None:
    """Raise CallFailed unless the answer came to its own end."""
    if heard.finish == "length":
        raise CallFailed("cut_off", f"{model}: the answer is longer than {ask.max_tokens} tokens", again=False)
    if not heard.finish:
        raise CallFailed("cut_off", f"{model}: the answer was cut off after {length} characters", again=True)
    if heard.finish == "content_filter":
        raise CallFailed("refused_by_provider", f"{model}: {_IN_WORDS['refused_by_provider']}", again=False)


def _was_sent(error: ModelError) -> bool:
    """Whether the provider read the question, though it said nothing: it was silent, not out of reach."""
    if getattr(error, "code", "") != "timed_out":
        return False
    return not any(type(one).__name__ in _NEVER_SENT for one in _chain(error))


def _stream(library: Any, ask: Ask, model: str, timeout_s: float) -> _Closing:
    wanted: dict[str, Any] = {}
    if ask.schema is not None and library.supports_response_schema(model=model):
        wanted["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": ask.purpose, "schema": dict(ask.schema), "strict": False},
        }
    stream = library.completion(
        model=model,
        messages=[{"role": one.role, "content": one.content} for one in ask.messages],
        temperature=ask.temperature,
        max_tokens=ask.max_tokens,
        timeout=timeout_s,
        stream=True,
        stream_options={"include_usage": True},
        num_retries=0,
        max_retries=0,
        no_log=True,
        **wanted,
    )
    return _Closing(stream)


class _Closing:
    """A stream that can be closed before its end, whatever it is made of."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def has_end(self) -> bool:
        """Whether the provider said why its answer ended. LiteLLM says “stop” itself where a connection just ends."""
        reasons = [
            getattr(self._stream, name, "unknown") for name in ("received_finish_reason", "intermittent_finish_reason")
        ]
        return any(reasons)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    def close(self) -> None:
        inner = getattr(self._stream, "completion_stream", None)
        close = getattr(inner, "close", None)
        if callable(close):
            with contextlib.suppress(Exception):  # what is given up may already be broken
                close()


def _read(chunk: Any) -> tuple[str, str, tuple[int, int] | None, str]:
    """Text, why it ended, tokens in and out, and the model that speaks, of one piece; empty where it says nothing."""
    choices = getattr(chunk, "choices", None) or []
    text, finish = "", ""
    if choices:
        delta = getattr(choices[0], "delta", None)
        content = getattr(delta, "content", None)
        text = content if isinstance(content, str) else ""
        finish = str(getattr(choices[0], "finish_reason", None) or "")
    used = getattr(chunk, "usage", None)
    read, written = (storable.count(getattr(used, name, None)) for name in ("prompt_tokens", "completion_tokens"))
    both = (read, written) if read is not None and written is not None else None
    return text, finish, both, storable.text(getattr(chunk, "model", None) or "")[:_NAME_CHARS]


def _usage(library: Any, ask: Ask, model: str, text: str, counted: tuple[int, int] | None) -> Usage:
    if counted is not None and not (counted[0] and (counted[1] or not text)):
        counted = None  # nothing takes no tokens; LiteLLM puts a zero where a provider says null
    tokens = counted or (sum(guessed_tokens(one.content) for one in ask.messages), guessed_tokens(text))
    return Usage(*tokens, cost=cost_of(model, *tokens, library=library), is_estimate=counted is None)


def cost_of(model: str, tokens_in: int, tokens_out: int, *, library: Any = None) -> Decimal | None:
    """What so many tokens cost in US dollars: by the operator's price, else LiteLLM's list; None: nobody knows."""
    from django.conf import settings

    if (price := settings.MODEL_PRICES.get(model)) is not None:
        return storable.dollars((price[0] * tokens_in + price[1] * tokens_out) / 1_000_000)
    try:
        costs = (library or _library()).cost_per_token(
            model=model, prompt_tokens=tokens_in, completion_tokens=tokens_out
        )
    except Exception:  # it has several ways to say that it does not know the model
        return None
    return storable.dollars(sum((Decimal(str(one)) for one in costs), Decimal(0)))


def _failure(model: str, error: Exception) -> CallFailed:
    """What LiteLLM raised, as one of our kinds. Nothing of a provider's text but its beginning is kept."""
    code, again = _kind(error)
    words = _IN_WORDS.get(code, type(error).__name__)
    if code == "failed":
        logger.warning("A model's client raised %s", type(error).__name__)
    message = f"{model}: {words} ({_short(error)})"
    return CallFailed(code, message, again=again, retry_after_s=_retry_after_s(error))


def _kind(error: Exception) -> tuple[str, bool]:
    status = getattr(error, "status_code", None)
    names = [kind.__name__ for kind in type(error).__mro__]
    code, again = next(((code, again) for name, code, again in _KINDS if name in names), ("failed", False))
    if code == "server_error" and isinstance(status, int) and 400 <= status < 500:
        # Some refusals come as a plain error that only its number tells apart.
        return ("key_refused" if status in (401, 402, 403) else "request_refused"), False
    return code, again


def _short(error: Exception) -> str:
    text = " ".join(storable.text(getattr(error, "message", "") or error).split())
    (shown,) = without_keys(_OF_THE_CLIENT.sub("", text))
    return shown[:_ERROR_CHARS]


def without_keys(*texts: str) -> tuple[str, ...]:
    """The texts with every provider's key of this process hidden."""
    for key in keys():
        texts = tuple(text.replace(key, "[hidden]") for text in texts)
    return texts


def keys() -> tuple[str, ...]:
    """The providers' keys that this process has, as LiteLLM names their variables; what is shown must not hold one."""
    found = {value for name, value in os.environ.items() if name.endswith(_KEY_NAMES) and len(value) >= _KEY_MIN}
    return tuple(sorted(found, key=len, reverse=True))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it: LiteLLM's own classes have lost the headers that their causes hold."""
    for _ in range(6):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _said_in_headers(error: BaseException) -> str:
    for holder in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(holder, name, None)
            if headers and (said := str(headers.get("retry-after", "")).strip()):
                return said
    return ""


def _retry_after_s(error: Exception) -> float | None:
    """What the server says about when to ask again: seconds, or a date (RFC 9110, 10.2.3)."""
    text = next((said for said in map(_said_in_headers, _chain(error)) if said), "")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - timezone.now()).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), _LONGEST_RETRY_AFTER_S) if seconds == seconds else None
