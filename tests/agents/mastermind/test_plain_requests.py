"""Lines as people type them, which end as the precise ones; and those that look like them and mean nothing of it."""

from __future__ import annotations

import pytest

from agents.mastermind.commands import COMMANDS
from agents.mastermind.components import Component
from agents.mastermind.reading import read

KNOWN = [
    *(Component("tool", name) for name in ("simple_coder", "audit_and_improve")),
    Component("tool", "base_gen_agent", "Documentation writer"),
    Component("tool", "git_tool", "Git"),
    Component("tool", "note_taking", "Notes"),
    Component("tool", "summarization", "Summarization"),
    *(Component("agent", name) for name in ("mindx", "scout", "night-audit")),
]

# What is typed, and the line that it ends as.
_MEANT = """
please evolve the summarization tool > evolve summarization
Can you please improve the base generator for me? > evolve base_gen_agent
./manage.py mastermind evolve the git tool > evolve git_tool
make git_tool faster > evolve git_tool: faster
evolve: summarization > evolve summarization
upgrade the documentation writer > evolve base_gen_agent
improve the error pages of the shop > evolve improve the error pages of the shop
please deploy a new agent called watcher > deploy an agent named watcher
we need a new agent called butler > deploy an agent named butler
set up an agent called watcher > deploy an agent named watcher
introspect the agent SCOUT > introspect scout
introspect yourself > introspect
what does scout believe? > introspect scout
what tools does night-audit have? > introspect night-audit
status of scout > introspect scout
Status? > status
what's going on? > status
could you tell me the current status please > status
agent_create a bdi_agent called watcher with tools=git_tool > agent_create bdi_agent watcher tools=git_tool
Agent Create bdi agent butler > agent_create bdi_agent butler
show me all the agents > agent_list
which agents are there? > agent_list
agent_evolve the agent scout: repairs=1 > agent_evolve scout repairs=1
change agent scout repairs=1 > agent_evolve scout repairs=1
agent evolve scout "be more careful" > agent_evolve scout be more careful
remove agent scout because its work is done > agent_delete scout its work is done
retire night-audit, nobody uses it > agent_delete night-audit nobody uses it
agent_delete scout: its work is done > agent_delete scout its work is done
what do you know about invoices? > coord_query invoices
list the tools > coord_query tools
please analyze git_tool > coord_analyze git_tool
have a look at the summarization tool > coord_analyze summarization
analyze the whole codebase > coord_analyze
coord_improve summarization_tool Add better error handling > coord_improve summarization: Add better error handling
coord-improve "summarization_tool" "Add better error handling" > coord_improve summarization: Add better error handling
coord_improve the base generator write shorter pages > coord_improve base_gen_agent: write shorter pages
coord_improve git_tool if there are no commits, say so > coord_improve git_tool: if there are no commits, say so
show the backlog > coord_backlog
which items are approved? > coord_backlog approved
process three items from the backlog > coord_process_backlog 3
coord_process_backlog at most 4 > coord_process_backlog 4
please approve item 12, worth it > coord_approve 12 worth it
coord_approve twelve > coord_approve 12
coord_reject item 12: there is no such file > coord_reject 12 there is no such file
i reject wish 12 because it is a duplicate > coord_reject 12 it is a duplicate
help me > help
how do I write evolve? > help evolve
"""


def _rows(text: str) -> list[tuple[str, str]]:
    found = [tuple(part.strip() for part in line.split(" > ")) for line in text.strip().splitlines()]
    return [(typed, wanted) for typed, wanted in found]


@pytest.mark.parametrize(("line", "precise"), _rows(_MEANT))
def test_a_plain_request_ends_as_a_precise_line(line: str, precise: str) -> None:
    reading = read(line, KNOWN)
    assert (reading.problem, reading.precise) == ("", precise)
    assert read(precise, KNOWN).precise == precise


def test_every_command_is_meant_by_some_plain_request() -> None:
    assert {wanted.split(" ")[0] for _, wanted in _rows(_MEANT)} == {command.name for command in COMMANDS}


_MISSPELT = """
evovle teh sumarization tool > evolve summarization
coord_improv sumarization_tol Add better error handling > coord_improve summarization: Add better error handling
coord_improve git handling in the summarization tool > coord_improve git_tool
agent_create watcher tools=git_tool > agent_create bdi_agent watcher tools=git_tool
agent_craete bdi_agnet watcher > agent_create bdi_agent watcher
agnet_evolve scuot repairs=1 > agent_evolve scout repairs=1
delet agent scuot > agent_delete scout
agent_evolve scout > agent_evolve scout max_repair_attempts=1
lsit agents > agent_list
show the baklog > coord_backlog
coord_backlog aproved > coord_backlog approved
proces the backlog > coord_process_backlog
aprove 9 > coord_approve 9
approve 12 and 13 > coord_approve 12
help evovle > help evolve
status of the weather > status
"""


@pytest.mark.parametrize(("line", "suggestion"), _rows(_MISSPELT))
def test_a_slip_does_nothing_and_offers_the_precise_line(line: str, suggestion: str) -> None:
    reading = read(line, KNOWN)
    assert not reading.is_understood
    assert reading.suggestions[0] == suggestion


@pytest.mark.parametrize(
    "line",
    [
        *("do not evolve the summarization tool", "don't delete agent scout", "never approve 12", "approve 12?"),
        *("should I evolve the git tool?", "if git_tool is slow, evolve it", "why was item 12 rejected?"),
        *("evolve everything except the git tool", "evolve not the git tool", "evolve the git tool only if it is slow"),
        *("evolve git_tool and note_taking", "evolve git_tool, note_taking", "analyze the git tool and the notes tool"),
        *("retire scout and delete its files", "delete scout and night-audit", "delete agent scout if it is idle"),
        *("delete agents", "delete everything", "remove the file a.txt", "who approved 12", "approve it"),
        *(
            "approve 12 if it is cheap",
            "approve items 7 to 9",
            "approve 12, 13",
            "reject 7 and 8, duplicates",
            "reject 7",
            "reject all",
        ),
        *("what does the weather do", "coord_analyze the moon", "check the moon", "introspect scout and mindx"),
        *("coord_process_backlog everything", "coord_process_backlog 4 5", "coord_backlog yesterday", "write a poem"),
    ],
)
def test_what_only_looks_like_a_command_does_nothing(line: str) -> None:
    assert not read(line, KNOWN).is_understood
