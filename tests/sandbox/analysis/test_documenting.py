"""Documentation is read from text: every link leads somewhere, and nothing of the code gets out of its place."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from sandbox.analysis.inside import documenting, outline
from sandbox.analysis.inside.walking import Source
from sandbox.contract import Limits
from tests.sandbox.analysis import hostile
from tests.sandbox.analysis.test_looking import asked
from tests.sandbox.conftest import OpenHands

CORE = '''"""The core.

More about it.
"""
from __future__ import annotations

import json

import requests

from . import other
from .other import LIMIT, helper

MOST = 3


def answer(a: int = 1, *rest: str, key: str | None = None) -> int:
    """Says the answer."""
    return a


def _hidden() -> None: ...


class Thing(other.Base):
    """A thing."""

    size: int = 0

    def __init__(self, size: int) -> None: ...

    @property
    def large(self) -> bool:
        """Whether it is large."""

    @large.setter
    def large(self, value: bool) -> None: ...

    async def wait(self) -> None: ...


if __name__ == "__main__":
    raise SystemExit
'''


def links_of(folder: Path) -> set[Path]:
    """The files that the pages' links lead to."""
    found = set()
    for page in folder.rglob("*.md"):
        # Blocks and words of code hold no links.
        text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for to in re.findall(r"\]\(([^)]*)\)", text):
            found.add((page.parent / unquote(to.partition("#")[0], errors="surrogateescape")).resolve())
    return found


def test_a_code_base_becomes_pages_whose_links_lead_somewhere(open_hands: OpenHands) -> None:
    hands = open_hands()
    for path, content in {
        "src/app/__init__.py": '"""An app."""\n',
        "src/app/core.py": CORE,
        "src/app/other.py": "LIMIT = 5\nclass Base: ...\ndef helper(): ...\n",
        "src/app/broken.py": "def (:\n",
        "src/README.py": "",
        "src/tests/test_app.py": "x = 1\n",
    }.items():
        (hands.root / path).parent.mkdir(parents=True, exist_ok=True)
        (hands.root / path).write_text(content)
    result = hands.session.execute(asked("base_gen_agent.document", path="src", to="docs/code"))
    assert result.ok, result
    assert result.data["message"] == "6 pages about 5 modules in docs/code"
    folder = hands.root / "docs" / "code"
    assert {page.name for page in folder.iterdir()} == {
        "README.md", "README-2.md", "app.md", "app.broken.md", "app.core.md", "app.other.md"
    }  # fmt: skip
    assert links_of(folder) and all(path.is_file() for path in links_of(folder))  # noqa: PT018 - none would prove nothing
    core = (folder / "app.core.md").read_text()
    assert "answer(a: int=1, *rest: str, key: str | None=None) -> int" in core
    assert "[`src/app/core.py:17`](../../src/app/core.py#L17)" in core
    assert "- Imports of this code base: [`app`](app.md), [`app.other`](app.other.md)" in core
    assert "- From elsewhere: `requests`\n" in core
    assert "#### `large` (property)" in core
    assert core.count("#### `large`") == 1
    assert "async wait(self) -> None" in core
    assert "_hidden" not in core
    assert "- Imported by: [`app.core`](app.core.md)" in (folder / "app.other.md").read_text()
    index = (folder / "README.md").read_text()
    assert "| [`app.core`](app.core.md) | [`src/app/core.py`](../../src/app/core.py) |" in index
    assert "line 1 cannot be read" in (folder / "app.broken.md").read_text()
    assert "requests" in index
    assert "json" not in index


def test_hostile_code_is_described_as_text_and_not_run(tmp_path: Path, open_hands: OpenHands) -> None:
    (tmp_path / "workspace").mkdir()
    hostile.make(tmp_path / "workspace")
    (tmp_path / "workspace" / "doc.py").write_text(
        "'''<script>x</script>\n```\n# Head\n[x](javascript:1)\x1b[31m'''\ndef f(a='``` | </td>'): ...\n"
    )
    hands = open_hands(Limits(soft_s=120))
    result = hands.session.execute(asked("base_gen_agent.document", path=".", to="docs"))
    assert result.ok or result.limit is not None, result
    assert not list(hands.root.rglob(hostile.MARK))
    for page in (hands.root / "docs").iterdir():
        text = page.read_text()
        assert "\x1b" not in text
        outside = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
        outside = re.sub(r"(`+)[^`\n].*?\1", "", outside)
        assert "<script" not in outside.replace("\\<", "")
        assert "javascript:" not in outside.replace("\\[x\\](javascript:1)", "")
        assert not re.search(r"^# Head", outside, re.MULTILINE)


def test_nothing_is_written_through_a_link(open_hands: OpenHands) -> None:
    hands = open_hands()
    (hands.root / "a.py").write_text("x = 1\n")
    (hands.root / "docs").symlink_to("/tmp")
    result = hands.session.execute(asked("base_gen_agent.document", path="a.py", to="docs"))
    assert (result.status, result.error_class) == ("ERROR", "INVALID_PARAMETERS")


def test_relative_imports_are_told_in_full() -> None:
    def imports(path: str, name: str, text: str) -> set[str]:
        return set(outline.read(Source(path, "Python", text.encode()), name).imports)

    assert imports("a/b/c.py", "a.b.c", "from . import x\nfrom ..y import z\n") == {"a.b", "a.b.x", "a.y", "a.y.z"}
    assert imports("a/b/__init__.py", "a.b", "from . import x\n") == {"a.b", "a.b.x"}
    packages = {"src/a", "src/a/b"}
    assert documenting.name_of(Source("src/a/b/c.py", "Python", b""), packages) == "a.b.c"
    assert documenting.name_of(Source("src/a/__init__.py", "Python", b""), packages) == "a"
    assert documenting.name_of(Source("run.py", "Python", b""), packages) == "run"
