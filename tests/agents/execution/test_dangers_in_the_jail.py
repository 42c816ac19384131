"""What people are told of plans that were really tried: in the jail, with git, archives, links and odd names."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.management import call_command

from agents.beliefs import set_items
from agents.cycle import cycle
from agents.execution import shadow
from agents.models import Goal, IntentPlan, ShadowRun, Workspace
from agents.plans import footings, shadowing
from agents.workspaces import environments, workspaces
from agents.workspaces.stores import store
from people.models import User
from review.deciding import decisions
from review.entries import risks
from review.reading.danger import Danger
from tests.agents.execution.conftest import run, write

pytestmark = pytest.mark.django_db(transaction=True)
WorkspaceOf = Callable[[Mapping[str, str | bytes]], Workspace]
Proposed = Callable[..., IntentPlan]
_UNFINISHED = "thesis, first line\nthesis, second line\n"
_REPOSITORY = """
import os, subprocess
def git(*words): subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words], check=True)
git("init", "-q", "-b", "main", ".")
open(".gitignore", "w").write("*.local\\nmake.py\\n")
git("add", "."); git("commit", "-qm", "first")
git("checkout", "-qb", "other"); open("conf.local", "w").write("theirs"); git("add", "-f", "conf.local")
git("commit", "-qm", "second"); git("checkout", "-q", "main"); open("conf.local", "w").write("the only copy")
os.mkdir("inner"); subprocess.run(["git", "init", "-q", "inner"], check=True); open("inner/e.txt", "w").write("e")
open("new.txt", "w").write("new")
"""


def step(tool: str, command: str, **params: Any) -> dict[str, Any]:
    return {"tool": tool, "command": command, "params": params}


ON = step("simple_coder", "toggle_autonomous_mode", on=True)


@pytest.fixture
def workspace_of(owner: User) -> WorkspaceOf:
    """`workspace_of({path: content})`: a workspace that holds these files."""

    def made(files: Mapping[str, str | bytes]) -> Workspace:
        created = workspaces.create(by=owner, name=f"w{Workspace.objects.count()}")
        for path, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            workspaces.put_file(created, by=owner, path=path, source=io.BytesIO(data))
        return fresh(created)

    return made


def fresh(workspace: Workspace) -> Workspace:
    return Workspace.objects.get(pk=workspace.pk)


def tried(plan: IntentPlan) -> tuple[IntentPlan, ShadowRun]:
    """The plan with its danger after a dry run, and the run."""
    shadowing.ask(plan)
    while shadow.one():
        pass
    found = shadowing.latest(plan)
    assert found is not None
    risks.store(plan, found)
    return IntentPlan.objects.select_related("workspace", "risk").get(pk=plan.pk), found


def told(plan: IntentPlan) -> tuple[Danger, str]:
    return plan.risk.told.danger, plan.risk.told.sentence


def done(plan: IntentPlan, by: User) -> IntentPlan:
    decisions.approve(plan, by=by, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    return IntentPlan.objects.get(pk=plan.pk)


def zipped(**members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return held.getvalue()


@pytest.mark.parametrize(
    ("steps", "danger"),
    [
        ([ON, write("docs/pyvenv.cfg", "home = /usr\n"), step("simple_coder", "rm", path="docs/b.txt")], Danger.LOSES),
        ([write("docs/pyvenv.cfg", "home = /usr\n"), write("docs/b.txt", "gone")], Danger.OVERWRITES),
    ],
)
def test_what_looks_like_an_environment_hides_nothing(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, steps: list[dict[str, Any]], danger: Danger
) -> None:
    here = workspace_of({"docs/a.txt": _UNFINISHED, "docs/b.txt": _UNFINISHED + "b"})
    plan, _ = tried(proposed_by_hand(steps, workspace=here))
    assert told(plan)[0] == danger
    assert "docs/b.txt" in told(plan)[1]


def test_of_an_environment_what_is_made_again_is_no_loss_and_what_people_put_there_is(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, reviewer: User
) -> None:
    here = workspace_of({"a.txt": "a"})
    make, _ = tried(proposed_by_hand([step("simple_coder", "create_venv", venv_name="env")], workspace=here))
    assert told(make) == (Danger.CHANGES, "Makes the folder env")
    assert not [one for one in make.risk.reasons if re.search(r"changed \d{3,} paths", one)]
    assert done(make, reviewer).state == "complete"
    remove = [ON, step("simple_coder", "rm", path="env")]
    plan, _ = tried(proposed_by_hand(remove, workspace=fresh(here)))
    assert told(plan) == (Danger.DELETES, "Deletes env, a virtual environment that can be made again")
    package = next(
        one.path.decode() for one in store().entries(fresh(here).head) if one.path.endswith(b"pip/__main__.py")
    )
    part = [ON, step("simple_coder", "rm", path=package)]
    plan, found = tried(proposed_by_hand(part, workspace=fresh(here)))
    assert told(plan) == (Danger.CHANGES, "Changes env"), "pip brings it back"
    assert environments.own([package, "a.txt"], found.base) == ["a.txt"]
    edited = [write(package, "print('my own version of it')")]
    assert done(proposed_by_hand(edited, workspace=fresh(here)), reviewer).state == "complete"
    plan, _ = tried(proposed_by_hand(remove, workspace=fresh(here)))
    assert told(plan)[0] == Danger.LOSES
    assert "/pip/__main__.py, which exists nowhere else" in told(plan)[1]
    put = [write("env/lib/own.py", "print('my own')"), write("env/share/photo.txt", "my photo")]
    assert done(proposed_by_hand(put, workspace=fresh(here)), reviewer).state == "complete"
    plan, _ = tried(proposed_by_hand(remove, workspace=fresh(here)))
    assert told(plan)[0] == Danger.LOSES
    # The states between the writes have what was written before.
    assert "env/share/photo.txt; one exists nowhere else" in told(plan)[1]
    assert "env/lib/own.py" in told(plan)[1]


def test_a_state_is_not_its_own_history(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, owner: User, reviewer: User
) -> None:
    here = workspace_of({"x.txt": "the only copy"})
    looked = proposed_by_hand([step("simple_coder", "read", path="x.txt")], workspace=here)
    assert done(looked, reviewer).state == "complete"
    plan, found = tried(proposed_by_hand([ON, step("simple_coder", "rm", path="x.txt")], workspace=fresh(here)))
    assert told(plan)[0] == Danger.LOSES
    workspaces.put_file(fresh(here), by=owner, path="other.txt", source=io.BytesIO(b"elsewhere"))
    risks.store(plan, found)
    assert told(IntentPlan.objects.get(pk=plan.pk))[0] == Danger.LOSES, "a newer state has it by the same name only"


@pytest.mark.parametrize(
    ("before", "after"),
    [(bytes(range(256)) * 8, bytes(reversed(range(256))) * 8), (b"line of text\n" * 90_000, b"quite otherwise\n")],
)
def test_what_cannot_be_compared_is_overwritten(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, before: bytes, after: bytes
) -> None:
    here = workspace_of({"x.zip": zipped(photo_bin=after), "photo.bin": before})
    plan, _ = tried(proposed_by_hand([run("unzip -o x.zip")], workspace=here))
    assert told(plan)[0] == Danger.OVERWRITES
    assert "photo.bin" in told(plan)[1]


def test_git_replaces_no_ignored_file_and_says_what_a_commit_leaves(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, make_goal: Callable[..., Goal], owner: User, reviewer: User
) -> None:
    here = workspace_of({"make.py": _REPOSITORY})
    assert done(proposed_by_hand([run("python make.py")], workspace=here), reviewer).state == "complete"
    switch = step("git_tool", "switch_branch", name="other")
    plan, found = tried(proposed_by_hand([switch], workspace=fresh(here)))
    assert [one["proof"] for one in found.findings] == ["failed"], "the ignored file is the only copy"
    commit = step("git_tool", "commit", path=".", message="all of it")
    goal_text = "commit everything with the message all of it"
    plan, _ = tried(proposed_by_hand([commit], workspace=fresh(here), text=goal_text))
    assert told(plan)[0] == Danger.CHANGES, "what git keeps for itself is no file of anybody"
    plan = done(plan, reviewer)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert (plan.state, goal.outcome) == ("complete", "check_failed")
    assert "inner/" in (plan.intents.get().result or {})["message"]


def test_a_program_reads_no_file_without_a_trace(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, owner: User, reviewer: User
) -> None:
    quiet = "import os\nf = os.open('data.txt', os.O_RDONLY | os.O_NOATIME)\nopen('out.txt', 'wb').write(os.read(f, 9))"
    here = workspace_of({"data.txt": "first", "job.py": quiet})
    _, found = tried(proposed_by_hand([run("python job.py")], workspace=here))
    assert found.findings[0]["proof"] == "failed"
    assert "PermissionError" in found.findings[0]["answer"]["stderr"]


def test_a_name_that_is_not_utf8_is_told_and_a_plan_that_met_it_stands_on_everything(
    workspace_of: WorkspaceOf, proposed_by_hand: Proposed, reviewer: User
) -> None:
    make = "import os\nos.mkdir('d')\nopen(b'd/\\xff.txt', 'w').write('the only copy')"
    here = workspace_of({"make.py": make, "read.py": "open(b'd/\\xff.txt').read()"})
    assert done(proposed_by_hand([run("python make.py")], workspace=here), reviewer).state == "complete"
    plan, found = tried(proposed_by_hand([run("python read.py")], workspace=fresh(here)))
    assert found.state == "done"
    assert footings.worked_on([plan])[0][0].whole
    removing = proposed_by_hand([ON, step("simple_coder", "rm", path="d")], workspace=fresh(here))
    plan, _ = tried(removing)
    assert told(plan)[0] == Danger.LOSES
    assert "d/\\xFF.txt" in told(plan)[1]


def test_a_set_that_can_no_longer_be_read_has_changed(
    workspace_of: WorkspaceOf,
    make_goal: Callable[..., Goal],
    owner: User,
    reviewer: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("load_starters", verbosity=0)
    here = workspace_of({"docs/a.md": "colour", "docs/b.md": "colour"})
    goal = make_goal(owner, "replace colour by color in all files in docs containing colour", workspace=here)
    cycle.one(goal.pk)
    while shadow.one():
        pass
    plan = goal.intent_plans.get()
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    monkeypatch.setattr(set_items, "MOST_BYTES", 1_000)
    workspaces.put_file(fresh(here), by=owner, path="docs/big.md", source=io.BytesIO(b"x" * 2_000))
    workspaces.put_file(fresh(here), by=owner, path="docs/c.md", source=io.BytesIO(b"colour"))
    cycle.work(goal.pk)
    assert IntentPlan.objects.get(pk=plan.pk).state != "complete"
