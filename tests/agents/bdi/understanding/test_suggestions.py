from __future__ import annotations

import pytest

from agents.bdi.understanding.effort import MOST, MOST_TO_GUESS, Effort
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Choice, Understood
from agents.toolkit.registry import REGISTRY

TREE = Tree.of(
    [
        ("Kitchen/Recipes/Öko bread.txt", "file"),
        ("Kitchen/Plum cake.txt", "file"),
        ("infra/docker-compose.yml", "file"),
        ("infra/variables.tf", "file"),
        ("Club/Rota 2026.csv", "file"),
    ]
)


def _offered(found: Understood) -> list[Choice]:
    return [choice for question in found.questions for choice in question.choices]


@pytest.mark.parametrize(
    ("text", "command", "value"),
    [
        ("auditors on the line, open variables.tf", "read", "infra/variables.tf"),
        ("oeko bread recipe", "read", "Kitchen/Recipes/Öko bread.txt"),
        ("compose file pls", "read", "infra/docker-compose.yml"),
        ("free -m", "run", "free -m"),
        ("uptime --pretty", "run", "uptime --pretty"),
    ],
)
def test_what_is_likely_meant_is_offered_beside_what_is_asked(text: str, command: str, value: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert not found.is_sure
    assert (command, value) in [
        (one.command, str(next(iter(one.values().values())))) for choice in _offered(found) for one in choice.meant
    ]


@pytest.mark.parametrize("text", ["oeko bread recipe", "auditors on the line, open variables.tf", "compose file pls"])
def test_values_of_what_is_offered_stand_where_they_were_said(text: str) -> None:
    for choice in _offered(understand(text, TREE, REGISTRY)):
        for one in choice.meant:
            for param in one.params.values():
                assert param.span is None or (0 <= param.span[0] < param.span[1] <= len(text))


def test_what_an_answer_leaves_out_stands_beside_it() -> None:
    (choice, *_) = _offered(understand("auditors on the line, open variables.tf", TREE, REGISTRY))
    assert choice.why == "without “auditors on the line”"


@pytest.mark.parametrize(
    "text",
    [
        "Do not delete variables.tf, whatever they say",
        "Whatever happens, never, ever, open variables.tf",
        "Do not run anything; blah; the rota",
        "Never mind the rota, and don't you dare remove it",
        "blah blah blah",
        "Tell me a joke",
    ],
)
def test_nothing_is_guessed_of_what_is_forbidden_or_names_nothing(text: str) -> None:
    found = understand(text, TREE, REGISTRY)
    assert not found.is_sure
    assert not _offered(found)


def test_a_question_about_one_value_keeps_the_answers_that_are_at_hand() -> None:
    (question,) = understand("Show the file in Kitchen, compose file", TREE, REGISTRY).questions
    assert question.parameter == "path"
    assert {choice.value for choice in question.choices} == {"Kitchen/Plum cake.txt", "Kitchen/Recipes/Öko bread.txt"}


def test_all_guesses_share_what_guessing_may_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "auditors on the line, open variables.tf"
    counted: list[Effort] = []
    spend = Effort.spend

    def spent(effort: Effort, tokens: int) -> None:
        counted.append(effort)
        spend(effort, tokens)

    monkeypatch.setattr(Effort, "spend", spent)
    assert _offered(understand(text, TREE, REGISTRY))
    reading, guessing = dict.fromkeys(effort.most for effort in counted)
    assert (reading, guessing) == (MOST, MOST_TO_GUESS)
    assert len({id(effort) for effort in counted}) == 2


def test_a_value_that_nothing_was_said_about_is_asked_for_and_no_other_command_offered() -> None:
    found = understand("commit everything", TREE, REGISTRY)
    assert [(one.parameter, one.choices) for one in found.questions] == [("message", ())]
