from __future__ import annotations

import pytest

from agents.rules.grammar import read
from agents.rules.linter import SEVERITIES, lint, lint_among
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.worlds import STARTER
from tests.agents.rules.linting import lint_text

HEAD = "RULE one\nIF your task is to do {a}\n"


def found(text: str, *known: str) -> set[tuple[int, str, str]]:
    problems = lint_text(text, REGISTRY, known)
    assert all(
        (problem.severity in SEVERITIES and problem.message.endswith((".", "?", "…"))) or problem.rule == ""
        for problem in problems
    )
    return {(problem.line, problem.code, problem.severity) for problem in problems}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "THEN: dance with {a}", (3, "unknown_phrase", "error")),
        (HEAD + "THEN: create the fodler {a}", (3, "unknown_phrase", "error")),
        (HEAD + "THEN: create the folder {b}", (3, "unbound_slot", "error")),
        (HEAD + "CONSIDERING NOT there is a file named {b}\nTHEN: create the folder {a}", (3, "unbound_slot", "error")),
        (HEAD + 'CONSIDERING there is a file named "{b}"\nTHEN: create the folder {a}', (3, "unbound_slot", "error")),
        (HEAD + "CONSIDERING there is a file named {b}/x\nTHEN: create the folder {a}", (3, "unbound_slot", "error")),
        (
            HEAD + "CONSIDERING there is a file named {b}\nTHEN: copy the file {a} to {b}",
            (3, "bound_by_belief", "hint"),
        ),
        (
            "IF your task is to do {name}\nCONSIDERING there is a file named {nmae}\nTHEN: read {name}",
            (2, "bound_by_belief", "warning"),
        ),
        (HEAD + "CONSIDERING you see a {b}\nTHEN: read {a}, run {b}", (4, "belief_as_command", "error")),
        (
            HEAD + "CONSIDERING you see a {b}\nTHEN: run curl x with access to {b}, read {a}",
            (4, "belief_as_command", "error"),
        ),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST 5 steps", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST 5", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL AT MOST 5 minutes", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL NOT . AT MOST 5 minutes", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST 0 minutes", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST 25 hours", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST 1001 steps", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n WAIT UNTIL the lamp is on AT MOST some days", (4, "wait_until", "error")),
        (HEAD + "THEN: read {a}\n PLAN TO WAIT UNTIL the lamp is on AT MOST 5 minutes", (4, "wait_until", "error")),
        (
            HEAD + "THEN: read {a}\n FOR EACH {f} OF all files: WAIT UNTIL {f} is on AT MOST 5 minutes",
            (4, "wait_until", "error"),
        ),
        (
            HEAD + "THEN: read {a}\nON FAILURE:\n WAIT UNTIL the lamp is on AT MOST 5 minutes",
            (5, "wait_until", "error"),
        ),
        (HEAD + "THEN: wait until {a} is there", (3, "unknown_phrase", "error")),
        (HEAD + "THEN: WAIT UNTIL there is a file named {b} AT MOST 5 minutes", (3, "unbound_slot", "error")),
        (HEAD + "THEN: WAIT UNTIL {a} seems nice to all AT MOST 5 minutes", (3, "undecidable_context", "warning")),
        (HEAD + "THEN: PLAN TO fly to {a}", (3, "no_rule_for_subgoal", "error")),
        (HEAD + "THEN: PLAN TO do {a}", (3, "circular", "error")),
        (HEAD + "THEN: create the folder x", (2, "unused_slot", "warning")),
        (HEAD + "CONSIDERING it all seems nice to somebody\nTHEN: read {a}", (3, "undecidable_context", "warning")),
        (
            HEAD + "CONSIDERING there is a file named {a}\nAND there is no file named {a}\nTHEN: read {a}",
            (4, "contradiction", "error"),
        ),
        (
            HEAD + "CONSIDERING there is no file or folder named {a}\nAND there is no file named {a}\nTHEN: read {a}",
            (4, "repeated_context", "warning"),
        ),
        (HEAD + "CONSIDERING the lamp is on\nUNLESS the lamp is on\nTHEN: read {a}", (4, "contradiction", "error")),
        (HEAD + f"CONSIDERING {'very ' * 50}long\nTHEN: read {{a}}", (3, "long_context", "warning")),
        (HEAD + "THEN: remove the file {a}", (3, "needs_autonomous_mode", "error")),
        (HEAD + "THEN: move the file or folder {a} to x with overwriting on", (3, "needs_autonomous_mode", "error")),
        (HEAD + "THEN: turn autonomous mode on, remove the file {a}", (3, "autonomous_mode_left_on", "warning")),
        (HEAD + "THEN: run {a} within 9999 seconds", (3, "bad_value", "error")),
        (HEAD + "THEN: read {a}, create the folder /etc", (3, "bad_value", "error")),
        (HEAD + "THEN: read {a}, run the tests of the project", (3, "not_a_program", "warning")),
        (HEAD + "THEN: run python -c \"print('{a}')\"", (3, "slot_in_quotes", "warning")),
        (HEAD + "THEN: write {{intents.1.result.stdout}} to the file {a}", (3, "reference", "error")),
        (
            "RULE one\nIF your task is to do {a} [with {b}]\nTHEN: create the folder {a}, create the folder {b}",
            (3, "open_slot", "warning"),
        ),
        (
            "RULE one\nIF your task is to say {a} {b}\nTHEN: write {a} to the file {b}",
            (2, "unclear_boundary", "warning"),
        ),
        (
            "IF your task is to go\nTHEN: read x\nIF your task is to come\nTHEN: read y",
            (3, "missing_separator", "error"),
        ),
    ],
)
def test_a_fault_is_found_on_its_line(text: str, expected: tuple[int, str, str]) -> None:
    assert expected in found(text)


def test_a_sound_rule_is_clean_and_triggers_elsewhere_count() -> None:
    text = HEAD + "CONSIDERING there is no folder named {a}\nTHEN: create the folder {a}, PLAN TO fly to {a}"
    assert found(text, "fly to {place} [quickly]") == set()
    assert found(text, "broken [pattern") == {(4, "no_rule_for_subgoal", "error")}


def test_rules_of_one_name_or_with_one_meaning_are_named() -> None:
    one = "RULE {}\nIF your task is to do {{a}}\nCONSIDERING the lamp is on\nTHEN: read {{a}}\n"
    assert (5, "duplicate_name", "error") in found(one.format("one") + one.format("One"))
    assert (5, "duplicate", "error") in found(one.format("one") + one.format("two"))
    assert (5, "duplicate", "error") in found(one.format("one") + one.format("two").replace("do {a}", "Do the {a}"))


def rule(name: str, *contexts: str) -> str:
    return f"RULE {name}\nIF your task is to do {{a}}\nCONSIDERING {' AND '.join(contexts)}\nTHEN: read {{a}}\n"


def test_a_rule_behind_another_of_the_same_task_is_pointed_out() -> None:
    no_file, no_folder = "there is no file named {a}", "there is no folder named {a}"
    specific, plain = rule("s", no_file, "the lamp is on"), rule("p", "the lamp is on")
    assert (5, "less_specific", "hint") in found(specific + plain)
    wordy, short = rule("w", no_folder, no_file), rule("n", "there is no file or folder named {a}")
    assert (5, "unreachable", "warning") in found(wordy + short)


def test_a_priority_decides_which_of_two_rules_is_tried_first() -> None:
    specific, plain = rule("s", "the lamp is on", "there is no file named {a}"), rule("p", "the lamp is on")
    first = plain.replace("IF", "PRIORITY 5\nIF", 1)
    assert found(first + specific) == {(6, "unreachable", "warning")}
    elsewhere = rule("e", "the door is open").replace("IF", "PRIORITY 5\nIF", 1)
    (hint,) = [one for one in lint_text(elsewhere + specific, REGISTRY) if one.code == "less_specific"]
    assert hint.line == 6
    assert "a higher priority" in hint.message


def test_a_line_in_the_words_of_another_task_is_a_sub_goal() -> None:
    pot = "RULE pot\nIF your task is to (get|fetch) the metal pot for {a}\nTHEN: read {a}\n"
    assert found(HEAD + "THEN: Fetch a metal pot for {a}\n" + pot) == set()
    assert found(HEAD + "THEN: fetch a metal pot for {a}\n", "fetch the metal pot for {b}") == set()
    # Other words, or a word where the task has a slot, are no sub-goal, nor is the rule's own task.
    assert (3, "unknown_phrase", "error") in found(HEAD + "THEN: fetch a copper pot for {a}\n" + pot)
    assert (3, "unknown_phrase", "error") in found(HEAD + "THEN: fetch a metal pot for somebody, read {a}\n" + pot)
    assert (3, "unknown_phrase", "error") in found(HEAD + "THEN: do {a}\n" + pot)
    assert (4, "unknown_phrase", "error") in found(
        HEAD + "THEN: read {a}\nON FAILURE: fetch a metal pot for {a}\n" + pot
    ), "clean-up has no sub-goals"


def test_what_is_a_command_and_a_task_is_the_command_and_the_linter_says_so() -> None:
    notes = "RULE notes\nIF your task is to list the notes\nTHEN: show the note x\n"
    (problem,) = lint_text("RULE one\nIF your task is to go\nTHEN: list notes\n" + notes, REGISTRY)
    assert (problem.line, problem.code, problem.severity) == (3, "command_or_subgoal", "hint")
    assert "note_taking.list_notes" in problem.message
    assert "PLAN TO list notes" in problem.message
    assert found("RULE one\nIF your task is to go\nTHEN: PLAN TO list notes\n" + notes) == set()


def test_sub_goals_that_lead_back_to_their_rule_are_pointed_out_by_each_of_them() -> None:
    text = (
        "RULE one\nIF your task is to go to {a}\nTHEN: read {a}, PLAN TO walk to {a}\n"
        "RULE two\nIF your task is to walk to {b}\nTHEN: take a step to {b}\n"
        "RULE three\nIF your task is to take a step to {c}\nTHEN: PLAN TO go to {c}\n"
        "RULE four\nIF your task is to begin with {d}\nTHEN: PLAN TO go to {d}\n"
    )
    assert {one for one in found(text) if one[1] == "loop"} == {(n, "loop", "warning") for n in (3, 6, 9)}
    (problem, *_) = [one for one in lint_text(text, REGISTRY) if one.code == "loop"]
    assert "through “two” and “three”" in problem.message
    assert (3, "circular", "error") in found(HEAD + "THEN: PLAN TO do {a}")
    assert (3, "loop", "warning") not in found(HEAD + "THEN: PLAN TO do {a}")


def test_a_result_of_a_sub_goal_without_its_keyword_is_none_either() -> None:
    text = "RULE one\nIF your task is to go\nTHEN: fetch it, write {{intents.1.result.stdout}} to the file x\n"
    assert (3, "reference", "error") in found(text + "RULE f\nIF your task is to fetch it\nTHEN: read x")


def test_the_misspelt_subgoal_gets_the_right_spelling() -> None:
    rules = [known.rule for known in STARTER]
    text = HEAD + "THEN: create the folder {a}, PLAN TO set up a virtual enviroment"
    triggers = [trigger.text for rule in rules for trigger in rule.triggers]
    (problem,) = [one for one in lint_text(text, REGISTRY, triggers) if one.code == "no_rule_for_subgoal"]
    assert "virtual environment" in problem.message


def test_rules_that_can_be_read_are_checked_beside_those_that_cannot() -> None:
    assert found(HEAD + "THEN: dance with {a}\n--\nIF your task is to go") == {
        (3, "unknown_phrase", "error"),
        (5, "no_body", "error"),
    }


def test_linting_nothing_finds_nothing() -> None:
    assert lint([], REGISTRY) == []


def test_one_rule_among_others_has_the_problems_that_the_whole_list_has_of_it() -> None:
    one = "RULE {}\nIF your task is to do {{a}}\nCONSIDERING the lamp is on\nTHEN: read {{b}}, dance\n"
    faulty, _ = read(one.format("one") + one.format("One") + one.format("two"))
    rules = [*faulty, *(known.rule for known in STARTER[::8])]  # each is compared by a look through all of them
    seen = set()
    for rule in rules:
        others = [other for other in rules if other is not rule]
        problems = lint_among(rule, others, REGISTRY)
        assert problems == [one for one in lint([*others, rule], REGISTRY) if one.rule == rule.name]
        seen |= {problem.code for problem in problems}
    assert seen >= {"duplicate_name", "duplicate", "unbound_slot", "unknown_phrase"}


@pytest.mark.parametrize(
    ("wait", "mend"),
    [
        ("WAIT UNTIL the lamp is on", "AT MOST 5 steps, or AT MOST 10 minutes"),
        (
            "WAIT UNTIL AT MOST 5 minutes",
            "does not say what it waits for; write for example WAIT UNTIL the door is open",
        ),
        ("WAIT UNTIL the lamp is on AT MOST 0 minutes", "it is 1 to 1440 minutes"),
        (
            "WAIT UNTIL the lamp is on AT MOST 2 days",
            "a whole number of steps, seconds, minutes or hours, not “2 days”",
        ),
        ("WAIT UNTIL the lamp is on AT MOST 5", "Say a time: AT MOST 10 minutes."),
        ("wait until the lamp is on", "write WAIT UNTIL … AT MOST 10 minutes, in capitals"),
    ],
)
def test_a_wait_that_cannot_be_is_told_with_the_way_out(wait: str, mend: str) -> None:
    (problem,) = lint_text(f"IF your task is to rest\nTHEN: read x\n {wait}", REGISTRY)
    assert (problem.line, problem.severity) == (3, "error")
    assert mend in problem.message


def test_a_wait_for_a_time_is_fine() -> None:
    assert not found(HEAD + "THEN: WAIT UNTIL there is a file named {a} AT MOST 10 minutes, read {a}")
