"""What the pages of environments show: a run at one of its actions, what was believed and weighed, and policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents.environments.beliefs import PERCEPT
from agents.environments.interpreter import RULE
from agents.environments.learned import PolicyUnusable
from agents.environments.policies import LANGUAGE_MODEL, LEARNED, PERSON
from agents.models import EnvironmentAction, EnvironmentEpisode, EnvironmentPolicy, EnvironmentRun
from agents.presentation.matrix import Weighed, stage_in_words, weighed_rules
from agents.simulations import learned_policies, rights, worlds
from agents.simulations.worlds import World
from agents.states import EnvironmentRunState, TrainingState
from people.models import User

S = EnvironmentRunState
T = TrainingState
# The badge of each state, as `look.css` knows it, and the words.
_WORDS = {
    S.READY: ("pending", "waiting for a worker"),
    S.RUNNING: ("executing", "running"),
    S.WAITING: ("manual", "waiting for a person"),
    S.PAUSED: ("blocked", "paused"),
    S.ENDED: ("dropped", "ended"),
}
_TRAINING_WORDS = {
    T.STOPPED: ("dropped", "stopped"),
    T.WAITING: ("pending", "waiting for a worker"),
    T.RUNNING: ("executing", "training"),
}
_OUTCOMES = {
    "over": "the task is over",
    "finished": "every line was done",
    "no_applicable_rule": "no rule applies",
    "loop": "going in circles",
    "replay_differs": "the environment was not the same again",
    "environment_hangs": "the environment hangs",
    "environment_died": "the environment died",
    "workers_lost": "workers died over it",
}
FALLBACK_WORDS = {"": "none", LEARNED: "learned policy", LANGUAGE_MODEL: "language model", PERSON: "person"}
# The colour of an action in the chart, by who chose it.
_LOOKS = {RULE: "mind", LEARNED: "accent", LANGUAGE_MODEL: "clay", PERSON: "person"}
_CHOSEN_BY = {RULE: "by a rule", LEARNED: "by the learned policy", LANGUAGE_MODEL: "by the language model",
              PERSON: "by a person"}  # fmt: skip
# Bars of one chart; more are averaged.
_MOST_BARS = 100


def percent(score: float) -> int:
    """A score as people say it."""
    return round(score * 100)


@dataclass(frozen=True)
class Listed:
    """A run in the list."""

    row: EnvironmentRun

    @property
    def title(self) -> str:
        """Its goal, or its task before it has begun."""
        return self.row.goal or self.row.task

    @property
    def state(self) -> str:
        """The badge."""
        if self.row.state == S.ENDED and self.row.score >= 1:
            return "achieved"
        return _WORDS[S(self.row.state)][0]

    @property
    def words(self) -> str:
        """What the badge says."""
        if self.state == "achieved":
            return "task done"
        if self.row.state == S.ENDED:
            return _OUTCOMES.get(self.row.outcome, self.row.outcome.replace("_", " "))
        return _WORDS[S(self.row.state)][1]

    @property
    def percent(self) -> int:
        """Of its score."""
        return percent(self.row.score)

    @property
    def fallback(self) -> str:
        """In words."""
        return FALLBACK_WORDS[self.row.fallback]


@dataclass(frozen=True)
class Bars:
    """A chart of scores: a bar for each, with its look; the same in a sentence; and the words below its two ends."""

    values: tuple[tuple[str, float], ...]
    sentence: str
    first: str
    last: str
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Believed:
    """A belief, and how many steps ago it was perceived."""

    sentence: str
    age: int


@dataclass(frozen=True)
class Decision:
    """A goal for which rules were weighed; `chosen` is empty where none was applicable."""

    goal: str
    chosen: str
    rules: tuple[Weighed, ...]
    left_out: int


@dataclass(frozen=True)
class Why:
    """What held a condition of the rule that acts."""

    context: str
    belief: str
    when: str
    stage: str
    score: str


class Moment:
    """One moment of a run: the action of a number, with what came before it and after it. Or the one that comes next,
    where a person is asked for it.
    """

    def __init__(self, run: EnvironmentRun, number: int, action: EnvironmentAction | None, before: str) -> None:
        self._run, self.number, self.action, self.percept = run, number, action, before
        seen: Mapping[str, Any] = run.asked or {} if action is None else {}
        self._beliefs: Sequence[Any] = action.beliefs if action is not None else seen.get("beliefs", ())
        self._decisions: Sequence[Any] = action.decisions if action is not None else seen.get("decisions", ())

    @property
    def perceived(self) -> list[Believed]:
        """The beliefs of the current percept."""
        return [Believed(said, age) for said, source, age in self._beliefs if source == PERCEPT]

    @property
    def remembered(self) -> list[Believed]:
        """What was perceived earlier, the newest first."""
        return [Believed(said, age) for said, source, age in self._beliefs if source != PERCEPT]

    @cached_property
    def decisions(self) -> list[Decision]:
        """The goals for which rules were weighed since the action before."""
        return [_decision(one, self._beliefs) for one in self._decisions]

    @property
    def by_rule(self) -> bool:
        """Whether a rule chose the action."""
        return self.action is not None and self.action.by == RULE

    @property
    def chosen_by(self) -> str:
        """Who chose it."""
        if self.action is None:
            return ""
        name = self.action.person.display_name if self.action.person is not None else ""
        return name or _CHOSEN_BY.get(self.action.by, self.action.by)

    @property
    def why(self) -> list[Why]:
        """What held the conditions of its rule when it was chosen."""
        return [
            Why(one["context"], one["belief"][0], _when(*one["belief"][1:]), stage_in_words(one["stage"]), one["score"])
            for one in (self.action.why if self.action is not None else ())
        ]

    @property
    def score(self) -> int:
        """After it, in percent."""
        return percent(self.action.score if self.action is not None else self._run.score)


class RunPage:
    """A run as its page shows it to one person, at one of its moments."""

    def __init__(self, row: EnvironmentRun, reader: User, number: int | None, *, plays: bool = False) -> None:
        self.row, self._reader = row, reader
        self.follows = number is None
        self.is_waiting = row.state == S.WAITING
        newest = row.at_step + (1 if self.is_waiting else 0)
        self.newest = newest
        self.number = newest if number is None else max(0 if not newest else 1, min(number, newest))
        self.plays = plays and self.number < newest

    @property
    def listed(self) -> Listed:
        """As in the list."""
        return Listed(self.row)

    @property
    def address(self) -> str:
        """Of the page."""
        return self.row.get_absolute_url()

    @cached_property
    def world(self) -> str:
        """Its environment, as it is called."""
        world = worlds.every().get(self.row.environment)
        return world.title if world is not None else self.row.environment

    @property
    def has_ended(self) -> bool:
        """Whether nothing more is done."""
        return self.row.state == S.ENDED

    @property
    def can_pause(self) -> bool:
        """Whether something could be paused."""
        return self.row.state in (S.READY, S.RUNNING, S.WAITING)

    @property
    def can_go_on(self) -> bool:
        """Whether it is paused."""
        return self.row.state == S.PAUSED

    @property
    def may_act(self) -> bool:
        """Whether this person may."""
        return rights.may_change(self._reader, self.row)

    @property
    def is_starting(self) -> bool:
        """Whether a worker has it and the environment has said nothing yet."""
        return self.row.state == S.RUNNING and self.row.first_percept is None

    @property
    def looks_again(self) -> str:
        """What the page asks for a second later; empty: nothing will change by itself."""
        if self.plays:
            return f"?step={self.number + 1}&play=1"
        is_under_way = self.row.state in (S.READY, S.RUNNING)
        return "?" if self.follows and is_under_way else ""

    @property
    def before(self) -> int | None:
        """The action before this one."""
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        """The action after this one."""
        return self.number + 1 if self.number < self.newest else None

    @cached_property
    def moment(self) -> Moment:
        """What is shown."""
        rows = EnvironmentAction.objects.select_related("person").filter(run=self.row.pk)
        found = {row.number: row for row in rows.filter(number__in=(self.number - 1, self.number))}
        earlier = found.get(self.number - 1)
        before = earlier.percept if earlier is not None else self.row.first_percept or ""
        return Moment(self.row, self.number, found.get(self.number), before)

    @cached_property
    def decided_earlier(self) -> Moment | None:
        """Where the rule that acts was chosen, if not right before this action."""
        action = self.moment.action
        if action is None or action.by != RULE or any(one.chosen == action.rule for one in self.moment.decisions):
            return None
        rows = EnvironmentAction.objects.filter(run=self.row.pk, number__lt=action.number)
        earlier = rows.filter(decisions__contains=[{"chosen": action.rule}]).order_by("-number").first()
        return Moment(self.row, earlier.number, earlier, "") if earlier is not None else None

    @cached_property
    def steps(self) -> list[Mapping[str, Any]]:
        """Every action in a line, with its score in percent."""
        rows = EnvironmentAction.objects.filter(run=self.row.pk).order_by("number")
        fields = ("number", "action", "by", "rule", "accepted", "score")
        return [{**row, "percent": percent(row["score"])} for row in rows.values(*fields)]

    @property
    def chart(self) -> Bars:
        """The score after each action, coloured by who chose it."""
        values = tuple((_LOOKS.get(one["by"], "clay"), float(one["score"])) for one in self.steps)
        there = dict.fromkeys(one["by"] for one in self.steps)
        legend = tuple((_LOOKS.get(by, "clay"), _CHOSEN_BY.get(by, by)) for by in there)
        if not values:
            return Bars((), "No action yet.", "", "")
        said = f"Score after each of {len(values)} actions: at first {percent(values[0][1])} %, at last "
        return Bars(values, f"{said}{percent(values[-1][1])} %.", "action 1", f"action {len(values)}", legend)

    @property
    def offered(self) -> list[str]:
        """The actions that a person may choose now."""
        return list(self.row.asked["actions"]) if self.is_waiting and self.row.asked else []

    @property
    def rules_from(self) -> str:
        """How many rules there are, and where they are from."""
        counted: dict[str, int] = {}
        for one in self.row.rules:
            counted[one["from"]] = counted.get(one["from"], 0) + 1
        return ", ".join(f"{number} of {name}" for name, number in counted.items()) or "none"


class PolicyPage:
    """A learned policy as its page shows it."""

    def __init__(self, row: EnvironmentPolicy, reader: User) -> None:
        self.row, self.may_train = row, rights.may_train(reader)

    @property
    def world(self) -> str:
        """Its environment, as it is called."""
        world = worlds.every().get(self.row.environment)
        return world.title if world is not None else self.row.environment

    @property
    def address(self) -> str:
        """Of the page."""
        return self.row.get_absolute_url()

    @property
    def state(self) -> str:
        """The badge."""
        return _TRAINING_WORDS[T(self.row.state)][0]

    @property
    def words(self) -> str:
        """What the badge says."""
        return _TRAINING_WORDS[T(self.row.state)][1]

    @property
    def is_under_way(self) -> bool:
        """Whether it is trained."""
        return self.row.state != T.STOPPED

    @property
    def explores(self) -> int:
        """How often it tries something at random while it learns, in percent."""
        return percent(self.row.explores)

    @property
    def size(self) -> int:
        """What is stored, in bytes."""
        return len(bytes(self.row.data)) if self.row.data is not None else 0

    @cached_property
    def unusable(self) -> str:
        """Why what is stored cannot be used; empty when it can."""
        try:
            learned_policies.of_row(self.row)
        except PolicyUnusable as unusable:
            return str(unusable)
        return ""

    @cached_property
    def episodes(self) -> list[EnvironmentEpisode]:
        """Those since it was reset."""
        played = EnvironmentEpisode.objects.filter(policy=self.row.pk, generation=self.row.generation)
        return list(played.order_by("number"))

    @property
    def newest(self) -> list[EnvironmentEpisode]:
        """The last ten, the newest first."""
        return self.episodes[:-11:-1]

    @property
    def chart(self) -> Bars:
        """The score of each episode; of several where there are many."""
        scores = [one.score for one in self.episodes]
        if not scores:
            return Bars((), "No episode was played yet.", "", "")
        each = -(-len(scores) // _MOST_BARS)
        means = [_mean(scores[at : at + each]) for at in range(0, len(scores), each)]
        tenth = max(1, len(scores) // 10)
        acted = [one.actions_by_policy for one in self.episodes]
        said = (
            f"Score of {len(scores)} episodes: {percent(_mean(scores[:tenth]))} % in the first tenth, "
            f"{percent(_mean(scores[-tenth:]))} % in the last. Actions of the policy in each: "
            f"{_mean(acted[:tenth]):.0f} at first, {_mean(acted[-tenth:]):.0f} at last."
        )
        values = tuple(("accent", mean) for mean in means)
        return Bars(values, said, "episode 1", f"episode {len(scores)}")


@dataclass(frozen=True)
class Place:
    """A world as the start page shows it."""

    world: World
    missing: str
    is_chosen: bool

    @property
    def tasks(self) -> list[tuple[str, str]]:
        """Each task with the variations that there are, in words."""
        return [(task, _variations(self.world.variations(task))) for task in self.world.tasks()]


def places(chosen: str) -> list[Place]:
    """All worlds; the one of this name is chosen, or the first."""
    every = worlds.every()
    name = chosen if chosen in every else next(iter(every))
    return [Place(world, world.missing(), world.name == name) for world in every.values()]


def _variations(splits: Mapping[str, Sequence[int]]) -> str:
    numbers = sorted(number for of_split in splits.values() for number in of_split)
    return f"0 to {numbers[-1]}"


def _decision(one: Mapping[str, Any], beliefs: Sequence[Any]) -> Decision:
    told = [{"sentence": said, "source": _when(source, age)} for said, source, age in beliefs]
    # What is left out of very long lists of beliefs is in no cell that is drawn.
    told += [{"sentence": "…", "source": ""}] * max(0, _last_belief(one) + 1 - len(told))
    weighed = tuple(weighed_rules({**one, "beliefs": told}))
    return Decision(one["goal"], one["chosen"], weighed, one["left_out"])


def _last_belief(one: Mapping[str, Any]) -> int:
    contexts = [*one["contexts"], *(context for rule in one["rejected"] for context in rule["contexts"])]
    return max((cell["belief"] for context in contexts for cell in context["cells"]), default=-1)


def _when(source: str, age: int) -> str:
    if source == PERCEPT:
        return "perceived"
    return f"remembered, {age} step{'' if age == 1 else 's'} old"


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)
