"""Whatever a sound rule is, a fault that is planted in it is found on its line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit.registry import REGISTRY
from tests.agents.rules.linting import lint_text

_CONTEXTS = ("there is no folder named {name}", "python is installed", "the lamp is on", "NOT the door is open")
_STEPS = (
    "create the folder {name}",
    "go to the folder {name}",
    'write "hello" to the file {name}.txt',
    "run python --version",
    "list the files in {name}",
    "FOR EACH {file} OF all csv files: read the file {file}",
)
# What is planted as a line of the body, and the code that names it.
_IN_THE_BODY = {
    "dance with {name}": "unknown_phrase",
    "create the fodler {name}": "unknown_phrase",
    "create the folder {nobody_said}": "unbound_slot",
    "PLAN TO dance with wolves": "no_rule_for_subgoal",
    "PLAN TO begin with {name}": "circular",
    "IF your task is to dance": "missing_separator",
    "remove the file old.txt": "needs_autonomous_mode",
    "copy the file or folder {name} to b.txt with overwriting on": "needs_autonomous_mode",
    "write {{intents.99.result.stdout}} to the file b.txt": "reference",
    "WAIT UNTIL the lamp is on": "wait_until",
    "FOR EACH {file} OF all csv files: read the file b.txt": "for_each",
    'write "hello to the file b.txt': "open_quote",
    "read the file a\u202eb.txt": "bad_value",
}
_RULES = st.tuples(
    st.lists(st.sampled_from(_CONTEXTS), unique=True, min_size=1),
    st.lists(st.sampled_from(_STEPS), min_size=1, max_size=6),
)


def _text(contexts: list[str], steps: list[str]) -> str:
    lines = ["RULE begin", "IF your task is to begin with {name}"]
    lines += [f"{'AND' if number else 'CONSIDERING'} {context}" for number, context in enumerate(contexts)]
    return "\n".join([*lines, "THEN:", *(f"  {step}" for step in steps)]) + "\n"


def _errors(text: str) -> set[tuple[int, str]]:
    return {(one.line, one.code) for one in lint_text(text, REGISTRY) if one.severity == "error"}


@given(_RULES)
def test_a_sound_rule_has_none(rule: tuple[list[str], list[str]]) -> None:
    assert _errors(_text(*rule)) == set()


@given(_RULES, st.sampled_from(sorted(_IN_THE_BODY)), st.data())
def test_a_fault_in_the_body_is_found(rule: tuple[list[str], list[str]], fault: str, data: st.DataObject) -> None:
    contexts, steps = rule
    at = data.draw(st.integers(0, len(steps)))
    text = _text(contexts, [*steps[:at], fault, *steps[at:]])
    assert (len(contexts) + 4 + at, _IN_THE_BODY[fault]) in _errors(text)


@given(_RULES)
def test_the_same_rule_twice_is_found(rule: tuple[list[str], list[str]]) -> None:
    text = _text(*rule)
    assert {"duplicate", "duplicate_name"} & {code for _, code in _errors(f"{text}--\n{text}")}


@given(_RULES)
def test_contexts_that_never_hold_together_are_found(rule: tuple[list[str], list[str]]) -> None:
    contexts = [*(one for one in rule[0] if one != "the lamp is on"), "the lamp is on", "the lamp is off"]
    assert "contradiction" in {code for _, code in _errors(_text(contexts, rule[1]))}


@given(_RULES)
def test_a_denial_of_a_denial_is_found(rule: tuple[list[str], list[str]]) -> None:
    text = _text(*rule).replace("THEN:", "UNLESS NOT the oven is on\nTHEN:")
    assert (len(rule[0]) + 3, "double_negation") in _errors(text)
