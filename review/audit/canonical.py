"""The canonical form of signed content: RFC 8785 bytes with a label, and their HMAC."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agents.toolkit import canonical


def signature(label: str, content: Mapping[str, Any], key: str) -> str:
    """HMAC-SHA-256 in hex over `label` and the canonical form of `content`.

    The label prevents using a signature for another purpose with the same key.
    Raises ValueError when the content has no canonical form (a number beyond 2**53, an unpaired surrogate).
    """
    try:
        spelled = canonical.dumps(dict(content))
    except ValueError as error:  # also of an unpaired surrogate
        raise ValueError("this content has no canonical form") from error
    return hmac.new(key.encode(), label.encode() + b"\0" + spelled, "sha256").hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two signatures in constant time; any text is allowed."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def moment(at: datetime) -> str:
    """The spelling of a moment: UTC with microseconds, which is what Postgres keeps."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
