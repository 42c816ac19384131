"""A mark in place of each secret before a text leaves, and the secret back in place of a mark. Pure.

The same secret always has the same mark, so a model can tell one from another and use it. What it answers with a mark
is filled in here, on this machine: the value never left. A word that only looks like a secret comes back the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from library.language import secret_shapes

MARK = "MASKED_SECRET_"
KEY_KIND = "key of a model's provider"
_A_MARK = re.compile(rf"{MARK}[0-9a-f]{{8}}")
# What a model may have made of a mark.
_LIKE_A_MARK = re.compile(r"masked[ _-]?secret\w*", re.IGNORECASE)
# A shorter secret is masked where its shape shows it, and nowhere else: it may be an ordinary word.
_SHORTEST_ANYWHERE = 6

# Changes a text; in JSON it is told the name of the field whose value the text is.
_Change = Callable[[str, str], str]


@dataclass(frozen=True)
class Masked:
    """Texts without their secrets, the secret that each mark stands for, and the kinds of them in words."""

    texts: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    kinds: tuple[str, ...] = ()

    def restored(self, value: Any, *, within: Iterable[str] | None = None) -> Any:
        """A value of an answer with the secrets in place of their marks; in lists and objects too.

        `within`: only secrets that stand in one of these texts; other marks stay.
        """
        texts = None if within is None else tuple(within)
        may = {
            mark: secret
            for mark, secret in self.secrets.items()
            if texts is None or any(secret in text for text in texts)
        }
        return _changed(value, lambda text, _: _A_MARK.sub(lambda found: may.get(found[0], found[0]), text))


NOTHING_MASKED = Masked()


def mask(
    texts: Sequence[str], mark_of: Callable[[str], str], *, keys: Sequence[str] = (), ours: Iterable[int] = ()
) -> Masked:
    """The texts with a mark in place of each secret.

    `mark_of` gives eight hexadecimal digits for a secret. `keys` are secrets whatever their shape. A secret that was
    recognised once is masked wherever it stands; in the texts numbered `ours`, which nobody typed, only by its shape.
    A text that is JSON is read as what it says.
    """
    masker, own = _Masker(mark_of, keys), frozenset(ours)
    once = [
        _in_json(text, masker.by_shape if at in own else masker.by_all) if masker.may_change(text) else text
        for at, text in enumerate(texts)
    ]
    # What was recognised in a later text may stand in an earlier one.
    done = [_in_json(text, masker.by_known) if masker.found and at not in own else text for at, text in enumerate(once)]
    marks = {masker.mark(secret): secret for secret in masker.found}
    return Masked(tuple(done), marks, tuple(sorted(set(masker.found.values()))))


def marks_in(value: Any) -> frozenset[str]:
    """Everything in a value that is a mark or looks like one."""
    found: set[str] = set()

    def look(text: str, _: str) -> str:
        found.update(_LIKE_A_MARK.findall(text))
        return text

    _changed(value, look)
    return frozenset(found)


def told(kinds: Sequence[str]) -> str:
    """What a person is told of the secrets in a question."""
    return (
        f"what looks like a secret is hidden from the model ({', '.join(kinds)}): it sees a mark instead,"
        " and mindX puts the value back where the answer uses the mark"
    )


class _Masker:
    """What was recognised so far: each secret with its kind."""

    def __init__(self, mark_of: Callable[[str], str], keys: Sequence[str]) -> None:
        self.found: dict[str, str] = {}
        self._mark_of, self._keys = mark_of, keys

    def mark(self, secret: str) -> str:
        return f"{MARK}{self._mark_of(secret)}"

    def may_change(self, text: str) -> bool:
        return bool(self.found) or any(key in text for key in self._keys) or secret_shapes.may_hold_one(text)

    def by_all(self, text: str, name: str) -> str:
        return self.by_shape(self.by_known(text, name), name)

    def by_shape(self, text: str, name: str) -> str:
        """`name` is that of the field whose value the text is, in JSON."""
        for key in self._keys:
            if key in text:
                self.found[key] = KEY_KIND
                text = text.replace(key, self.mark(key))
        if (kind := secret_shapes.of_field(name, text)) and not _LIKE_A_MARK.search(text):
            self.found.setdefault(text, kind)
            return self.mark(text)
        pieces, at = [], 0
        for one in secret_shapes.find(text):
            secret = text[one.begin : one.end]
            if _LIKE_A_MARK.search(secret):
                continue
            self.found.setdefault(secret, one.kind)
            pieces += [text[at : one.begin], self.mark(secret)]
            at = one.end
        return "".join([*pieces, text[at:]])

    def by_known(self, text: str, _: str) -> str:
        for secret in sorted(self.found, key=len, reverse=True):
            if len(secret) < _SHORTEST_ANYWHERE:
                continue
            # As it is, and as it stands in JSON.
            for said in dict.fromkeys((secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])):
                if said in text:
                    whole = rf"{secret_shapes.START}{re.escape(said)}(?![A-Za-z0-9])"
                    text = re.sub(whole, self.mark(secret), text)
        return text


def _in_json(text: str, change: _Change) -> str:
    """The text changed; of JSON each of its texts, which is then written as it was."""
    if text[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return change(text, "")
        for ascii_only in (True, False):
            if json.dumps(value, ensure_ascii=ascii_only) == text:
                return json.dumps(_changed(value, change), ensure_ascii=ascii_only)
    return change(text, "")


def _changed(value: Any, change: _Change, name: str = "") -> Any:
    if isinstance(value, str):
        return change(value, name)
    if isinstance(value, list):
        return [_changed(one, change, name) for one in value]
    if isinstance(value, dict):
        return {key: _changed(one, change, str(key)) for key, one in value.items()}
    return value
