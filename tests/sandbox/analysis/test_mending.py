"""Safe fixes are shown, and made, in the same way; nothing that others need goes, and tests stay as they are."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from agents.presentation import code_report, unified_diff
from agents.toolkit.registry import REGISTRY
from agents.toolkit.schemas import problems
from sandbox.analysis.inside import names
from sandbox.analysis.inside.walking import Source
from sandbox.contract import Limits, Result
from tests.sandbox.analysis import hostile
from tests.sandbox.analysis.test_looking import asked
from tests.sandbox.conftest import Hands, OpenHands

OLD = 'import os, sys\n\n\ndef said(a):\n    return "{} {}".format(a, sys) if not a in (1,) else set([1])\n'


@pytest.fixture
def hands(tmp_path: Path, open_hands: OpenHands) -> Hands:
    """A session over a small code base; what is there when it begins becomes the jail's own."""
    root = tmp_path / "workspace"
    for path, content in {
        "pyproject.toml": "[project]\nrequires-python = '>=3.9'\n",
        "app/__init__.py": "",
        "app/old.py": OLD,
        "app/compat.py": "import json\nimport os\nimport re\n",
        "app/user.py": "from .compat import (\n    json,\n)\nfrom app import compat\n\nprint(json, compat.os)\n",
        "tests/test_old.py": "assert not 1 in (2,)\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return open_hands()


def mended(hands: Hands, command: str, **params: str) -> Result:
    return hands.session.execute(asked(f"audit_and_improve.{command}", **params))


def test_a_proposal_changes_nothing_and_is_exactly_what_is_made_later(hands: Hands) -> None:
    proposed = mended(hands, "propose_fixes", path="app")
    assert proposed.ok, proposed
    assert (hands.root / "app" / "old.py").read_text() == OLD
    patch = proposed.data["diff"]
    assert "-import os, sys" in patch
    made = mended(hands, "apply_fixes", path="app")
    assert made.ok, made
    assert made.data["diff"] == patch
    after = (hands.root / "app" / "old.py").read_text()
    ast.parse(after)
    assert "a not in (1,)" in after
    # The diff is one that patch takes, backwards too.
    subprocess.run(["patch", "-R", "-p1", "-s"], input=patch.encode(), cwd=hands.root, check=True)
    assert (hands.root / "app" / "old.py").read_text() == OLD
    report = code_report.read(made.data["report"])
    assert isinstance(report, code_report.Fixes)
    assert (report.applied, [one.path for one in report.files]) == (True, ["app/old.py"])
    assert {"E401", "E713"} <= {one.code for one in report.rules}


def test_tests_are_left_as_they_are(hands: Hands) -> None:
    assert mended(hands, "apply_fixes", path=".").ok
    assert (hands.root / "tests" / "test_old.py").read_text() == "assert not 1 in (2,)\n"


def test_imports_stay_unless_asked_for_and_then_those_that_others_use_stay_too(hands: Hands) -> None:
    assert "compat" not in mended(hands, "propose_fixes", path="app").data["diff"]
    asked_for = mended(hands, "apply_fixes", path="app/compat.py", rules="F401")
    assert (hands.root / "app" / "compat.py").read_text() == "import json\nimport os\nimport re\n"
    left_alone = {"path": "app/compat.py", "why": "another file may use its name json"}
    assert asked_for.data["report"]["left_alone"] == [left_alone]
    (hands.root / "app" / "user.py").unlink()
    assert mended(hands, "apply_fixes", path="app", rules="F401").ok
    assert (hands.root / "app" / "compat.py").read_text() == ""


def test_hostile_code_is_mended_where_it_can_be_and_never_through_a_link(tmp_path: Path, open_hands: OpenHands) -> None:
    (tmp_path / "workspace").mkdir()
    hostile.make(tmp_path / "workspace")
    (tmp_path / "workspace" / "names" / "a\nb.py").write_text("x = not 1 in (2,)\n")
    hands = open_hands(Limits(soft_s=120))
    result = mended(hands, "apply_fixes", path=".")
    assert result.ok, result
    assert (hands.root / "names" / "a\nb.py").read_text() == "x = 1 not in (2,)\n"
    assert not list(hands.root.rglob(hostile.MARK))
    assert not (hands.root / "CACHE").exists()
    assert (hands.root / "passwd.py").is_symlink()
    assert result.data["diff"].isascii()
    assert "\x1b" not in result.data["diff"]
    assert [one.path for one in unified_diff.read(result.data["diff"]) if "names" in one.path] == ["names/a\\nb.py"]


@pytest.mark.parametrize("rules", ["--fix", "F401;x", "F401 --config=x", "f401", "F401\n", "@x", ""])
def test_rules_are_letters_and_digits_and_never_an_option(rules: str) -> None:
    schema = REGISTRY.command("audit_and_improve", "apply_fixes").schema
    assert problems(schema, {"rules": rules})
    assert not problems(schema, {"rules": "F, UP032,E4"})


@pytest.mark.parametrize(
    ("user", "lost"),
    [
        (b"from m import (\n  a,\n  name,\n)\n", "name"),
        (b"import m\nm.name()\n", "name"),
        (b"patch('m.name')\ngetattr(m, 'name')\n", "name"),
        (b"from m import name as n\n", "name"),
        (b"from m import a, \\\n    name\n", "name"),
        (b"from m import *\nname\n", "name"),
        (b"from m import *\n", ""),
        (b"import name\nname = rename\n", ""),
    ],
)
def test_a_name_is_kept_that_another_file_may_use(user: bytes, lost: str) -> None:
    others = [Source("u.py", "Python", user), Source("m.py", "Python", b"import name\n")]
    assert names.asked_for({"name"}, "m.py", others) == lost


def test_names_of_a_module_are_those_it_has_when_loaded() -> None:
    bound = names.bound(
        b"from __future__ import annotations\nimport a.b as c, d.e\nfrom f import g\nif 1:\n    h = 1\n"
        b"def i():\n    j = 2\nclass K: l = 1\nfor m in n: pass\n"
    )
    assert bound == {"c", "d", "g", "h", "i", "K", "m"}
