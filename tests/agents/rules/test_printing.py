from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from agents.rules.grammar import Rule, parse, read
from agents.rules.printing import print_rule, print_rules
from agents.rules.starter import starter_files


def said(rules: list[Rule]) -> list[Rule]:
    """The rules without what depends on where they were written."""
    return [
        replace(
            rule,
            triggers=tuple(replace(one, line=0) for one in rule.triggers),
            contexts=tuple(replace(one, line=0) for one in rule.contexts),
            body=tuple(replace(one, line=0) for one in rule.body),
            on_failure=tuple(replace(one, line=0) for one in rule.on_failure),
            line=0,
            source="",
        )
        for rule in rules
    ]


_PIECES = [
    *"ab{}[]()|\"'\\,:;.#-\n \t“”\xa0",
    "IF your task is to go",
    "IF your",
    "task is to",
    "OR your goal is to go",
    "THEN:",
    "THEN ",
    "CONSIDERING ",
    "NOT ",
    "AND ",
    "\n--\n",
    "\n# ",
    "UNLESS ",
    "ON FAILURE:",
    "ON ",
    "PLAN TO ",
    "WAIT UNTIL ",
    " AT MOST 5 steps",
    "AT MOST 10 minutes\n",
    "AT MOST ",
    "RULE ",
    "\nPRIORITY 7\n",
    "PRIORITY ",
]
_WORDS = st.sampled_from(
    [
        "the folder",
        "{name}",
        "a, b",
        '"x, AND y"',
        '"a \\" \\\\ \\n, b"',
        "'it is, so'",
        "[all]",
        "(big|small)",
        "x.",
        "a;",
    ]
)
_SAYS = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)
_COMMENTS = st.lists(st.sampled_from(["# why", "  ## because, AND so", "#", "#\t# odd"]), max_size=2)
_AT_MOST = st.builds(
    "{} AT MOST {}{}".format,
    st.sampled_from(["", ".", " AT MOST 2"]),
    st.integers(1, 9),
    st.sampled_from(["", " step", " steps.", "  minutes", " second", " hours"]),
)


@st.composite
def rule_texts(draw: st.DrawFn) -> str:
    """A rule with any of its parts, as a person might write it."""
    lines = [*draw(_COMMENTS)]
    if draw(st.booleans()):
        lines.append(f"RULE{draw(st.sampled_from([' ', ': ']))}{draw(_SAYS)}")
    lines.append(f"IF your {draw(st.sampled_from(['task', 'goal']))} is to go to {draw(_SAYS)}")
    lines += [f"OR your task is to walk\nto {draw(_SAYS)}" for _ in range(draw(st.integers(0, 2)))]
    lines += [f"PRIORITY {draw(st.integers(-100, 100))}" for _ in range(draw(st.integers(0, 1)))]
    contexts = draw(st.lists(st.tuples(st.sampled_from(["", "NOT "]), _SAYS), max_size=3))
    lines += [f"{'AND' if n else 'CONSIDERING'} {denied}{said}" for n, (denied, said) in enumerate(contexts)]
    lines += [f"UNLESS {draw(_SAYS)}" for _ in range(draw(st.integers(0, 1)))]
    for heading in ["THEN:", *(["ON FAILURE:"] if draw(st.booleans()) else [])]:
        lines.append(heading)
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["go to", "PLAN TO go to", "WAIT UNTIL"])) if heading == "THEN:" else "go to"
            lines += [*draw(_COMMENTS), f"{kind} {draw(_SAYS)}{draw(_AT_MOST) if kind == 'WAIT UNTIL' else ''}"]
    return "\n".join([*lines, *draw(_COMMENTS)])


@given(st.lists(rule_texts(), min_size=1, max_size=3).map("\n--\n".join))
def test_what_is_printed_is_read_as_what_it_was(text: str) -> None:
    rules, _ = read(text)
    assert said(parse(print_rules(rules)) if rules else []) == said(rules)


@example("IF your task is to go . .:\nTHEN: b; ;")
@example("IF your task is to go CONSIDERING b . .\nTHEN: c\n#\t# d\n#\n# e\nf")
@example("RULE :: a\nIF your task is to go\nTHEN: b, \xa0, c")
@given(
    st.lists(st.sampled_from(_PIECES), max_size=40).map(lambda pieces: "IF your task is to go" + "".join(pieces))
    | st.lists(st.sampled_from(_PIECES), max_size=12).map(
        lambda pieces: "IF your task is to go THEN: x" + "".join(pieces)
    )
)
def test_whatever_can_be_read_is_printed_so_that_it_is_read_again(text: str) -> None:
    rules, _ = read(text)
    printed = print_rules(rules)
    assert said(parse(printed) if rules else []) == said(rules)
    assert print_rules(parse(printed) if rules else []) == printed


def test_the_generated_rules_are_not_all_refused() -> None:
    """The two laws above would hold of a reader that reads nothing."""
    examples: list[int] = []

    @given(rule_texts())
    def count(text: str) -> None:
        examples.append(len(read(text)[0]))

    count()
    assert sum(examples) > len(examples) / 4


def test_a_rule_is_printed_one_thing_a_line() -> None:
    (rule,) = parse(
        "# about pots\nRULE fetch\nPRIORITY +3\nIF your goal is to get the pot CONSIDERING you are here "
        "UNLESS it is hot THEN "
        'open "a, b",\n# Only now.\nPLAN TO take it\n# at the end\nON FAILURE: stop'
    )
    assert print_rule(rule) == (
        "# about pots\n# at the end\nRULE fetch\nPRIORITY 3\nIF your task is to get the pot\nCONSIDERING you are here\n"
        'AND NOT it is hot\nTHEN:\n  open "a, b"\n  # Only now.\n  PLAN TO take it\nON FAILURE:\n  stop\n'
    )


def test_a_rule_named_by_its_task_is_printed_without_a_name() -> None:
    assert print_rule(parse("RULE go\nIF your task is to go\nTHEN: stop")[0]).startswith("IF your task is to go\n")


def test_a_comment_right_above_a_rule_goes_with_it() -> None:
    one, other = parse("IF your task is to go\nTHEN: stop\n# about b\nRULE b\nIF your task is to run\nTHEN: stop")
    assert (one.comments, other.comments, "about" in one.source) == ((), ("about b",), False)


def test_the_starter_rules_come_back_as_they_were() -> None:
    for _, text in starter_files():
        assert said(parse(print_rules(parse(text)))) == said(parse(text))


def test_a_wait_is_printed_with_its_unit() -> None:
    text = "IF your task is to go\nTHEN: WAIT  UNTIL NOT it is hot. AT MOST 1, WAIT UNTIL b AT MOST 2 hours., stop"
    (rule,) = parse(text)
    waits = ["  WAIT UNTIL NOT it is hot AT MOST 1 step", "  WAIT UNTIL b AT MOST 2 hours", "  stop"]
    assert print_rule(rule).splitlines()[2:] == waits
    assert [line.wait.seconds for line in rule.body if line.wait] == [None, 7200]
