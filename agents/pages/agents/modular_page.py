"""What the pages of modular agents show: a run with its tree, one node, what a person is asked, two branches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Avg, Count, Q
from django.urls import reverse

from agents.bdi.modular.acting import SUBMIT
from agents.bdi.modular.state import MODULE_TYPES, STEP_TYPES, FunctionCall, Limits, Message, Node, State, Used
from agents.models import ModularRun, ModularWant
from agents.modular import branching, rights, states, wanting
from agents.presentation.modular_tree import tree
from agents.states import ModularRunState
from agents.workspaces.stores import store
from people.models import User

S = ModularRunState
# The badge of each state, as `look.css` knows it, and the words.
_WORDS = {
    S.READY: ("pending", "waiting for a worker"),
    S.RUNNING: ("executing", "running"),
    S.WAITING: ("manual", "waiting"),
    S.PAUSED: ("blocked", "paused"),
    S.ENDED: ("dropped", "ended"),
}
_MOST_FILES = 200
LIMITS = {
    "tokens": "Tokens",
    "time_s": "Seconds",
    "cost": "US dollars",
    "submissions": "Submissions",
    "steps": "Steps",
}


@dataclass(frozen=True)
class Listed:
    """A run in the list."""

    row: ModularRun

    @property
    def task(self) -> str:
        """Its first line."""
        return " ".join(self.row.task.split())[:160]

    @property
    def modules(self) -> str:
        """Their names."""
        return self.row.modules.replace("_", " ")

    @property
    def state(self) -> str:
        """The badge."""
        if self.row.state == S.ENDED and self.row.outcome == "achieved":
            return "achieved"
        return _WORDS[S(self.row.state)][0]

    @property
    def words(self) -> str:
        """What the badge says."""
        if self.row.state == S.ENDED and self.row.outcome:
            return {"achieved": "submitted", "limit": "limit reached"}[self.row.outcome]
        return _WORDS[S(self.row.state)][1]

    @property
    def steps(self) -> int:
        """How many states it has come through."""
        return self.row.at_step - 1


@dataclass(frozen=True)
class Combination:
    """How the runs of one combination ended."""

    modules: str
    ended: int
    achieved: int
    steps: float


def combinations(user: User) -> list[Combination]:
    """How each combination did on the runs that this person may see, the most successful first."""
    rows: Any = rights.visible_to(user).filter(state=S.ENDED.value).exclude(outcome="").order_by().values("modules")
    counted = rows.annotate(ended=Count("pk"), did=Count("pk", filter=Q(outcome="achieved")), mean=Avg("at_step"))
    found = [Combination(one["modules"].replace("_", " "), one["ended"], one["did"], one["mean"]) for one in counted]
    return sorted(found, key=lambda one: (-one.achieved / one.ended, -one.ended))[:20]


@dataclass(frozen=True)
class Amount:
    """What was used of a limit."""

    title: str
    value: float
    most: float
    says: str


@dataclass(frozen=True)
class Waits:
    """What the run waits for, and where that is."""

    says: str
    address: str = ""
    link: str = ""


@dataclass(frozen=True)
class LimitField:
    """A limit in a form."""

    name: str
    title: str
    value: object


def limit_fields(present: Limits, given: Mapping[str, Any] | None = None) -> list[LimitField]:
    """Each limit as a field of a form, with what was typed where something was."""
    typed = given or {}
    return [
        LimitField(name, title, typed.get(f"limit.{name}", _plain(getattr(present, name))))
        for name, title in LIMITS.items()
    ]


def _plain(amount: Any) -> Any:
    """A whole number without the point that a float shows."""
    return int(amount) if isinstance(amount, float) and amount.is_integer() else amount


class RunPage:
    """A run as its page shows it to one person."""

    def __init__(self, row: ModularRun, state: State, reader: User) -> None:
        self.row, self._state, self._reader = row, state, reader
        self.pk, self.reason, self.submissions = row.pk, row.reason, state.submissions
        self.listed = Listed(row)
        self.task, self.modules = self.listed.task, self.listed.modules
        self.state, self.words = self.listed.state, self.listed.words
        self.may_act = rights.may_change(reader, row)
        self.at = state.at
        self.next = state.next_step.module_type
        self.query = ""

    @property
    def address(self) -> str:
        """Its page."""
        return self.row.get_absolute_url()

    @property
    def is_under_way(self) -> bool:
        """Whether the page looks again by itself."""
        return self.row.state in (S.READY, S.RUNNING, S.WAITING)

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes next."""
        return self.row.state == S.ENDED

    @property
    def can_step(self) -> bool:
        """Whether a person has it go on."""
        return self.row.state == S.PAUSED and bool(self.next)

    @property
    def can_pause(self) -> bool:
        """Whether it goes on by itself now."""
        return self.is_under_way

    @property
    def used(self) -> list[Amount]:
        """Of each limit."""
        use, most = self._state.usage, self._state.limits
        return [
            Amount("steps", self._state.steps, most.steps, f"{self._state.steps:,} of {most.steps:,}"),
            Amount("tokens", use.tokens, most.tokens, f"{use.tokens:,} of {most.tokens:,}"),
            Amount("cost", float(use.cost), float(most.cost) or 1, f"${use.cost:.4f} of ${most.cost}"),
            Amount("time", use.time_s, most.time_s, f"{use.time_s:,.0f} of {most.time_s:,.0f} s"),
        ]

    @property
    def limits(self) -> list[LimitField]:
        """Each limit as a field of a form, once it has met one, and while it is paused: a page that looks again by
        itself would take away what is typed.
        """
        is_open = self.row.state == S.PAUSED or self._state.outcome == "limit"
        return limit_fields(self._state.limits) if is_open else []

    @property
    def waits(self) -> list[Waits]:
        """What is under way outside of it."""
        rows = self.row.wants.filter(step=self.row.at_step + 1, answer__isnull=True).select_related("goal")
        return [_waits(one) for one in rows if not self.has_ended]


def _waits(want: ModularWant) -> Waits:
    if want.kind == "call" and want.goal is not None:
        plan = want.goal.intent_plans.order_by("-revision").first()
        address = plan.get_absolute_url() if plan is not None else want.goal.get_absolute_url()
        return Waits(f"The call of {want.args['name']} is reviewed or runs.", address, "Open its plan")
    if want.kind == "person":
        return Waits("It waits for a person.", "#person", "Answer")
    return Waits(f"It waits for {want.kind}.")


@dataclass(frozen=True)
class ShownOption:
    """An option as text. `at` counts from 0, `number` from 1."""

    at: int
    number: int
    says: str
    source: str = ""
    score: float | None = None
    why: str = ""
    is_chosen: bool = False


@dataclass(frozen=True)
class Asked:
    """What a person is asked."""

    key: str
    step: int
    kind: str
    options: list[ShownOption]
    tools: list[str]


def ask_of(run: ModularRun, state: State) -> Asked | None:
    """What the next step wants of a person; None: nothing."""
    want = next(iter(wanting.asked_of_people(run)), None)
    if want is None:
        return None
    shown = [
        ShownOption(at, at + 1, _as_text(one["content"], one["function_call"]))
        for at, one in enumerate(want.args.get("options", ()))
    ]
    return Asked(want.key, want.step, want.args["ask"], shown, list(state.tools) or ["submit"])


def said(message: Message) -> str:
    """A message with its call, as text."""
    call = message.function_call
    return _as_text(message.content, None if call is None else {"name": call.name, "arguments": dict(call.arguments)})


def _as_text(content: str, call: Any) -> str:
    if call is None:
        return content
    return f"{content}\n{call['name']} {json.dumps(call.get('arguments', {}), ensure_ascii=False, indent=2)}".strip()


def of(run: ModularRun, reader: User, node: int | None, first: int | None) -> dict[str, Any]:
    """The context of a run's page, with a node where one is chosen."""
    state = states.tree_of(run)
    page = RunPage(run, state, reader)
    page.query = "&".join(f"{name}={value}" for name, value in (("node", node), ("from", first)) if value is not None)
    found: dict[str, Any] = {"run": page, "tree": tree(state, node, first=first), "ask": ask_of(run, state)}
    chosen = state.nodes.get(node if node is not None else state.at or 0)
    return {**found, **(_node(chosen, state) if chosen is not None else {})}


def _node(node: Node, state: State) -> dict[str, Any]:
    call: FunctionCall | None = node.message.function_call
    after = [one.id for one in state.nodes.values() if one.parent == node.id]
    path = {one.id for one in state.path()}
    settings = {kind: asdict(state.settings[kind]) for kind in MODULE_TYPES}
    return {
        "node": node,
        "node_at": _moment(node.at),
        "options": [
            ShownOption(at, at + 1, said(one.message), one.source, one.score, one.why, at == node.chosen)
            for at, one in enumerate(node.options)
        ],
        "call_arguments": json.dumps(dict(call.arguments), ensure_ascii=False, indent=2) if call else "",
        "call_address": _plan_address(node, state),
        "beside": {"before": node.parent, "after": sorted(after, key=lambda one: one not in path)},
        "next_steps": [("", "what usually follows"), *((kind, kind) for kind in STEP_TYPES if kind != "discriminator")],
        "settings_json": json.dumps(settings, ensure_ascii=False, indent=2),
    }


def _moment(text: str) -> datetime | None:
    """None for what is no moment: a state may come from a file that somebody wrote."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def _plan_address(node: Node, state: State) -> str:
    """Where the goal is that the answers below name."""
    below = (one for one in state.nodes.values() if one.parent == node.id)
    goal = next((one.metadata["goal"] for one in below if "goal" in one.metadata), None)
    return reverse("goal", args=[goal]) if goal is not None else ""


@dataclass(frozen=True)
class Side:
    """What one of two branches has for itself."""

    to: int
    nodes: list[Node]
    used: Used

    @property
    def submitted(self) -> str:
        """The answer that its own nodes submitted last; "" where they submitted none."""
        calls = [one.message.function_call for one in self.nodes if one.message.function_call is not None]
        return next((str(one.arguments.get("answer", "")) for one in reversed(calls) if one.name == SUBMIT), "")

    @property
    def tokens(self) -> int:
        """Of its own nodes."""
        return self.used.tokens

    @property
    def cost(self) -> float:
        """In US dollars."""
        return float(self.used.cost)

    @property
    def time_s(self) -> float:
        """In seconds."""
        return self.used.time_s


def compared(run: ModularRun, reader: User, left: int, right: int) -> dict[str, Any]:
    """The context of a page that shows two branches. StateRefused for a node that is not there."""
    steps = [branching.step_of(run, one) for one in (left, right)]
    state = states.tree_of(run)
    paths = [state.path(one) for one in (left, right)]
    shared = {one.id for one in paths[0]} & {one.id for one in paths[1]}
    own = [[one for one in path if one.id not in shared] for path in paths]
    sides = [Side(to, nodes, _together(nodes)) for to, nodes in zip((left, right), own, strict=True)]
    return {
        "run": RunPage(run, state, reader),
        "sides": sides,
        "common": len(shared),
        "fork": max(shared, default=0),
        "files": _unlike_files([one.snapshot for one in steps]),
    }


def _together(nodes: Iterable[Node]) -> Used:
    return sum((one.used for one in nodes), Used())


def _unlike_files(snapshots: Sequence[str]) -> list[tuple[str, str]]:
    left, right = ({entry.path: entry for entry in store().entries(one)} for one in snapshots)
    found = []
    for path in sorted({*left, *right}):
        if path not in left or path not in right:
            found.append(
                (path.decode(errors="replace"), "only in the second" if path in right else "only in the first")
            )
        elif left[path] != right[path] and left[path].kind == "file":
            found.append((path.decode(errors="replace"), "differs"))
    return found[:_MOST_FILES]
