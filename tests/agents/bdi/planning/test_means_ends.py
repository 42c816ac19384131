from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import perceive
from agents.bdi.planning.means_ends import OVER_LIMIT, plan
from agents.bdi.plans.misnamed import Beginning
from agents.bdi.plans.validation import validate
from agents.rules.file_sets import Items
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from tests.agents.bdi.worlds import STARTER, known, world

EMPTY = perceive(world())


def drafted(goal: str, rules: str, beliefs: list[Belief] | None = None, **parts: Any) -> PlanDraft:
    draft = plan(goal, known(rules), EMPTY if beliefs is None else beliefs, REGISTRY, **parts)
    assert isinstance(draft, PlanDraft), draft
    return draft


def refused(goal: str, rules: str, beliefs: list[Belief] | None = None, **parts: Any) -> NoPlan:
    draft = plan(goal, known(rules), EMPTY if beliefs is None else beliefs, REGISTRY, **parts)
    assert isinstance(draft, NoPlan), draft
    return draft


def said(draft: PlanDraft) -> list[tuple[str, dict[str, Any]]]:
    return [(step.command, step.values()) for step in draft.steps]


def test_the_first_goal_becomes_the_steps_that_the_starter_rules_write() -> None:
    goal = (
        "Create a Python project named api_client with a virtual environment "
        "and a script that prints the Python version"
    )
    draft = plan(goal, STARTER, perceive(world(about=goal)), REGISTRY)
    assert isinstance(draft, PlanDraft)
    assert [step.command for step in draft.steps] == ["mkdir", "cd", "create_venv", "activate_venv", "write", "run"]
    assert draft.steps[0].params["path"].value == "api_client"
    start, end = draft.steps[0].params["path"].span or (0, 0)
    assert goal[start:end] == "api_client"
    assert draft.steps[4].params["mode"].origin == "default"
    # How long it may take stands in the limits of its plan; a step says it only where it is to be another time.
    assert set(draft.steps[5].params) == {"command_line"}
    assert draft.steps[2].rule == "set up a virtual environment 1.0.0"
    assert draft.evidence["rule"] == {
        "name": "start a python project",
        "version": "1.0.0",
        "component_version_id": "id of start a python project",
    }
    assert validate(draft.steps, draft.cleanup, REGISTRY) == []
    assert json.loads(json.dumps(draft.evidence)) == draft.evidence


def test_the_rule_with_more_contexts_is_chosen_and_the_other_says_why_not() -> None:
    rules = (
        "RULE plain\nIF your task is to make {x}\nTHEN: create the folder {x}\n"
        "RULE careful\nIF your task is to make {x}\nCONSIDERING there is no file or folder named {x}\n"
        "THEN: write hello to the file {x}"
    )
    draft = drafted("make a thing", rules)
    assert draft.evidence["rule"]["name"] == "careful"
    (rejected,) = draft.evidence["rejected"]
    assert (rejected["rule"]["name"], rejected["code"]) == ("plain", "less_specific")
    assert "more contexts" in rejected["why"]


def test_a_higher_priority_comes_before_more_contexts_and_still_needs_its_own() -> None:
    rules = (
        "RULE careful\nIF your task is to make {x}\nCONSIDERING there is no file or folder named {x}\n"
        "THEN: create the folder {x}\n"
        "RULE urgent\nPRIORITY 1\nIF your task is to make {x}\nTHEN: write hello to the file {x}\n"
        "RULE impossible\nPRIORITY 100\nIF your task is to make {x}\nCONSIDERING there is a folder named {x}\n"
        "THEN: read {x}\n"
        "RULE last\nPRIORITY -1\nIF your task is to make {x}\nCONSIDERING the workspace is empty\nTHEN: read {x}"
    )
    draft = drafted("make a thing", rules)
    assert draft.evidence["rule"]["name"] == "urgent"
    why = {entry["rule"]["name"]: (entry["code"], entry["why"]) for entry in draft.evidence["rejected"]}
    assert why["careful"] == ("less_specific", "“urgent” is first by its priority")
    assert why["impossible"][0] == "not_applicable"


def test_among_equals_more_words_of_the_trigger_win_then_the_firmer_entailment() -> None:
    words = (
        "RULE b\nIF your task is to make {x}\nTHEN: create the folder b\n"
        "RULE a\nIF your task is to make the new {x}\nTHEN: create the folder a\n"
    )
    assert drafted("make the new thing", words).evidence["rule"]["name"] == "a"
    firm = (
        "RULE b\nIF your task is to make {x}\nCONSIDERING the lamp is on\nTHEN: create the folder b\n"
        "RULE c\nIF your task is to make {x}\nCONSIDERING the door is open\nTHEN: create the folder c\n"
    )
    beliefs = [Belief("The lamp is on.", confidence=0.6), Belief("The door is open.")]
    assert drafted("make it", firm, beliefs).evidence["rule"]["name"] == "c"


def test_when_a_body_does_not_compile_the_next_rule_is_tried() -> None:
    rules = (
        "RULE best\nIF your task is to make {x} [now]\nCONSIDERING the workspace is empty\nTHEN: dance around {x}\n"
        "RULE second\nIF your task is to make {x} now\nTHEN: PLAN TO fly\n"
        "RULE third\nIF your task is to make {x} [now]\nTHEN: create the folder {x}\n"
    )
    draft = drafted("make weather now", rules)
    assert said(draft) == [("mkdir", {"path": "weather"})]
    why = {entry["rule"]["name"]: (entry["code"], entry["line"]) for entry in draft.evidence["rejected"]}
    assert why == {"best": ("unknown_phrase", 4), "second": ("subgoal", 7)}


def test_a_context_that_does_not_hold_is_named_with_the_belief_against_it() -> None:
    rules = "RULE r\nIF your task is to make {x}\nCONSIDERING there is no folder named {x}\nTHEN: create the folder {x}"
    no = refused("make weather", rules, perceive(world("weather/", about="make the folder weather")))
    assert no.reason == "no_applicable_rule"
    (rejected,) = no.evidence["rejected"]
    assert rejected["context"] == "there is no folder named weather"
    assert no.evidence["beliefs"][rejected["nearest_belief"]]["sentence"] == "There is a folder named weather."
    assert "There is a folder named weather." in rejected["why"]
    cells = rejected["contexts"][0]["cells"]
    assert {cell["answer"] for cell in cells} == {"no"}, "what says nothing about it is not written down"


@pytest.mark.parametrize("value", ["../x", "/etc", "a/../../b", "~/x", '"a\u202eb"', '"a\\b"', "-rf", '" x"'])
def test_a_value_that_names_nothing_in_the_workspace_is_a_problem_not_a_path(value: str) -> None:
    no = refused(f"make the folder {value}", "IF your task is to make the folder {x}\nTHEN: create the folder {x}")
    assert no.reason == "unusable_value"
    assert no.evidence["rejected"][0]["code"] == "unusable_value"


def test_a_goal_no_rule_is_about_says_so() -> None:
    assert (
        refused("brew some tea", "IF your task is to make {x}\nTHEN: create the folder {x}").reason
        == "no_relevant_rule"
    )


def test_sub_goals_are_planned_against_what_the_steps_before_them_leave() -> None:
    rules = (
        "RULE outer\nIF your task is to begin {x}\nCONSIDERING there is no file or folder named {x}\n"
        "THEN: create the folder {x}, go to the folder {x}, PLAN TO set it up, go to the folder .., PLAN TO set it up\n"
        "RULE fresh\nIF your task is to set it up\nCONSIDERING there is no folder named data\n"
        "AND there is no file named ready.txt\nTHEN: create the folder data, write ok to the file ready.txt\n"
    )
    draft = drafted("begin weather", rules)
    assert [values.get("path") for _, values in said(draft)] == [
        "weather", "weather", "data", "ready.txt", "..", "data", "ready.txt",
    ]  # fmt: skip
    inner, again = draft.evidence["subgoals"]
    assert (inner["folder"], again["folder"]) == ("weather", "")
    assert inner["contexts"][0]["sentence"] == "There is no folder named weather/data."
    assert (inner["first_step"], again["first_step"]) == (3, 6)
    twice = rules.replace("go to the folder .., ", "")
    assert refused("begin weather", twice).evidence["rejected"][0]["code"] == "subgoal"


def test_values_reach_sub_goals_whole_with_the_span_they_had_in_the_goal() -> None:
    rules = (
        "IF your task is to outer {x} saying {t}\nTHEN: PLAN TO keep {t} in {x}\n--\n"
        "IF your task is to keep {a} in {b}\nTHEN: write {a} to the file {b}"
    )
    goal = 'outer "my file" saying one in two in "three"'
    (step,) = drafted(goal, rules).steps
    assert step.values() == {"path": "my file", "content": 'one in two in "three"', "mode": "overwrite"}
    for name in ("path", "content"):
        start, end = step.params[name].span or (0, 0)
        assert goal[start:end] == step.params[name].value
        assert step.params[name].origin == "rule_slot"


def test_clean_up_comes_innermost_first_from_the_root_and_shows_its_switching() -> None:
    goal = "create a python project named weather"
    draft = plan(goal, STARTER, perceive(world(about=goal)), REGISTRY)
    assert isinstance(draft, PlanDraft)
    assert [(step.command, next(iter(step.values().values()))) for step in draft.cleanup] == [
        ("toggle_autonomous_mode", True),
        ("rm", "weather/.venv"),
        ("rm", "weather"),
        ("toggle_autonomous_mode", False),
    ]
    assert draft.cleanup[1].params["path"].original == ".venv"


def test_nesting_circles_and_endless_bodies_end_in_an_answer() -> None:
    deep = "\n--\n".join(f"IF your task is to level {n}\nTHEN: PLAN TO level {n + 1}" for n in range(20))
    assert "nested" in _innermost(refused("level 0", deep))
    circle = "IF your task is to go\nTHEN: PLAN TO come\n--\nIF your task is to come\nTHEN: PLAN TO come"
    assert "itself" in _innermost(refused("go", circle))
    long = "IF your task is to go\nTHEN:\n" + "create the folder x\n" * 51
    assert refused("go", long).evidence["rejected"][0]["code"] == "too_many_steps"
    wide = "\n--\n".join(
        f"RULE r{n}\nIF your task is to do {{x}}\nTHEN: PLAN TO do {{x}} {n}, dance" for n in range(12)
    )
    assert refused("do it", wide).reason == "no_rule_compiled"


def _innermost(no: NoPlan) -> str:
    return str(no.evidence["rejected"][0]["why"]) + json.dumps(no.evidence)


PUBLISHED = """IF your goal is to get the metal pot
CONSIDERING you are in the kitchen
              AND you see the cupboard closed
THEN:
read the file cupboard ,
create the folder pot
--
IF your goal is to melt water
THEN:
Get a metal pot
read the file thermometer
--
IF your task is to list the notes
THEN: read x
"""
KITCHEN = [Belief("You are in the kitchen."), Belief("You see the cupboard closed.")]


def test_a_line_that_names_the_task_of_another_rule_is_planned_as_a_sub_goal() -> None:
    draft = drafted("melt water", PUBLISHED, KITCHEN)
    assert [(command, values["path"]) for command, values in said(draft)] == [
        ("read", "cupboard"),
        ("mkdir", "pot"),
        ("read", "thermometer"),
    ]
    assert draft.evidence["subgoals"][0]["rule"]["name"] == "get the metal pot"
    (rejected,) = refused("melt water", PUBLISHED, KITCHEN[:1]).evidence["rejected"]
    assert "you see the cupboard closed" in rejected["why"]


def test_what_a_command_says_stays_a_command_where_a_task_has_the_same_words() -> None:
    text = PUBLISHED + "--\nIF your task is to look around\nTHEN list notes"
    assert [step.command for step in drafted("look around", text).steps] == ["list_notes"]
    planned = drafted("look around", text.replace("THEN list", "THEN PLAN TO list"))
    assert [step.command for step in planned.steps] == ["read"]


def test_the_kind_of_a_slot_follows_from_the_rule_that_its_bare_line_names() -> None:
    rules = (
        "RULE outer\nIF your task is to begin {thing}\nTHEN: set up {thing}\n"
        "RULE inner\nIF your task is to set up {folder}\nTHEN: create the folder {folder}"
    )
    assert refused("begin ../x", rules).reason == "unusable_value"
    assert drafted("begin weather", rules).steps[0].params["path"].span == (6, 13)


def test_a_sub_goal_that_fails_names_its_own_reason() -> None:
    rules = (
        "IF your task is to go\nTHEN: PLAN TO pack\n--\n"
        "IF your task is to pack\nCONSIDERING the bag is open\nTHEN: read x"
    )
    (rejected,) = refused("go", rules, [Belief("The bag is closed.")]).evidence["rejected"]
    assert rejected["code"] == "subgoal"
    assert "none applies" in rejected["why"]
    assert "The bag is closed." in rejected["why"]


def test_references_in_a_rule_count_its_own_lines_and_are_moved_to_their_place_in_the_plan() -> None:
    rules = (
        "IF your task is to go\nTHEN: create the folder a, PLAN TO report\n--\n"
        "IF your task is to report\nTHEN: run python --version, write {{intents.1.result.stdout}} to the file v.txt"
    )
    draft = drafted("go", rules)
    assert draft.steps[2].params["content"].value == "{{intents.2.result.stdout}}"
    assert draft.steps[2].params["content"].origin == "reference"
    assert 2 in draft.steps[2].depends_on


def test_a_value_in_a_command_line_stays_one_argument() -> None:
    rules = "IF your task is to say {t} in {f}\nTHEN: go to the folder {f}, run echo {t} --in {f} 'x{t}'"
    draft = drafted('say a "b" ; rm -rf \' in "my own"', rules)
    words = shlex.split(draft.steps[1].values()["command_line"])
    assert words == ["echo", 'a "b" ; rm -rf \'', "--in", "my own", 'xa "b" ; rm -rf \'']


# A goal that cannot be stored is refused before anything is made of it.
_STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters='\0"')


@given(st.text(_STORABLE, min_size=1, max_size=30))
def test_whatever_a_goal_says_a_plan_made_of_it_is_valid_or_not_made(text: str) -> None:
    for goal in (
        f'create a python project named "{text}"',
        f"write a note named x saying {text}",
        f'remove the file "{text}"',
    ):
        draft = plan(goal, STARTER, perceive(world(about=goal)), REGISTRY)
        if isinstance(draft, PlanDraft):
            assert validate(draft.steps, draft.cleanup, REGISTRY) == []


def test_planning_is_a_function_of_its_arguments() -> None:
    goal = "create a python project named weather"
    beliefs = perceive(world(about=goal))
    assert plan(goal, STARTER, beliefs, REGISTRY) == plan(goal, STARTER[::-1], beliefs, REGISTRY)


SORTED = "IF your task is to order {path} by {column}\nTHEN: show the table {path} in the order of the column {column}"


def _stock(path: str) -> Beginning | None:
    return Beginning(b"place,amount\n", is_all=True) if path == "stock.csv" else None


def test_a_rule_whose_slot_took_more_than_the_name_of_a_column_is_not_used() -> None:
    goal = "order stock.csv by amount and show the top"
    no = refused(goal, SORTED, read=_stock)
    assert no.reason == "no_rule_compiled"
    (rejected,) = no.evidence["rejected"]
    assert rejected["code"] == "misnamed_value"
    assert rejected["why"] == "stock.csv has no column “amount and show the top”; it has place, amount"
    assert drafted("order stock.csv by amount", SORTED, read=_stock)
    assert drafted(goal, SORTED), "nobody reads the file"


def test_the_next_rule_gets_its_turn_where_a_slot_names_nothing() -> None:
    other = "RULE z\nIF your task is to order stock.csv by amount and show the {what}\nTHEN: list the files"
    draft = drafted("order stock.csv by amount and show the top", f"PRIORITY 5\n{SORTED}\n--\n{other}", read=_stock)
    assert said(draft)[0][0] == "ls"


def test_a_file_that_a_step_before_may_change_is_not_looked_at() -> None:
    made = 'write "day,sum" to the file stock.csv, '
    assert drafted("order stock.csv by day", SORTED.replace("THEN: ", f"THEN: {made}"), read=_stock)


def test_what_a_rule_itself_says_is_not_the_words_of_a_goal() -> None:
    fixed = "IF your task is to order {path}\nTHEN: show the table {path} in the order of the column day"
    assert drafted("order stock.csv", fixed, read=_stock)


def test_an_archive_of_another_kind_is_made_by_no_rule() -> None:
    rule = "IF your task is to pack {folder} into {to}\nTHEN: archive the folder {folder} in the zip file {to}"
    assert drafted("pack logs into logs.zip", rule)
    why = refused("pack logs into logs.rar", rule).evidence["rejected"][0]["why"]
    assert why.startswith("the name “logs.rar” does not end in .zip")


LOOP = "IF your task is to clear {files}\nTHEN:\n  FOR EACH {file} OF {files}: read the file {file}"


@pytest.mark.parametrize(
    ("count", "code", "why"),
    [
        (501, "too_many_files", "are 501, and a plan is for 500 at most"),
        (51, "too_many_steps", "are 51, each a step of its own, and a plan has 50 steps at most"),
    ],
)
def test_more_than_a_plan_may_do_is_told_as_a_limit(count: int, code: str, why: str) -> None:
    paths = tuple(f"{number}.txt" for number in range(count))
    items = Items(paths[:500], len(paths[500:]))
    whole = f"{LOOP}\n--\nIF your task is to tidy\nTHEN: PLAN TO clear .txt files"
    for goal in ("clear .txt files", "tidy"):
        no = refused(goal, whole, look=lambda of: items)
        assert no.reason == OVER_LIMIT, goal
        assert why in no.evidence["rejected"][0]["why"]
    assert refused("clear .txt files", whole, look=lambda of: items).evidence["rejected"][0]["code"] == code


def test_names_that_a_plan_cannot_say_are_no_limit_that_is_met() -> None:
    no = refused("clear .txt files", LOOP, look=lambda of: Items(("a.txt",), 2))
    assert (no.reason, no.evidence["rejected"][0]["code"]) == ("no_rule_compiled", "no_files")
    assert "2 of the files" in no.evidence["rejected"][0]["why"]
