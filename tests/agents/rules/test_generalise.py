from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import perceive
from agents.bdi.learning.generalise import NotGeneralisable, propose
from agents.bdi.planning.means_ends import plan
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import PlanDraft, Step
from tests.agents.bdi.worlds import by_hand, known, world
from tests.agents.rules.linting import lint_text

GOAL = 'Please make a web page for tides with the title "Tides, today" for me.'
STEPS = (
    by_hand("mkdir", path="tides"),
    by_hand("write", path="tides/index.html", content="Tides, today\n"),
    by_hand("run", command_line="python -m http.server --directory tides", timeout_s=20),
    by_hand("write", path="log.txt", content="{{intents.3.result.stdout}}"),
    by_hand("write_note", tool="note_taking", name="tides", text="done"),
)
UNDO = (
    by_hand("toggle_autonomous_mode", on=True),
    by_hand("rm", path="tides"),
    by_hand("toggle_autonomous_mode", on=False),
)


def draft(*steps: Step, cleanup: tuple[Step, ...] = ()) -> PlanDraft:
    return PlanDraft(steps, cleanup, "person", {})


def said(found: object) -> list[tuple[str, str, dict[str, object]]]:
    assert isinstance(found, PlanDraft), found
    return [(step.tool, step.command, step.values()) for step in found.steps]


def test_what_steps_may_reach_is_said_in_the_rule() -> None:
    goal = "Look at the weather of Bergen"
    steps = (
        by_hand("run", command_line="pip install --target lib httpx"),
        by_hand("run", command_line="python look.py", hosts=["api.example", "127.0.0.1:8123"]),
        by_hand("run", command_line="pip install --target lib ./x.whl", hosts=[]),
    )
    lines = propose(goal, draft(*steps), REGISTRY, ()).text.splitlines()
    assert lines[-3:] == [
        "  run pip install --target lib httpx with access to the package index",
        "  run python look.py with access to api.example and 127.0.0.1:8123",
        "  run pip install --target lib ./x.whl with access to nothing",
    ]


def test_what_stands_in_goal_and_steps_becomes_a_slot() -> None:
    proposal = propose(GOAL, draft(*STEPS, cleanup=UNDO), REGISTRY, perceive(world(about=GOAL)))
    assert proposal.text.splitlines() == [
        "RULE make a web page",
        "IF your task is to make a web page for {folder} with the title {content}",
        "CONSIDERING there is no file or folder named {folder}",
        "THEN:",
        "  create the folder {folder}",
        '  write "{content}\\n" to the file {folder}/index.html',
        "  run python -m http.server --directory {folder} within 20 seconds",
        "  write {{intents.3.result.stdout}} to the file log.txt",
        "  write the note {folder} saying done",
        "ON FAILURE:",
        "  turn autonomous mode on",
        "  remove the file or folder {folder}",
        "  turn autonomous mode off",
    ]
    assert proposal.slots == {"folder": "tides", "content": "Tides, today"}


def test_the_rule_plans_another_goal_of_its_kind() -> None:
    rules = known(propose(GOAL, draft(*STEPS, cleanup=UNDO), REGISTRY, perceive(world(about=GOAL))).text)
    other = "make a web page for gauges with the title Water"
    found = said(plan(other, rules, perceive(world(about=other)), REGISTRY))
    assert found[0][2] == {"path": "gauges"}
    assert found[1][2] == {"path": "gauges/index.html", "content": "Water\n", "mode": "overwrite"}
    assert found[2][2]["command_line"] == "python -m http.server --directory gauges"


def test_reasons_that_a_person_gave_stay_with_their_steps() -> None:
    step = dataclasses.replace(STEPS[0], justification="A place of\nits own.")
    assert (
        "  # A place of its own.\n  create the folder {folder}" in propose("set up tides", draft(step), REGISTRY).text
    )


def test_code_is_never_cut_into_slots() -> None:
    code = "for time in (1, 2):\n    print(time)\n"
    proposal = propose(
        "write a clock into the folder time", draft(by_hand("write", path="time/clock.py", content=code)), REGISTRY
    )
    assert "print(time)" in proposal.text
    assert proposal.slots == {"folder": "time", "file": "clock"}
    assert "to the file {folder}/{file}.py" in proposal.text


def test_braces_in_code_stay_braces() -> None:
    code = "print(f'{name}', {'a': 1}, '{{x}}')\n"
    step = by_hand("write", path="x.py", content=code)
    proposal = propose("do the usual", draft(step), REGISTRY)
    assert said(plan("do the usual", known(proposal.text), [], REGISTRY)) == [("simple_coder", "write", step.values())]


@pytest.mark.parametrize(
    ("goal", "steps", "words"),
    [
        ("x" * 3000, STEPS, "up to 2000 characters"),
        ("  ", STEPS, "up to 2000 characters"),
        ("make a[b]c now", STEPS[:1], "brackets"),
        (
            "make it",
            (
                dataclasses.replace(
                    STEPS[0], condition={"left": "{{intents.1.result.x}}", "operator": "equals", "value": 1}
                ),
            ),
            "condition",
        ),
    ],
)
def test_what_rules_cannot_say_is_refused_with_the_reason(goal: str, steps: tuple[Step, ...], words: str) -> None:
    with pytest.raises(NotGeneralisable, match=words):
        propose(goal, draft(*steps), REGISTRY)


WORDS = st.sampled_from(
    [
        "make",
        "the",
        "tides",
        "weather",
        "x.txt",
        "my",
        "and",
        "IF",
        "AND",
        "to",
        "named",
        "a/b",
        "it's",
        "2",
        '"two words"',
        "now,",
    ]
)
VALUES = st.one_of(
    st.sampled_from(["tides", "weather", "x.txt", "a/b", "two words", "tides/x.txt", "weather.py", "it's"]),
    st.text(alphabet="ab{}\"',\\\n#AND é", min_size=1, max_size=8),
)
PATHS = VALUES.filter(lambda v: v == v.strip() and "\n" not in v and "\\" not in v and not v.startswith("-"))


@st.composite
def plans(draw: st.DrawFn) -> PlanDraft:
    steps = draw(
        st.lists(
            st.one_of(
                PATHS.map(lambda path: by_hand("mkdir", path=path)),
                st.builds(lambda path, content: by_hand("write", path=path, content=content), PATHS, VALUES),
                st.builds(lambda line: by_hand("run", command_line=line), VALUES.filter(lambda v: "\n" not in v)),
                st.builds(
                    lambda name, text: by_hand("write_note", tool="note_taking", name=name, text=text),
                    PATHS.filter(lambda v: "/" not in v),
                    VALUES,
                ),
            ),
            min_size=1,
            max_size=4,
        )
    )
    return draft(*steps)


@settings(max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), plans())
def test_a_proposed_rule_parses_lints_clean_and_gives_the_same_steps_for_the_same_goal(
    goal: str, made: PlanDraft
) -> None:
    try:
        proposal = propose(goal, made, REGISTRY)
    except NotGeneralisable:
        return
    assert [found for found in lint_text(proposal.text, REGISTRY) if found.severity == "error"] == []
    assert said(plan(goal, known(proposal.text), [], REGISTRY)) == said(made)
