"""What holds of planning by rules whatever the rules and the beliefs are."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning.means_ends import plan
from agents.rules.selection import KnownRule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from tests.agents.bdi.worlds import known

THINGS = ("lamp", "oven", "radio", "heater", "pump", "fan")
# Of each thing: said to be on, said to be off, said with half a heart, or not said at all.
_SAID = {
    "on": Belief("The {} is on."),
    "off": Belief("The {} is off."),
    "maybe": Belief("The {} is on.", confidence=0.5),
}
_WORLDS = st.fixed_dictionaries({thing: st.sampled_from(["on", "off", "maybe", "unsaid"]) for thing in THINGS})
_CONTEXTS = st.lists(st.tuples(st.booleans(), st.sampled_from(THINGS), st.sampled_from(["on", "off"])), max_size=8)
_Context = tuple[bool, str, str]


def beliefs_of(world: dict[str, str]) -> list[Belief]:
    return [
        Belief(_SAID[said].sentence.format(thing), confidence=_SAID[said].confidence)
        for thing, said in world.items()
        if said != "unsaid"
    ]


def rule(name: str, contexts: list[_Context], priority: int = 0) -> str:
    wanted = [f"{'NOT ' if denied else ''}the {thing} is {state}" for denied, thing, state in contexts]
    considering = f"CONSIDERING {' AND '.join(wanted)}\n" if wanted else ""
    return f"RULE {name}\nPRIORITY {priority}\nIF your task is to begin\n{considering}THEN: create the folder {name}\n"


def holds(context: _Context, world: dict[str, str]) -> bool:
    """What a context means, said without the planner: known to be so, or known not to be."""
    denied, thing, state = context
    known_state = {"maybe": "on", "unsaid": ""}.get(world[thing], world[thing])
    return known_state == {"on": "off", "off": "on"}[state] if denied else known_state == state


@given(_CONTEXTS, _WORLDS)
def test_a_rule_fires_exactly_when_every_one_of_its_contexts_is_entailed(
    contexts: list[_Context], world: dict[str, str]
) -> None:
    outcome = plan("begin", known(rule("one", contexts)), beliefs_of(world), REGISTRY)
    assert isinstance(outcome, PlanDraft) == all(holds(context, world) for context in contexts)


@given(
    st.lists(st.tuples(_CONTEXTS, st.integers(-2, 2)), min_size=1, max_size=6).flatmap(
        lambda rules: st.tuples(st.just(rules), st.permutations(range(len(rules))))
    ),
    _WORLDS,
)
def test_the_order_of_storage_never_matters(
    rules_and_order: tuple[list[tuple[list[_Context], int]], list[int]], world: dict[str, str]
) -> None:
    rules, order = rules_and_order
    stored = known("".join(rule(f"r{n}", contexts, priority) for n, (contexts, priority) in enumerate(rules)))
    beliefs = beliefs_of(world)
    assert _chosen(stored, beliefs) == _chosen([stored[number] for number in order], beliefs)


@given(
    st.lists(st.tuples(_CONTEXTS, st.integers(-2, 2)), min_size=1, max_size=6),
    _WORLDS,
)
def test_the_rule_that_is_used_applies_and_none_that_applies_comes_before_it(
    rules: list[tuple[list[_Context], int]], world: dict[str, str]
) -> None:
    stored = known("".join(rule(f"r{n}", contexts, priority) for n, (contexts, priority) in enumerate(rules)))
    outcome = plan("begin", stored, beliefs_of(world), REGISTRY)
    fit = [n for n, (contexts, _) in enumerate(rules) if all(holds(one, world) for one in contexts)]
    if not fit:
        assert isinstance(outcome, NoPlan)
        return
    ranks = {n: (rules[n][1], len(rules[n][0]), _weakest(rules[n][0], world)) for n in fit}
    used = int(str(outcome.evidence["rule"]["name"]).removeprefix("r"))
    assert used in fit
    assert ranks[used] == max(ranks.values())


def _weakest(contexts: list[_Context], world: dict[str, str]) -> float:
    return 0.5 if any(world[thing] == "maybe" for _, thing, _ in contexts) else 1.0


def _chosen(rules: list[KnownRule], beliefs: list[Belief]) -> Any:
    outcome = plan("begin", rules, beliefs, REGISTRY)
    return outcome.steps if isinstance(outcome, PlanDraft) else outcome.reason


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=3), min_size=5, max_size=5))
def test_sub_goals_in_any_circle_end_with_a_plan_or_a_reason(calls: list[list[int]]) -> None:
    text = "".join(
        f"RULE r{n}\nIF your task is to do job {n}\nTHEN: {', '.join(f'PLAN TO do job {one}' for one in called)}\n"
        for n, called in enumerate(calls)
    )
    outcome = plan("do job 0", known(text), [], REGISTRY)
    # Every rule needs another one, so nothing can ever be planned.
    assert isinstance(outcome, NoPlan)
    assert "would need itself" in str(outcome.evidence["rejected"][0]["why"])
