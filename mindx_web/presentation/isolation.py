"""The level of isolation as the administration shows it: what holds, why nothing better does, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from mindx_web.operations.health import Part, PartState

_TONES = {PartState.OK: "success", PartState.DOWN: "error"}
_NOT_KNOWN = "A worker checks its sandbox when it starts and reports the result here. Check that one is running."


@dataclass(frozen=True)
class Isolation:
    """`tone` is one of the administration's message classes; `reasons` name each level that cannot be had, and why."""

    tone: str
    sentence: str
    level: str
    least: str
    worker: str
    reasons: tuple[tuple[str, str], ...]
    advice: str


def of(part: Part) -> Isolation:
    """Read the health's part “sandbox”."""
    facts = part.facts
    level, least, worker = (str(facts.get(name, "")) for name in ("level", "least", "worker"))
    return Isolation(
        tone=_TONES.get(part.state, "warning"),
        sentence=f"{part.sentence[:1].upper()}{part.sentence[1:]}.",
        level=level,
        least=least,
        worker=worker,
        reasons=tuple(sorted(dict(facts.get("reasons", {})).items(), reverse=True)),
        advice=_advice(part.state, level, least),
    )


def _advice(state: PartState, level: str, least: str) -> str:
    if state is PartState.OK:
        return ""
    if state is PartState.UNKNOWN:
        return _NOT_KNOWN
    better = "Fix what prevents a better level (below) and restart the worker; it then checks again."
    if state is PartState.LIMITED:
        return f"You have accepted this with MINDX_SANDBOX_MIN={least}. {better}"
    if not level:
        return f"Goals are still planned; no step runs. {better}"
    return (
        f"Goals are still planned; no step runs. {better} Or accept the weaker level: start mindX with "
        f"MINDX_SANDBOX_MIN={level}. docs/sandbox.md says what {level} lets a program see and do."
    )
