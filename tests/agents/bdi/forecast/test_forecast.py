"""What a plan would do to files, read from its steps: nothing is guessed, nothing that goes is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.bdi.forecast.consequences import (
    AutonomousMode,
    Content,
    Environment,
    Forecast,
    Inside,
    NewFolder,
    Overwriting,
    Program,
    Removal,
    Transfer,
    Unread,
    WouldFail,
    Writing,
)
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import REGISTRY

BASE = [
    BaseEntry("docs", "dir"),
    BaseEntry("docs/a.txt", "file", 100),
    BaseEntry("docs/deep", "dir"),
    BaseEntry("docs/deep/b.bin", "file", 2000),
    BaseEntry("docs/deep/c.bin", "file", 1),
    BaseEntry("docs2", "dir"),
    BaseEntry("readme.md", "file", 10),
    BaseEntry("way", "link"),
]


def steps(*commands: tuple[str, dict[str, Any]], cleanup: tuple[tuple[str, dict[str, Any]], ...] = ()) -> Forecast:
    main = tuple(spec(at, *command) for at, command in enumerate(commands, 1))
    undo = tuple(spec(at, *command, phase="cleanup") for at, command in enumerate(cleanup, len(main) + 1))
    return forecast(Document("1", "a goal", "ws", "0" * 64, 1, "rule", main, undo), BASE, REGISTRY)


def spec(position: int, command: str, params: dict[str, Any], phase: str = "main", tool: str = "simple_coder") -> Any:
    if "." in command:
        tool, _, command = command.partition(".")
    return IntentSpec(position, phase, tool, command, params, (), "", "workspace", {}, (), None, (), "", "")


def test_a_program_says_what_it_may_reach() -> None:
    line = spec(1, "run", {"command_line": "python x.py", "hosts": ["LIES.example"]})
    document = Document("1", "a goal", "ws", "0" * 64, 1, "rule", (replace(line, hosts=("a.example",)),), ())
    (program,) = forecast(document, BASE, REGISTRY).of(Program)
    assert (program.hosts, program.installs, program.lacks_index) == (("a.example",), False, False)


def test_installing_names_its_environment_and_fails_without_one() -> None:
    install = ("run", {"command_line": "pip install httpx"})
    found = steps(("activate_venv", {"venv_name": ".venv"}), install, ("deactivate_venv", {}), install)
    within, without = found.of(Program)
    assert (within.installs, within.environment, within.lacks_index) == (True, ".venv", True)
    assert without.environment == ""
    (failing,) = found.of(WouldFail)
    assert failing.position == 4
    assert "no virtual environment is active" in failing.reason


def test_pip_that_may_reach_the_index_lacks_nothing() -> None:
    line = replace(spec(1, "run", {"command_line": "pip download httpx"}), hosts=("packages",))
    document = Document("1", "a goal", "ws", "0" * 64, 1, "rule", (line,), ())
    found = forecast(document, BASE, REGISTRY)
    assert (found.of(Program)[0].lacks_index, found.of(Program)[0].installs, found.of(WouldFail)) == (False, False, ())


ON = ("toggle_autonomous_mode", {"on": True})


def test_a_removed_folder_counts_every_file_in_it_and_only_those() -> None:
    (removal,) = steps(ON, ("rm", {"path": "docs"})).of(Removal)
    assert (removal.position, removal.kind, removal.files, removal.size_bytes, removal.made) == (2, "dir", 3, 2101, 0)
    assert removal.inside == (Inside("docs/a.txt", "file", 1, 100), Inside("docs/deep", "dir", 2, 2001))


def test_paths_are_read_from_the_folder_the_step_stands_in() -> None:
    found = steps(("cd", {"path": "docs"}), ON, ("rm", {"path": "deep"}), ("write", {"path": "../x", "content": ""}))
    assert found.of(Removal)[0].path == "docs/deep"
    assert found.of(Writing)[0].path == "x"
    assert found.looks == (1,)


def test_a_write_says_what_it_replaces() -> None:
    found = steps(
        ("write", {"path": "readme.md", "content": "new\n"}),
        ("write", {"path": "readme.md", "content": "newer\n"}),
        ("write", {"path": "fresh.md", "content": "x"}),
    ).of(Writing)
    assert [(one.before, one.before_text) for one in found] == [("base", ""), ("step", "new\n"), ("", "")]


def test_a_tool_that_is_made_of_several_requests_is_read_as_those() -> None:
    found = steps(("note_taking.write_note", {"name": "ideas", "text": "one"}))
    assert [one.path for one in found.of(NewFolder)] == ["notes"]
    assert [(one.path, one.content) for one in found.of(Writing)] == [("notes/ideas.md", "one\n")]


def test_removing_without_autonomous_mode_would_fail_and_is_told_all_the_same() -> None:
    found = steps(("rm", {"path": "docs"}))
    assert "autonomous mode" in found.of(WouldFail)[0].reason
    assert found.of(Removal)[0].files == 3


def test_leaving_the_workspace_would_fail() -> None:
    found = steps(("write", {"path": "../../etc/passwd", "content": "x"}), ("rm", {"path": "."}))
    assert "outside" in found.of(WouldFail)[0].reason
    assert "cannot be removed" in found.of(WouldFail)[1].reason
    assert not found.of(Writing)
    assert not found.of(Removal)


def test_what_is_not_there_is_said_until_a_program_may_have_made_it() -> None:
    before = steps(("read", {"path": "made.txt"}), ("cd", {"path": "nowhere"}))
    assert [one.position for one in before.of(WouldFail)] == [1, 2]
    after = steps(("run", {"command_line": "python make.py"}), ("read", {"path": "made.txt"}))
    assert not after.of(WouldFail)


def test_writing_makes_the_folders_above_the_file_and_a_patch_makes_none() -> None:
    made = steps(("write", {"path": "new/deep/a.txt", "content": "x"}), ("cd", {"path": "new/deep"}))
    assert [one.path for one in made.of(NewFolder)] == ["new", "new/deep"]
    assert not made.of(WouldFail)
    patched = steps(("write", {"path": "new/a.txt", "content": "@@", "mode": "patch"}))
    assert not patched.of(NewFolder)
    assert patched.of(WouldFail)
    assert steps(("write", {"path": "readme.md/b", "content": "x"})).of(WouldFail)


def test_after_a_program_nothing_is_certain() -> None:
    found = steps(ON, ("run", {"command_line": "python x.py"}), ("rm", {"path": "docs"}), ("rm", {"path": "later"}))
    assert found.of(Program)[0].unsure is False
    assert [(one.path, one.kind, one.unsure) for one in found.of(Removal)] == [
        ("docs", "dir", True),
        ("later", "missing", True),
    ]


def test_a_program_is_named_with_its_folder_and_environment() -> None:
    found = steps(
        ("create_venv", {"venv_name": ".venv"}),
        ("activate_venv", {"venv_name": ".venv"}),
        ("cd", {"path": "docs"}),
        ("run", {"command_line": "python -V"}),
    )
    assert found.of(Environment)[0].path == ".venv"
    program = found.of(Program)[0]
    assert (program.command_line, program.folder, program.environment) == ("python -V", "docs", ".venv")


def test_what_earlier_steps_make_is_not_counted_as_todays() -> None:
    found = steps(
        ("mkdir", {"path": "new/inner"}),
        ("write", {"path": "new/inner/f", "content": "x"}),
        ON,
        ("rm", {"path": "new"}),
    )
    removal = found.of(Removal)[0]
    assert (removal.files, removal.made, removal.inside) == (0, 3, ())
    assert [one.path for one in found.of(NewFolder)] == ["new", "new/inner"]


def test_clean_up_starts_at_the_root_and_is_never_certain() -> None:
    found = steps(("cd", {"path": "docs"}), ON, cleanup=(ON, ("rm", {"path": "docs"})))
    removal = found.of(Removal)[0]
    assert (removal.path, removal.cleanup, removal.unsure, removal.files) == ("docs", True, True, 3)
    assert len(found.of(AutonomousMode)) == 2


def test_autonomous_mode_does_not_reach_into_clean_up() -> None:
    found = steps(ON, cleanup=(("rm", {"path": "docs"}),))
    assert "autonomous mode" in found.of(WouldFail)[0].reason


def test_a_link_is_removed_and_not_what_it_points_to() -> None:
    assert steps(ON, ("rm", {"path": "way"})).of(Removal)[0].kind == "link"


def test_an_unknown_command_is_named_as_unread() -> None:
    found = steps(("other_tool.erase_all", {"path": "docs"}), ("simple_coder.format_disk", {}))
    assert [one.command for one in found.of(Unread)] == ["other_tool.erase_all", "simple_coder.format_disk"]


def test_a_move_takes_along_what_stands_there_today_and_a_copy_does_not() -> None:
    found = steps(("mv", {"path": "docs", "to": "papers"}), ("cp", {"path": "readme.md", "to": "papers/readme.md"}))
    moved, copied = found.of(Transfer)
    assert (moved.source, moved.path, moved.kind, moved.files, moved.size_bytes) == ("docs", "papers", "dir", 3, 2101)
    assert (moved.moves, copied.moves, copied.path) == (True, False, "papers/readme.md")
    after = steps(
        ("mv", {"path": "docs", "to": "papers"}),
        ("cp", {"path": "readme.md", "to": "papers/readme.md"}),
        ON,
        ("rm", {"path": "papers"}),
        ("read", {"path": "docs"}),
        ("read", {"path": "docs2"}),
    )
    (removal,) = after.of(Removal)
    assert (removal.files, removal.made) == (3, 1)
    assert [one.position for one in after.of(WouldFail)] == [5]


def test_a_file_that_is_moved_over_is_told_with_what_is_lost_and_what_comes() -> None:
    over = {"path": "readme.md", "to": "docs/a.txt", "overwrite": True}
    (lost,) = steps(ON, ("mv", over)).of(Overwriting)
    assert (lost.path, lost.lost, lost.comes) == ("docs/a.txt", Content("docs/a.txt"), Content("readme.md"))
    chain = steps(ON, ("write", {"path": "new", "content": "n"}), ("mv", over), ("cp", over | {"path": "new"}))
    assert chain.of(Overwriting)[1].lost == Content("readme.md")
    assert chain.of(Overwriting)[1].comes.text == "n"
    assert not chain.of(WouldFail)


def test_what_is_written_or_removed_after_a_move_is_read_where_it_stands_today() -> None:
    found = steps(
        ("mv", {"path": "readme.md", "to": "a.md"}),
        ("write", {"path": "a.md", "content": "x"}),
        ("mv", {"path": "docs/a.txt", "to": "b.txt"}),
        ON,
        ("rm", {"path": "b.txt"}),
    )
    assert (found.of(Writing)[0].before, found.of(Writing)[0].origin) == ("base", "readme.md")
    assert (found.of(Removal)[0].origin, found.of(Removal)[0].files) == ("docs/a.txt", 1)


def test_moves_that_would_be_refused_are_said_to_fail() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"path": "none", "to": "x"}, "not there"),
        ({"path": "docs", "to": "docs/deep/docs"}, "own place"),
        ({"path": "docs", "to": "docs"}, "own place"),
        ({"path": ".", "to": "x"}, "workspace's own folder"),
        ({"path": "readme.md", "to": "."}, "workspace's own folder"),
        ({"path": "readme.md", "to": "no/where"}, "no folder"),
        ({"path": "readme.md", "to": "docs/a.txt"}, "there already"),
        ({"path": "readme.md", "to": "docs", "overwrite": True}, "only a file"),
        ({"path": "docs", "to": "readme.md", "overwrite": True}, "only a file"),
        ({"path": "readme.md", "to": "way", "overwrite": True}, "only a file"),
        ({"path": "readme.md", "to": "../x"}, "outside"),
    ]
    for params, words in refused:
        for command in ("mv", "cp"):
            found = steps(ON, (command, params))
            assert words in found.of(WouldFail)[0].reason, (command, params)
            assert not found.of(Transfer)


def test_replacing_without_autonomous_mode_would_fail_and_is_told_all_the_same() -> None:
    found = steps(("mv", {"path": "readme.md", "to": "docs/a.txt", "overwrite": True}))
    assert "autonomous mode" in found.of(WouldFail)[0].reason
    assert found.of(Overwriting)[0].path == "docs/a.txt"


def test_after_a_program_a_move_says_that_it_may_replace_something() -> None:
    found = steps(ON, ("run", {"command_line": "true"}), ("mv", {"path": "made", "to": "x", "overwrite": True}))
    (moved,) = found.of(Transfer)
    assert (moved.kind, moved.may_replace, moved.unsure) == ("missing", True, True)


PATCH = "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"


def test_a_patch_of_an_earlier_steps_text_is_applied_or_said_to_fail() -> None:
    wrote = ("write", {"path": "new", "content": "one\ntwo\n"})
    patch = ("write", {"path": "new", "content": PATCH, "mode": "patch"})
    found = steps(wrote, patch, patch)
    assert [one.patches for one in found.of(Writing)] == [False, True]
    assert "hunk 1" in found.of(WouldFail)[0].reason
    after = steps(wrote, patch, ("write", {"path": "new", "content": "x"}))
    assert after.of(Writing)[2].before_text == "one\nzwei\n"


def test_a_patch_of_what_is_not_there_would_fail() -> None:
    found = steps(("write", {"path": "none", "content": PATCH, "mode": "patch"}))
    assert "not there" in found.of(WouldFail)[0].reason
    assert not found.of(Writing)


def test_a_variable_that_belongs_to_the_session_would_fail() -> None:
    found = steps(("set_env", {"name": "LD_PRELOAD", "value": "x"}), ("set_env", {"name": "A", "value": "x"}))
    assert [one.position for one in found.of(WouldFail)] == [1]
    assert found.looks == (2,)
