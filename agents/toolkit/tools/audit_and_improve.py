"""Looking through code for what is wrong, and mending what can be mended safely: shown as a diff first, or done.

Only fixes that ruff itself calls safe, never in tests, and none that takes away a name another file asks for. What
these cannot do, a language model may propose, by a command of its own: that is a diff, and never more.
"""

from __future__ import annotations

import json
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.analysis import KIT, code_path, time_limit, work
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.trial import Trial

NAME = "audit_and_improve"


def _rules() -> dict[str, Any]:
    """Ruff's rules by their letters and digits: they become an argument, so nothing else may stand there."""
    return line(
        "Rules of ruff, with commas between them",
        200,
        pattern=r"^[A-Z]{1,6}[0-9]{0,4}(, ?[A-Z]{1,6}[0-9]{0,4}){0,29}\Z",
    )


_CODE = {
    "src/main.py": "import os, sys\nprint(not 1 in sys.argv)\n",
    "src/test_main.py": "assert not 1 in (2,)\n",
    "src/kept.py": "import re\n",
}
_LOOK = fields({"path": code_path(), "timeout_s": time_limit()})
_MEND = fields({"path": code_path(), "rules": _rules(), "timeout_s": time_limit()})
_SEND = fields(
    {"path": path("File"), "wish": line("What should become better", 1000), "timeout_s": time_limit()}, "path"
)
_ONE_CHANGE = {
    "find": "password == word",
    "replace": "compare(password, word)",
    "why": "It takes the same time always.",
}
_WITH_FAULT = {"src/main.py": "def is_same(password, word):\n    return password == word\n"}

TOOL = Tool(
    NAME,
    "Audit and improve",
    "Findings about code, and the fixes that are safe: as a diff to look at, or made. What these cannot do, a language "
    "model proposes for one file, by a command of its own.",
    (
        Command(
            NAME,
            "audit",
            "Look through code for faults, dangers and what nothing uses, without running it.",
            _LOOK,
            (
                "audit the code in {path} [within {timeout_s} seconds]",
                "audit [all] [the] code (in|of|below) [the (file|folder)] {path}",
            ),
            "idempotent",
            in_jail(work, _LOOK, reads_only=True, kit=KIT, do="analyse"),
            ("message",),
            ({"path": "src"},),
            trials=(Trial({"path": "src"}, _CODE, changes=()),),
        ),
        Command(
            NAME,
            "propose_fixes",
            "Work out the safe fixes of code and show them as a diff. No file is changed.",
            _MEND,
            (
                "propose safe fixes for the code in {path} [by the rules {rules}] [within {timeout_s} seconds]",
                "(propose|show|suggest) [safe] fixes (for|of) [the] code (in|of|below) [the (file|folder)] {path}",
            ),
            "idempotent",
            in_jail(work, _MEND, reads_only=True, kit=KIT, do="propose"),
            ("message", "diff"),
            ({"path": "src"}, {"path": "src", "rules": "F, UP"}),
            trials=(
                Trial({"path": "src"}, _CODE, changes=()),
                Trial({"path": "nowhere"}, _CODE, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        Command(
            NAME,
            "apply_fixes",
            "Make the safe fixes of code; the step's changes show each of them.",
            _MEND,
            (
                "apply safe fixes to the code in {path} [by the rules {rules}] [within {timeout_s} seconds]",
                "(apply|make) [the] [safe] fixes (to|of|for) [the] code (in|of|below) [the (file|folder)] {path}",
            ),
            "workspace",
            in_jail(work, _MEND, reads_only=False, kit=KIT, do="apply"),
            ("message", "diff"),
            ({"path": "src"},),
            trials=(
                Trial({"path": "src"}, _CODE, changes=("src/main.py",)),
                Trial({"path": "src", "rules": "F401"}, _CODE, changes=("src/kept.py", "src/main.py")),
            ),
        ),
        Command(
            NAME,
            "send_file_to_model",
            "Have a language model propose changes to one file, beyond what safe fixes do. "
            + finishing.SERVICES[finishing.MODEL_CHANGES].words,
            _SEND,
            (
                "send the file {path} to the language model for improvements [with the wish {wish}] "
                "[within {timeout_s} seconds]",
                "(improve|mend) [the file] {path} (by|with) (a|the) [language] model",
                "ask (a|the) [language] model (for improvements of|to improve|to mend) [the file] {path}",
            ),
            "keyed",
            in_jail(work, _SEND, reads_only=True, kit=KIT, do="send"),
            ("message", "diff"),
            ({"path": "src/main.py"}, {"path": "src/main.py", "wish": "say what each function is for"}),
            trials=(
                Trial({"path": "src/main.py"}, _WITH_FAULT, said=json.dumps({"changes": [_ONE_CHANGE]}), changes=()),
                Trial(
                    {"path": "src/main.py"}, _WITH_FAULT, said="Certainly!", error="TOOL_EXECUTION_ERROR", changes=()
                ),
                Trial({"path": "src"}, _WITH_FAULT, error="INVALID_PARAMETERS", changes=()),
            ),
            finish=finishing.MODEL_CHANGES,
        ),
    ),
)
