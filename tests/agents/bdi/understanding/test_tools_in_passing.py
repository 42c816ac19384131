"""Git, notes, summaries, code and agents as people speak of them, and what only sounds like it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        *("README.md", "shop/cart.py", "shop/stock/levels.py", "docs/handbook.md", "docs/returns policy.md"),
        *("notes/todo.md", "notes/summer-sale.md", "website/index.html", "website/build.py"),
    )
)

_MEANT: list[tuple[str, str, dict[str, Any]]] = [
    ("how's the repo looking?", "status", {}),
    ("is there anything I haven't committed yet?", "status", {}),
    ("Would you tell me whether my working tree is clean?", "status", {}),
    ("what's changed since release/5", "diff", {"since": "release/5"}),
    ("I want to see which lines of levels.py are different from v1.4.", "diff", {"since": "v1.4"}),
    ("what changed in the shop folder compared to the last commit", "diff", {"only": "shop"}),
    ("how does this branch differ from main?", "diff", {"since": "main"}),
    ("see how cart.py differs from main", "diff", {"only": "shop/cart.py", "since": "main"}),
    ("drop all unused imports from shop", "apply_fixes", {"path": "shop", "rules": "F401"}),
    ("which changes did I stage", "diff", {"what": "staged"}),
    ("back onto develop please", "switch_branch", {"name": "develop"}),
    ("I'd like to see my edits to cart.py", "diff", {"only": "shop/cart.py"}),
    ("what exactly did I change in cart.py?", "diff", {"only": "shop/cart.py"}),
    ("please display what is staged", "diff", {"what": "staged"}),
    ("show commits of release/3, 15 of them", "log", {"branch": "release/3", "most": 15}),
    ("I wonder if cart.py has bugs", "audit", {"path": "shop/cart.py"}),
    ("clean the unused imports out of build.py", "apply_fixes", {"path": "website/build.py", "rules": "F401"}),
    ("get me to the branch login-page", "switch_branch", {"name": "login-page"}),
    ("what was committed most recently?", "log", {}),
    ("name all the branches in website", "branches", {"path": "website"}),
    ("please list every branch of the repository", "branches", {}),
    ("the website should be under version control", "init", {"path": "website"}),
    ("we need git in the website folder", "init", {"path": "website"}),
    ("switch to winter-routes", "switch_branch", {"name": "winter-routes"}),
    ("can you do a commit, title “Fix typos”?", "commit", {"message": "Fix typos"}),
    ("make a note “compass is broken” and call it repairs", "write_note", {"name": "repairs"}),
    ("jot down: order more bags. Call the note bags.", "write_note", {"name": "bags", "text": "order more bags"}),
    ("another item for my todo note: head lamp", "append_note", {"name": "todo", "text": "head lamp"}),
    ("I need the summer-sale note on my screen", "show_note", {"name": "summer-sale"}),
    ("todo note please", "show_note", {"name": "todo"}),
    ("remind me what the todo note says", "show_note", {"name": "todo"}),
    ("give me an overview of the notes", "list_notes", {}),
    ("What does the returns policy say, in short?", "key_sentences", {"path": "docs/returns policy.md"}),
    ("send the handbook to the AI for a summary of 120 words", "send_file_to_model", {"words": 120}),
    ("document the shop code in docs", "document", {"path": "shop", "to": "docs"}),
    ("tell me how complex levels.py is", "analyze", {"path": "shop/stock/levels.py"}),
    ("is anything unused in shop/cart.py", "audit", {"path": "shop/cart.py"}),
    ("Please repair what can safely be repaired in shop.", "apply_fixes", {"path": "shop"}),
    ("could the model make cart.py faster?", "send_file_to_model", {"path": "shop/cart.py", "wish": "faster"}),
    ("set clerk's token limit to 5000 a day, version 1.1.0", "change_agent", {"name": "clerk", "version": "1.1.0"}),
    (
        "Limit clerk to 2.50 dollars a day; this becomes version 1.1.0 of the agent.",
        "change_agent",
        {"version": "1.1.0"},
    ),
    (
        "change the agent clerk: it may only use git_tool. The new version is 1.0.1.",
        "change_agent",
        {"version": "1.0.1"},
    ),
    ("let agent clerk use git_tool only, as version 1.1.0", "change_agent", {"tools": "git_tool"}),
    ("An agent called clerk, please; no language model for it.", "create_agent", {"uses_model": False}),
    ("we don't need the agent clerk any more, retire it please", "retire_agent", {"name": "clerk"}),
]


@pytest.mark.parametrize(("text", "command", "values"), _MEANT)
def test_what_people_say_in_passing_is_understood(text: str, command: str, values: dict[str, Any]) -> None:
    ((taken, found),) = HERE.steps_or_first_answer(text)
    assert taken == command
    assert values.items() <= found.items()


def test_the_note_is_the_one_that_was_written() -> None:
    found = HERE.steps("Write a note called hello with the text “It works” and then show me the note.")
    assert found[-1] == ("show_note", {"name": "hello"})


@pytest.mark.parametrize(
    "text",
    [
        # To folders people go; where none is called so, it is asked.
        *("go to summer-archive", "switch to docs-old and delete everything"),
        # Who asks whether or how something is done wants nothing to be done.
        *("I wonder whether cart.py was deleted", "tell me how to commit with the message “x”"),
        *("tell me whether I should delete cart.py", "check if cart.py was moved to docs"),
        *("every branch has its own commit", "I wrote a note named x saying “y” yesterday"),
        # A branch that is spoken of as one that there is, and words that may go on.
        *(
            "let me have the branch winter-maps",
            "new agent: mailer",
            "new note: mailer",
            "commit with the message Fix rain in cart.py",
        ),
        *("website should never be under version control", "website should be under version control next year"),
        *("the agent clerk can be retired tomorrow", "The agent clerk can be retired if it has no goals."),
        *("could the model make cart.py faster or not?", "jot down: order bags. Call the note bags tomorrow."),
        *("fix what cannot be fixed in shop", "ask Jonas whether everything is committed"),
        *("do not let agent clerk use git_tool, as version 1.1.0", "we need git in the shop only if it is large"),
    ],
)
def test_what_only_sounds_like_it_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
