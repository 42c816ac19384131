"""Finding out why a script fails, by running it and reading what it says."""

from __future__ import annotations

from agents.toolkit import refusal
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, path
from agents.toolkit.failing import inside, meanings
from agents.toolkit.jailed import in_jail
from agents.toolkit.trial import Trial

NAME = "failing_scripts"
_SCHEMA = fields({"path": path("Python script")}, "path")
_FILES = {"a.py": "x = [1]\nprint(x[3])\n", "fine.py": "print(1)\n", "b.py": "def f(:\n", "note.txt": "x"}
# What a script does before it fails, it has done.
_FILES["w.py"] = "open('out.txt', 'w').write('x')\nnone\n"

TOOL = Tool(
    NAME,
    "Failing scripts",
    "Runs a Python script without input and without a network, and says why it fails.",
    (
        Command(
            NAME,
            "why",
            "Run a Python script and say why it fails: the error, the line, and what that means.",
            _SCHEMA,
            ("find out why the script {path} fails",),
            "workspace",
            in_jail(inside, _SCHEMA, reads_only=False, parts=(refusal, meanings)),
            ("fails", "error", "file", "line", "why", "printed"),
            ({"path": "main.py"},),
            answers=True,
            trials=(
                Trial({"path": "a.py"}, _FILES, result={"fails": True, "line": 2, "file": "a.py"}, changes=()),
                Trial({"path": "b.py"}, _FILES, result={"fails": True, "line": 1}, changes=()),
                Trial({"path": "fine.py"}, _FILES, result={"fails": False, "printed": "1\n"}, changes=()),
                Trial({"path": "w.py"}, _FILES, result={"fails": True}, changes=("out.txt",)),
                Trial({"path": "note.txt"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
    ),
)
