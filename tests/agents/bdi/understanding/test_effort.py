"""Reading is bounded: whatever a goal says, it costs a counted amount of work, never raises, and ends well-formed."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import Any, SupportsIndex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.bdi.understanding.asides import courtesy
from agents.bdi.understanding.effort import MOST
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.reading import chunks, reading
from agents.bdi.understanding.texts.splitting import MAX_TOKENS
from agents.bdi.understanding.understand import MAX_CHARS, understand
from agents.bdi.understanding.understood import Understood
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from agents.toolkit.schemas import problems

TREE = Tree.of([("README.md", "file"), ("src/app.py", "file"), ("docs/guide.md", "file"), ("notes/ideas.md", "file")])
WORDS = sorted(lexicon_of(REGISTRY).words | {"src/app.py", "README.md", '"a b"', "https://example.org", "12", "it"})


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tokens stood in each way of reading that was tried: what is done, and not what is said of it."""
    found: list[int] = []
    own = chunks.chunked

    def counted(state: Any) -> Iterator[Any]:
        for way in own(state):
            found.append(len(state.tokens))
            yield way

    monkeypatch.setattr(reading, "chunked", counted)
    return found


def check(text: str) -> Understood:
    """Read a text, and hold what comes of it to what everybody relies on."""
    found = understand(text, TREE, REGISTRY)
    for one in found.meant:
        command = REGISTRY.command(one.tool, one.command)
        assert set(one.params) <= set(command.properties)
        assert 0.0 <= one.confidence <= 1.0
        for param in one.params.values():
            assert param.span is None or 0 <= param.span[0] <= param.span[1] <= len(text)
        if found.is_sure:
            assert not problems(command.schema, one.values()), (text, one)
    for question in found.questions:
        assert question.text
        assert question.why
        assert 1 <= question.step <= len(found.meant) + len(found.questions)
        if question.parameter:
            meant = found.meant[question.step - 1]
            assert question.parameter in REGISTRY.command(meant.tool, meant.command).properties
    return found


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_arbitrary_text_never_raises_and_ends_well_formed(text: str) -> None:
    check(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_row_of_the_languages_own_words_ends_well_formed(text: str) -> None:
    check(text)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="a1 ,.;:'\"“”`[](){}<>=-_/\\\n", max_size=600))
def test_any_row_of_signs_ends_well_formed(text: str) -> None:
    check(text)


@pytest.mark.parametrize("tool", [tool.name for tool in REGISTRY.tools])
@pytest.mark.parametrize("text", ["{}", "use {} now", "do x with the {} tool"])
def test_any_tool_can_be_named_even_one_that_is_said_by_nothing_else(tool: str, text: str) -> None:
    check(text.format(tool))
    check(text.format(tool.upper()))


LONG = {
    "removing": "remove the file a and ",
    "prose": "the tool which does what I want ",
    "little words": "copy a to b in c as d from e, ",
    "commands": "read src/app.py, then ",
    "verbs": "show read list copy move delete find ",
    "quotes": '"a ',
    "brackets": "[{",
    "commas": "a,",
    "data": '["',
    "keys": "a=b ",
    "asides": "if you can ",
    "components": "the x tool ",
    "lines": "show\n",
    "spaces": " " * 100,
}


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_a_text_as_long_as_may_be_costs_no_more_than_is_allowed(piece: str, looked: list[int]) -> None:
    for times in (10, 80, MAX_CHARS // len(piece)):
        looked.clear()
        check(piece * times)
        assert sum(looked) <= MOST + MAX_TOKENS


@pytest.mark.parametrize("turns", [courtesy.ASIDES, courtesy._EMPHASIZED], ids=["asides", "emphasis"])
def test_a_long_row_of_spaces_is_gone_through_once(turns: re.Pattern[str]) -> None:
    """Each turn that begins in spaces would go through all of them again from every one of them."""
    assert not re.search(r"\\s[*+]", turns.pattern)


def test_words_in_any_order_cost_no_more_than_is_allowed(looked: list[int]) -> None:
    draw = random.Random(3)
    for count in (20, 60, 150, 380):
        looked.clear()
        check(" ".join(draw.choice(WORDS) for _ in range(count)))
        assert sum(looked) <= MOST + MAX_TOKENS


class Counted(str):
    """A text that counts how often somebody looks into it."""

    looks = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        self.looks += 1
        return super().__getitem__(key)

    def find(self, *args: Any) -> int:
        self.looks += 1
        return super().find(*args)


@pytest.mark.parametrize("piece", ['"a ', "[1 ", "(a", "a:b", "a,", "“", "[{", "'a b "])
def test_splitting_a_text_looks_at_each_character_a_few_times_only(piece: str) -> None:
    text = Counted(piece * (MAX_CHARS // len(piece)))
    tokens = tokens_of(text)
    assert all(before.end <= after.start for before, after in itertools.pairwise(tokens))
    assert text.looks < 12 * len(text)


def test_more_than_is_read_is_a_question_and_nothing_is_taken_of_it() -> None:
    found = understand("read src/app.py, then " * 40, TREE, REGISTRY)
    assert not found.meant
    assert "several goals" in found.questions[0].why


def test_thirty_commands_in_one_text_are_thirty_commands() -> None:
    found = understand("read src/app.py, then " * 29 + "read README.md", TREE, REGISTRY)
    assert found.is_sure
    assert len(found.meant) == 30


def test_an_ordinary_command_costs_little(looked: list[int]) -> None:
    check("could you please show me the readme")
    check("copy src/app.py into the folder docs and then commit everything with the message wip")
    assert sum(looked) < MOST / 8
