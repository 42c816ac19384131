"""Goals with designs and with rules to choose from, for the tests of what is reviewed before the plan."""

from __future__ import annotations

from agents.components import rules
from agents.cycle import cycle
from agents.goals import goals
from agents.models import DEFAULT_AGENT, Agent, Goal, LevelDocument
from library.components import services as library
from people.models import User

RULES = """
RULE keep a note in a folder
IF your task is to keep the note {name}
CONSIDERING there is no folder named {name}
THEN: create the folder {name}
--
RULE keep a note as a file
IF your task is to keep the note {name}
THEN: write "kept" to the file {name}.txt
--
RULE keep a note twice
IF your task is to keep the note {name}
CONSIDERING the note is wanted twice
AND there is no folder named {name}
THEN: create the folder {name}, write "kept" to the file {name}.txt
"""
GOAL = "Keep the note tides"
DESIGN = "# How\n\n- The note is kept in a folder\n- Nothing is deleted\n"


def switch_on(*levels: str) -> Agent:
    """The agent with these levels on: design, selection."""
    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    for level in levels:
        setattr(agent, f"review_{level}", True)
    agent.save()
    return agent


def know_rules() -> None:
    """Rules for one task: two of them apply, and the one in a folder is the more specific of these."""
    library.load_starters(rules.starters([("notes.rule", RULES)]))


def worked(goal: Goal) -> Goal:
    """The goal after workers did all they could."""
    cycle.work(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def with_design(by: User, design: str = DESIGN, **also: object) -> LevelDocument:
    """A fresh goal's design."""
    goal = goals.submit(by=by, text=GOAL, design=design, **also)  # type: ignore[arg-type]
    return goal.level_documents.get()


def asked_choice(by: User) -> LevelDocument:
    """The choice of rules that awaits review for a fresh goal."""
    switch_on("selection")
    know_rules()
    goal = worked(goals.submit(by=by, text=GOAL))
    return goal.level_documents.get()
