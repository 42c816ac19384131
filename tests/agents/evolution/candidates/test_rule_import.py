"""Rules as files: what a file would change, taking it in as a whole or not at all, and writing the library out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.components import rule_files
from agents.components.rule_writing import RuleInvalid
from agents.components.rules import known_rules
from agents.evolution.candidates import rule_import
from agents.rules.printing import print_rules
from agents.rules.starter import starter_files
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from tests.library.vectors import install

POT = "RULE pot\nIF your task is to get the metal pot\nTHEN: read the file cupboard\n"
WATER = "RULE water\nIF your task is to melt water\nTHEN:\nget the metal pot\nread the file thermometer\n"
FILE = f"# about water\n{WATER}--\n{POT}"


@pytest.fixture(autouse=True)
def _vectors(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def versions() -> list[tuple[str, str, str]]:
    rows = ComponentVersion.objects.order_by("component__name", "pk")
    return list(rows.values_list("component__name", "version", "status"))


def kinds(text: str) -> dict[str, str]:
    return {entry.name: entry.kind for entry in rule_files.compare(text).entries}


def test_each_rule_of_a_file_becomes_a_component_though_they_need_each_other(operator: User) -> None:
    imported = rule_import.take_in(FILE, by=operator, changes="from kitchen.plan")
    assert versions() == [("pot", "1.0.0", "candidate"), ("water", "1.0.0", "candidate")]
    assert [one.says for one in imported] == [
        "“water” is new: version 1.0.0 is saved as candidate.",
        "“pot” is new: version 1.0.0 is saved as candidate.",
    ]
    saved = ComponentVersion.objects.get(component__name="water")
    assert (saved.created_by, saved.changes, saved.body) == (operator, "from kitchen.plan", f"# about water\n{WATER}")


def test_an_export_imported_again_changes_nothing(operator: User) -> None:
    rule_import.take_in("--\n".join(text for _, text in starter_files()) + f"--\n{FILE}", by=operator, activate=True)
    there, exported = versions(), rule_files.export()
    assert set(kinds(exported).values()) == {"same"}
    rule_import.take_in(exported, by=operator, activate=True)
    assert versions() == there
    assert rule_files.export() == exported == print_rules(known.rule for known in known_rules())


def test_a_rule_that_is_not_changed_keeps_nothing_out_though_it_has_become_wrong(operator: User) -> None:
    broken = "RULE broken\nIF your task is to go\nTHEN:\n  dance\n"
    services.publish("rule", "broken", broken, by=operator, status="active")
    exported = rule_files.export()
    assert [(one.line, one.code) for one in rule_files.compare(exported).problems] == [(4, "unknown_phrase")]
    assert rule_files.compare(exported).errors == []
    rule_import.take_in(f"{exported}--\n{POT}", by=operator)
    assert versions() == [("broken", "1.0.0", "active"), ("pot", "1.0.0", "candidate")]
    with pytest.raises(RuleInvalid):
        rule_import.take_in(exported.replace("dance", "sing"), by=operator)


def test_a_candidate_that_waits_is_not_saved_again(operator: User) -> None:
    rule_import.take_in(FILE, by=operator)
    rule_import.take_in(FILE, by=operator)
    assert len(versions()) == 2


def test_a_changed_rule_becomes_the_next_version_and_its_layout_alone_is_no_change(operator: User) -> None:
    rule_import.take_in(FILE, by=operator, activate=True)
    assert kinds(FILE.replace("THEN: read", "THEN:\n\n   read")) == {"water": "same", "pot": "same"}
    changed = FILE.replace("file cupboard", "file shelf")
    entry = rule_files.compare(changed).entries[1]
    assert (entry.kind, entry.against and entry.against.version) == ("changed", "1.0.0")
    assert ("cupboard" in entry.before, "shelf" in entry.after) == (True, True)
    rule_import.take_in(changed, by=operator, activate=True)
    assert versions() == [("pot", "1.0.0", "retired"), ("pot", "1.1.0", "active"), ("water", "1.0.0", "active")]


@pytest.mark.parametrize(
    ("fault", "line", "code"),
    [
        ("--\nRULE bad\nIF your task is to go\nTHEN: dance", 14, "unknown_phrase"),
        ("--\nRULE bad\nIF your task is to go", 13, "no_body"),
        ("--\nRULE pot\nIF your task is to go\nTHEN: read x", 12, "duplicate_name"),
        (f"--\nRULE {'long ' * 30}\nIF your task is to go\nTHEN: read x", 12, "refused"),
        ("--\nRULE bad\nIF your task is to go\nTHEN: read \u202ex", 14, "hidden_character"),
        ("--\nRULE bad\nIF your task is to get the metal pot\nTHEN: read x", 12, "duplicate"),
    ],
)
def test_one_faulty_rule_keeps_the_whole_file_out(operator: User, fault: str, line: int, code: str) -> None:
    with pytest.raises(RuleInvalid) as caught:
        rule_import.take_in(FILE + fault, by=operator)
    assert (line, code) in {(problem.line, problem.code) for problem in caught.value.problems}
    assert versions() == []
    assert not Component.objects.exists()


def test_a_rule_that_is_refused_while_it_is_saved_takes_the_others_back(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = services.publish

    def refuse_pot(kind: str, name: str, *args: Any, **more: Any) -> ComponentVersion:
        if name == "pot":
            raise LibraryRefused("not now")
        return publish(kind, name, *args, **more)

    monkeypatch.setattr(services, "publish", refuse_pot)
    with pytest.raises(LibraryRefused):
        rule_import.take_in(FILE, by=operator)
    assert versions() == []


def test_a_file_with_more_rules_than_one_version_may_have_is_read(operator: User) -> None:
    many = "--\n".join(f"IF your task is to do job {n}\nTHEN: read the file f{n}\n" for n in range(201))
    assert rule_files.compare(many).errors == []
    assert len(rule_files.compare(many).entries) == 201
    (problem,) = rule_files.compare("--\n".join([many] * 3)).errors
    assert problem.code == "too_many"


def test_who_may_not_write_or_activate_imports_nothing(owner: User, reviewer: User) -> None:
    with pytest.raises(LibraryRefused, match="do not let you write"):
        rule_import.take_in(FILE, by=owner)
    with pytest.raises(LibraryRefused, match="write candidates"):
        rule_import.take_in(FILE, by=reviewer, activate=True)
    assert versions() == []


def test_only_rules_that_are_in_use_are_exported(operator: User) -> None:
    rule_import.take_in(POT, by=operator, activate=True)
    rule_import.take_in(WATER, by=operator)
    assert rule_files.export() == rule_files.export(["pot"])
    with pytest.raises(rule_files.UnknownRules, match="water"):
        rule_files.export(["pot", "water"])


# --- the command -----------------------------------------------------------------------------------------------------
@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kitchen.plan"
    path.write_text("\ufeff" + FILE, encoding="utf-8")
    return path


def said(*arguments: object) -> str:
    out = io.StringIO()
    call_command("rules", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_the_command_takes_a_file_in_and_writes_it_out(operator: User, file: Path) -> None:
    assert "line 2: “water” is new.\nline 8: “pot” is new.\n" in said("check", file)
    assert versions() == []
    assert "version 1.0.0 is saved as active" in said("import", file, "--activate")
    assert ComponentVersion.objects.first().created_by == operator  # type: ignore[union-attr]
    out = file.with_name("out.plan")
    assert said("export", "--out", out) == ""
    assert out.read_text() == said("export") == rule_files.export()
    assert said("export", "pot") == "RULE pot\nIF your task is to get the metal pot\nTHEN:\n  read the file cupboard\n"
    assert json.loads(said("export", "pot", "--json"))["text"] == said("export", "pot")
    assert "“pot” is the same as version 1.0.0, which is active." in said("import", out, "--by", operator.username)


def test_the_command_says_what_is_wrong_by_line_and_ends_with_1(operator: User, file: Path) -> None:
    file.write_text(FILE + "--\nRULE bad\nIF your task is to go\nTHEN: dance\n")
    for action in ("check", "import"):
        out = io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("rules", action, str(file), "--json", stdout=out)
        assert ended.value.code == 1
        (problem,) = json.loads(out.getvalue())["problems"]
        assert (problem["line"], problem["code"], problem["severity"]) == (14, "unknown_phrase", "error")
    assert versions() == []


def test_the_command_asks_who_imports_where_several_people_may(operator: User, reviewer: User, file: Path) -> None:
    with pytest.raises(CommandError, match=r"--by USER\. 2 people may"):
        said("import", file)
    with pytest.raises(CommandError, match="no active person"):
        said("import", file, "--by", "nobody")
    said("import", file, "--by", reviewer.username)
    assert {version.created_by for version in ComponentVersion.objects.all()} == {reviewer}


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_is_no_text_or_not_there_is_said(operator: User, tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "x.plan"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match=r"x\.plan (is not UTF-8|cannot be read)"):
        said("check", file)
