"""In what a plan differs from an earlier one, in a line: which steps are more, fewer or others, and which values."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.document import Document, IntentSpec
from review.reading import anchors


def unlike(earlier: Document, this: Document) -> str:
    """The difference from an earlier plan to this one. Numbers are those of this plan's steps."""
    pairs = anchors.aligned(earlier, this)
    said = []
    if more := [spec for spec in this.all_intents if spec.position not in pairs.values()]:
        said.append(f"more here: {_steps(more)}")
    if fewer := [spec for spec in earlier.all_intents if spec.position not in pairs]:
        said.append(f"not here: {', '.join(spec.command for spec in fewer)}")
    both = sorted((new, old) for old, new in pairs.items())
    if others := [words for new, old in both if (words := _values(earlier.at(old), this.at(new)))]:
        said.append(f"other values: {', '.join(others)}")
    order = [pairs[old] for old in sorted(pairs)]
    if order != sorted(order):
        said.append("in another order")
    return "; ".join(said) or "the same steps with the same values"


def _steps(specs: Sequence[IntentSpec]) -> str:
    return ", ".join(f"{spec.position} {spec.command}" for spec in specs)


def _values(old: IntentSpec, new: IntentSpec) -> str:
    """Step and names of the values that differ; "" for none."""
    names = [name for name in {**old.params, **new.params} if old.params.get(name) != new.params.get(name)]
    if old.condition != new.condition:
        names.append("condition")
    if tuple(old.hosts) != tuple(new.hosts) and "hosts" not in names:
        names.append("hosts")
    if old.asks != new.asks:
        names.append("language model")
    if old.alternatives != new.alternatives:
        names.append("alternatives")
    return f"{new.position} {' and '.join(names)}" if names else ""
