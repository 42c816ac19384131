"""A learned policy: a small network that values actions by their words and by what is believed, and learns on the spot.

It is the network of He et al. (2016, DRRN): beliefs and action are embedded apart, and their inner product is the value
of the action. Words are hashed, so no vocabulary is needed. It learns by Q-learning from a memory of the
outcomes of its choices. Beliefs are not the state: it values what the agent knows.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agents.environments.beliefs import PERCEPT
from agents.environments.policies import LEARNED, Outcome, Situation

# Counts up when the network or the features change, so that older files are refused.
FORMAT = 1
_WORD = re.compile(r"[a-z0-9']+")
_MOST_ACTIONS = 1_000
# Each choice that is remembered holds some hundreds of actions.
_MEMORY = 1_000
# Of a file; the network has 0.26 million numbers.
_MOST_BYTES = 20_000_000

# What reading a file that is none of ours may raise.
_UNREADABLE = (OSError, EOFError, LookupError, ValueError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


class PolicyUnusable(ValueError):
    """The file of a policy is damaged or of another version; the message says which."""


@dataclass(frozen=True)
class Settings:
    """How it learns. `explores_for` choices it tries less and less at random, from always to `explores_at_last`;
    `tried_costs` is taken off the value of an action for each time that it was chosen while the same was perceived.
    """

    buckets: int = 4_096
    wide: int = 32
    rate: float = 0.05
    discount: float = 0.9
    batch: int = 8
    explores_for: int = 400
    explores_at_last: float = 0.05
    tried_costs: float = 0.1


class Learned:
    """Chooses the action of the greatest value; learns only between `start` and `stop`."""

    name, needs_simulation = LEARNED, True

    def __init__(self, seed: int = 0, settings: Settings = Settings()) -> None:
        self.settings, self.seed = settings, seed
        self.is_learning = False
        self.reset()

    def start(self) -> None:
        """Learn from now on, and try things out."""
        self.is_learning = True

    def stop(self) -> None:
        """Learn no more: from now on the best known action is chosen."""
        self.is_learning = False

    def reset(self) -> None:
        """Forget everything that was learned; the same seed begins in the same way."""
        self._rng = np.random.default_rng(self.seed)
        shape = (self.settings.buckets, self.settings.wide)
        self._weights = [self._rng.normal(0, 0.1, shape).astype(np.float32) for _ in range(2)]
        self._bias = np.zeros(self.settings.wide, np.float32)
        self._steps = [np.full(shape, 0.1, np.float32) for _ in range(2)]
        self._memory: deque[Outcome] = deque(maxlen=_MEMORY)
        self.choices = self.lessons = 0

    @property
    def explores(self) -> float:
        """How often it tries something at random while it learns, 0 to 1."""
        return max(self.settings.explores_at_last, 1.0 - self.choices / max(self.settings.explores_for, 1))

    def choose(self, situation: Situation) -> str | None:
        """Return one of the offered actions; None where none is offered."""
        actions = sorted(situation.actions)[:_MOST_ACTIONS]
        if not actions:
            return None
        if self.is_learning:
            self.choices += 1
            if self._rng.random() < self.explores:
                return actions[int(self._rng.integers(len(actions)))]
        values = self.values(situation, actions)
        tried = np.array([situation.tried.get(action, 0) for action in actions], np.float32)
        values -= np.float32(self.settings.tried_costs) * tried
        # Of equal values the first by its words.
        return actions[int(np.argmax(values))]

    def learn(self, outcome: Outcome) -> None:
        """Remember the outcome of a choice, and learn from some of those remembered; do nothing while it is stopped."""
        if not self.is_learning or not np.isfinite(outcome.reward):
            return
        self._memory.append(outcome)
        chosen = self._rng.integers(len(self._memory), size=self.settings.batch)
        for number in {len(self._memory) - 1, *chosen.tolist()}:
            self._learn_one(self._memory[number])

    def values(self, situation: Situation, actions: Sequence[str]) -> Floats:
        """The value of each action: the score that is expected from here on, later score counting less."""
        inner = self._embedded(0, [_of_situation(situation, self.settings.buckets)])[0]
        outer = self._embedded(1, [_of_action(action, self.settings.buckets) for action in actions])
        found: Floats = outer @ (inner + self._bias)
        return found

    def to_bytes(self) -> bytes:
        """What was learned, with format, settings and digest; what it remembers of single choices is left out."""
        arrays = {"inner": self._weights[0], "outer": self._weights[1], "bias": self._bias}
        card = {
            "format": FORMAT, "settings": asdict(self.settings), "seed": self.seed, "choices": self.choices,
            "lessons": self.lessons, "sha256": _digest(arrays),
        }  # fmt: skip
        file = io.BytesIO()
        said = np.frombuffer(json.dumps(card).encode(), np.uint8)
        np.savez_compressed(file, allow_pickle=False, card=said, **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Learned:
        """The policy of a file, stopped. Raises PolicyUnusable."""
        if len(data) > _MOST_BYTES:
            raise PolicyUnusable("the file is too large for a policy")
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                card = json.loads(file["card"].tobytes())
                arrays = {name: file[name] for name in ("inner", "outer", "bias")}
            if card["format"] != FORMAT:
                raise PolicyUnusable(f"the policy is of version {card['format']}, not {FORMAT}")
            made = cls(int(card["seed"]), Settings(**card["settings"]))
            counts = int(card["choices"]), int(card["lessons"])
        except PolicyUnusable:
            raise
        except _UNREADABLE as error:
            raise PolicyUnusable(f"the file of the policy cannot be read: {error}") from error
        is_whole = all(np.isfinite(array).all() for array in arrays.values()) and _digest(arrays) == card["sha256"]
        shapes = [one.shape for one in (*made._weights, made._bias)]
        if not is_whole or [one.shape for one in arrays.values()] != shapes:
            raise PolicyUnusable("the file of the policy is damaged")
        made._weights, made._bias = [arrays["inner"], arrays["outer"]], arrays["bias"]
        made.choices, made.lessons = counts
        return made

    def _embedded(self, which: int, texts: Sequence[Indices]) -> Floats:
        """One row for each text: the sum of its words' rows by the root of their number, negatives cut off."""
        lengths = np.array([len(text) for text in texts])
        rows = self._weights[which][np.concatenate(texts)]
        sums = np.add.reduceat(rows, np.concatenate([[0], np.cumsum(lengths)[:-1]]), axis=0)
        found: Floats = np.maximum(sums / np.sqrt(lengths)[:, None], 0).astype(np.float32)
        return found

    def _learn_one(self, outcome: Outcome) -> None:
        target = outcome.reward
        if outcome.after is not None and outcome.after.actions:
            later = self.values(outcome.after, sorted(outcome.after.actions)[:_MOST_ACTIONS])
            target += self.settings.discount * float(later.max())
        buckets = self.settings.buckets
        words = [_of_situation(outcome.before, buckets), _of_action(outcome.action, buckets)]
        inner, outer = (self._embedded(which, [text])[0] for which, text in enumerate(words))
        # Scores are at most 1, so an error beyond that is the network's, and would only throw it about.
        error = float(np.clip(target - float(outer @ (inner + self._bias)), -1, 1))
        slopes = (outer * (inner > 0), (inner + self._bias) * (outer > 0))
        self._bias += np.float32(self.settings.rate * 0.1 * error) * outer
        for which, slope in enumerate(slopes):
            text = words[which]
            step = np.float32(error / np.sqrt(len(text))) * slope
            # Adagrad: rows of frequent words move less and less.
            self._steps[which][text] += step**2
            self._weights[which][text] += self.settings.rate * step / np.sqrt(self._steps[which][text])
        self.lessons += 1


def _of_situation(situation: Situation, buckets: int) -> Indices:
    """The words of goal and beliefs; whether something is perceived or remembered makes another word of it."""
    said = [("g", situation.goal), *(("n" if b.source == PERCEPT else "m", b.sentence) for b in situation.beliefs)]
    return _hashed(tuple(said), buckets)


@lru_cache(maxsize=50_000)
def _of_action(action: str, buckets: int) -> Indices:
    """The words of an action, and its pairs of neighbours."""
    words = _WORD.findall(action.casefold())
    pairs = " ".join(f"{one}'{two}" for one, two in pairwise(words))
    return _hashed((("a", action), ("p", pairs)), buckets)


@lru_cache(maxsize=1_024)
def _hashed(said: tuple[tuple[str, str], ...], buckets: int) -> Indices:
    """The buckets of all words, each once; a text without words has one of its own."""
    words = {f"{kind}:{word}" for kind, text in said for word in _WORD.findall(text.casefold())} or {"nothing"}
    return np.array(sorted({zlib.crc32(word.encode()) % buckets for word in words}), dtype=np.int64)


def _digest(arrays: dict[str, NDArray[np.float32]]) -> str:
    return hashlib.sha256(b"".join(arrays[name].astype(np.float32).tobytes() for name in sorted(arrays))).hexdigest()
