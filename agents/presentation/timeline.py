"""What happened to a goal, in order: every move, every plan, every intent with every try under it.

Pure: rows come in as facts, nodes go out; a template draws them. Texts stay untrusted until the template shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.bdi.recovery.delays import in_seconds
from agents.presentation.endings import reason_words
from agents.presentation.outcome_words import Came
from agents.presentation.outcome_words import came as came_of

# A step may write a megabyte; the plan's page shows all of it.
SENTENCE_MAX = 240


@dataclass(frozen=True)
class Move:
    """One transition. `revision` is set when an intent plan moved, else the goal did."""

    at: datetime
    old: str
    new: str
    by: str
    reason: str = ""
    revision: int | None = None


@dataclass(frozen=True)
class Mending:
    """The strategy chosen after a failed try; `succeeded` is None while nobody knows."""

    strategy: str
    why: str
    delay_s: float
    succeeded: bool | None


@dataclass(frozen=True)
class Try:
    """One attempt. `outcome` is empty while it runs."""

    number: int
    started: datetime
    finished: datetime | None = None
    outcome: str = ""
    failure_class: str = ""
    reason: str = ""
    mending: Mending | None = None
    # The declared alternative that was tried in the step's place; 0 is the step itself.
    alternative: int = 0
    worker: str = ""


@dataclass(frozen=True)
class Step:
    """One intent: what it does stands in the plan's document, how it went in its row and its tries."""

    position: int
    phase: str
    command: str
    sentence: str
    state: str
    reason: str = ""
    tries: tuple[Try, ...] = ()


@dataclass(frozen=True)
class Revision:
    """One intent plan with its steps. `rule` is the name of the rule that made it, empty when none did.

    `is_rest`: what was left of an approved plan when something stood against it, asked about anew.
    """

    number: int
    state: str
    source: str
    steps: tuple[Step, ...]
    created: datetime
    ended: datetime | None = None
    rule: str = ""
    rule_address: str = ""
    written_by: str = ""
    address: str = ""
    is_rest: bool = False


@dataclass(frozen=True)
class TryLine:
    """One line under an intent: a try or the recovery after it. `look` is good, bad, mend, now or nothing."""

    title: str
    said: str
    look: str
    tone: str
    detail: str = ""


@dataclass(frozen=True)
class Node:
    """One node. `tone` is a class of the look (n-mind, n-person …); `who` is set in bold before `title`."""

    at: datetime | None
    icon: str
    tone: str
    title: str
    who: str = ""
    code: str = ""
    detail: str = ""
    address: str = ""
    address_text: str = ""
    todo: bool = False
    tries: tuple[TryLine, ...] = ()
    marks: tuple[str, ...] = field(default=())


_TRY_LOOKS = {
    "": ("now", "is-accent", "runs"),
    "succeeded": ("good", "is-good", "succeeded"),
    "failed": ("bad", "is-bad", "failed"),
    "cancelled": ("", "faint", "was cancelled"),
    "lost": ("bad", "is-clay", "was lost with its worker"),
    "refused": ("bad", "is-clay", "was not allowed to run"),
    "unavailable": ("bad", "is-bad", "did not start: the sandbox failed, not the step"),
    "waiting": ("", "faint", "stopped to wait"),
}
_STEP_LOOKS = {
    "pending": ("clock", ""),
    "running": ("play", "n-now"),
    "succeeded": ("check", "n-good"),
    "failed": ("x", "n-bad"),
    "skipped": ("minus", ""),
    "outcome_unknown": ("question", "n-person"),
}


def build(
    created: datetime,
    submitted_by: str,
    moves: Sequence[Move],
    revisions: Sequence[Revision],
    beliefs: int,
    came: Came | None = None,
) -> list[Node]:
    """The timeline, oldest first; steps that have not been tried yet come last. `beliefs`: how many are held now;
    `came`: what came of a goal that is achieved.
    """
    dated = [
        Node(created, "goal", "n-person", "submitted the goal", who=submitted_by),
        *_moves(moves, revisions, beliefs, came),
    ]
    todo: list[Node] = []
    for revision in revisions:
        steps = [node for step in revision.steps if (node := _step(step)) is not None]
        dated += [_proposed(revision), *(node for node in steps if node.at is not None)]
        if revision.state in {"approved", "executing"}:
            todo += [node for node in steps if node.at is None]
    return sorted(dated, key=_moment) + todo


def _moves(moves: Sequence[Move], revisions: Sequence[Revision], beliefs: int, came: Came | None) -> Iterator[Node]:
    by_number = {revision.number: revision for revision in revisions}
    mind = _minds(moves, revisions)
    # No row says how many beliefs an earlier look found, so only the last look has a number.
    looked = max((move.at for move in moves if move.revision is None and move.new == "planning"), default=None)
    for move in moves:
        if move.revision is None:
            node = _goal_move(move, beliefs if move.at == looked else 0, came)
        elif move.new in ("superseded", "cancelled") and (move.by in mind or _was_asked_again(move)):
            node = _let_go(move)
        else:
            node = _plan_move(move, by_number.get(move.revision))
        if node is not None:
            yield node


def _minds(moves: Iterable[Move], revisions: Iterable[Revision]) -> frozenset[str]:
    """The names that moves have when no person made them: the agent's, and those of the workers that ran its plans."""
    claimed = {move.by for move in moves if move.revision is not None and move.new == "executing"}
    tried = {one.worker for revision in revisions for step in revision.steps for one in step.tries}
    return frozenset({"bdi_agent", *claimed, *tried})


def _was_asked_again(move: Move) -> bool:
    """Whether a worker found, before it claimed the plan, that its grounds had moved: its name stands nowhere else.
    No person replaces what is approved; whoever wants something else cancels the goal.
    """
    return move.old == "approved" and move.new == "superseded"


def _let_go(move: Move) -> Node:
    """The agent's own end of a plan: of one that ran, or of one that waited."""
    title = "The agent stopped the plan" if move.old == "executing" else "The agent withdrew the plan"
    return Node(move.at, "quote", "n-mind", title, detail=reason_words(move.reason))


def _moment(node: Node) -> datetime:
    if node.at is None:
        raise ValueError("only dated nodes are sorted")
    return node.at


def _goal_move(move: Move, beliefs: int, came: Came | None) -> Node | None:
    match (move.old, move.new):
        case (_, "planning"):
            said = f"{beliefs} belief{'' if beliefs == 1 else 's'} held now" if beliefs else ""
            return Node(move.at, "eye", "n-mind", "Perceived the workspace", detail=said)
        case (_, "manual"):
            return Node(move.at, "hand", "n-person", "Needs a person", detail=reason_words(move.reason))
        case (_, "achieved"):
            came = came or came_of("")
            return Node(move.at, came.icon, f"n-{came.tone}" if came.tone else "", came.headline, detail=move.reason)
        case (_, "failed"):
            return Node(move.at, "x", "n-bad", "Failed", detail=reason_words(move.reason))
        case (_, "dropped"):
            return Node(move.at, "minus", "", "Dropped", detail=reason_words(move.reason))
        case ("blocked", "pending"):
            return Node(move.at, "clock", "", "No longer waits for another goal")
        case (_, "pending") if move.reason:
            return Node(move.at, "clock", "", "Waiting to be planned again", detail=reason_words(move.reason))
    return None


def _plan_move(move: Move, revision: Revision | None) -> Node | None:
    address, why = revision.address if revision else "", reason_words(move.reason)
    count = len([step for step in revision.steps if step.phase == "main"]) if revision else 0
    match move.new:
        case "approved":
            title = f"approved all {count} steps" if count != 1 else "approved the step"
            return Node(move.at, "check", "n-person", title, who=move.by, detail=move.reason, address=address)
        case "rejected":
            return Node(move.at, "x", "n-bad", "rejected the plan", who=move.by, detail=move.reason, address=address)
        case "superseded":
            title = "sent the plan back" if move.reason.startswith("changes requested") else "replaced the plan"
            return Node(move.at, "quote", "n-person", title, who=move.by, detail=why)
        case "cancelled":
            return Node(move.at, "stop", "n-person", "cancelled the plan", who=move.by, detail=why)
        case "expired":
            return Node(move.at, "clock", "n-bad", "The plan expired without a decision")
        case "executing":
            return Node(move.at, "play", "n-now", "Claimed by a worker", detail=move.by)
    return None


def _proposed(revision: Revision) -> Node:
    main = sum(step.phase == "main" for step in revision.steps)
    undo = len(revision.steps) - main
    what = f"revision {revision.number}, {main} step{'' if main == 1 else 's'}" + (
        f", {undo} for clean-up" * bool(undo)
    )
    if revision.is_rest:
        who = revision.written_by
        return Node(
            revision.created, "eye", "n-person" if who else "n-mind",
            "sent the rest of the plan to review" if who else "The agent sent the rest of the plan to review", who=who,
            detail=what, address=revision.address, address_text="open it",
        )  # fmt: skip
    if revision.source == "person":
        return Node(
            revision.created, "hand", "n-person", "wrote a plan", who=revision.written_by or "A person", detail=what,
            address=revision.address, address_text="open it",
        )  # fmt: skip
    title = "Planned by rule" if revision.rule else f"Planned by {revision.source}"
    return Node(
        revision.created, "rule" if revision.rule else "spark", "n-mind", title, detail=what, code=revision.rule,
        address=revision.rule_address or revision.address, address_text=revision.rule or "open it",
    )  # fmt: skip


def _step(step: Step) -> Node | None:
    """A step's node; none for a clean-up step that was never needed."""
    if not step.tries and step.phase == "cleanup":
        return None
    icon, tone = _STEP_LOOKS.get(step.state, ("dot", ""))
    tries = tuple(_lines(step.tries))
    failed_once = any(line.look in {"bad", "mend"} for line in tries)
    if failed_once and step.state == "running":
        icon, tone = "mend", "n-clay"
    plain_success = len(step.tries) == 1 and step.state == step.tries[0].outcome == "succeeded"
    return Node(
        step.tries[0].started if step.tries else None,
        icon,
        tone,
        step.sentence if len(step.sentence) <= SENTENCE_MAX else step.sentence[:SENTENCE_MAX].rstrip() + " …",
        code=step.command,
        detail=_step_detail(step) if plain_success or not step.tries else _said_of(step),
        todo=not step.tries,
        tries=() if plain_success else tries,
        marks=("clean-up",) if step.phase == "cleanup" else (),
    )


def _said_of(step: Step) -> str:
    """Why the step stands as it does, where its tries do not tell: a person skipped it, did it, or said what it did."""
    told = any(one.reason and one.reason in step.reason for one in step.tries)
    return "" if told else reason_words(step.reason)


def _step_detail(step: Step) -> str:
    if not step.tries:
        return reason_words(step.reason) if step.reason else f"step {step.position}, not started"
    only = step.tries[0]
    return duration_of(only) if only.finished else ""


def _lines(tries: Iterable[Try]) -> Iterable[TryLine]:
    for attempt in tries:
        look, tone, said = _TRY_LOOKS.get(attempt.outcome, ("", "", attempt.outcome))
        took = f" after {duration_of(attempt)}" if attempt.finished else ""
        why = ": ".join(part for part in (attempt.failure_class.replace("_", " ").lower(), attempt.reason) if part)
        instead = f", alternative {attempt.alternative}" if attempt.alternative else ""
        yield TryLine(f"Try {attempt.number}{instead}", said + took, look, tone, why)
        if attempt.mending:
            yield _mending(attempt.mending)


def _mending(mending: Mending) -> TryLine:
    strategy = mending.strategy.replace("_", " ")
    wait = f", {in_seconds(mending.delay_s)}" if mending.delay_s else ""
    known = {None: "", True: "; the step succeeded later", False: "; it did not help"}[mending.succeeded]
    return TryLine("Recovery", strategy + wait, "mend", "is-clay", mending.why + known)


def outcome_words(outcome: str) -> str:
    """What became of a try, in the words of the pages."""
    return _TRY_LOOKS.get(outcome, ("", "", outcome))[2]


def duration_of(attempt: Try) -> str:
    """How long a finished try took, in the words of the pages."""
    if attempt.finished is None:
        return ""
    seconds = max(0.0, (attempt.finished - attempt.started).total_seconds())
    return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
