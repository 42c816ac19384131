"""Looking through code for what is wrong, and mending what can be fixed safely: shown as a diff first, or done.

Only fixes that ruff itself calls safe, never in tests, and none that takes away a name another file asks for. What
these cannot do, a language model may propose, by a command of its own: that is a diff, and never more.
"""

from __future__ import annotations

import json
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.analysis import KIT, SAID_TIME, code_path, time_limit, work
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.saying import Place, Said, sense
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

_WISH = (
    "wish~text > :, with the wish, with the wish to, with the wish that it, the wish be, so that it, so that, wishing, "
    "and ask it to, asking it to, ask it to, and have it, and tell it to, telling it to, wish, my wish be, in order "
    "to, how to, to make it, and make it, with the aim to, with the aim of, the goal be, the aim be, it should"
)
_BETTER = "improve, enhance, optimize, evolve, refactor, better, polish, upgrade, modernize"
_ABOUT_CODE = "code source file folder tool agent component module script"
_ALSO = {"target_path": "path", "analysis_path": "path", "target": "path", "timeout": "timeout_s", "file": "path"}
_CODE_PLACE = {"path": Place("any", code=True)}
_BY_RULES = (
    "rules~codes > by the rules, by rules, with the rules, following the rules, for the rules, by the rule, by rule, "
    "rules, "
    "the rule, rule, only the rule, only the rules, only for the rule, only for rule, but only for rule, but only for "
    "the rule, but only for, but only, for the rule, for rule, only, "
    "for, of"
)

_SAID = {
    "audit": Said(
        (
            sense(
                "audit, vet, look for faults in, look for problems in, look for bugs in, find problems in, find bugs "
                "in, find faults in, find issues in, check for faults, check … for problems, check … for bugs, check "
                "… for faults, check … for issues, check … for dangers, check … for errors, check … for mistakes, "
                "check … for vulnerabilities, check … for weaknesses, check … for flaws, lint, are there any problems "
                "in, are there any bugs in, are there bugs in, are there problems in, are there issues in, are there "
                "any issues in, are there faults in, search … for bugs, search … for problems, search … for faults, "
                "scan … for bugs, scan … for problems, scan … for issues, scan … for vulnerabilities, what is wrong "
                "with, what is wrong in, what be wrong with, what be wrong in, are there any faults in, do … have "
                "problems, do … have bugs, do … have issues, do … have faults, do … have any bugs, do … have any "
                "problems, do … have any issues, search for bugs in, search for problems in, search for "
                "vulnerabilities in, look for security problems in, look for vulnerabilities in, look for issues in, "
                "look for mistakes in, find mistakes in, find errors in, find vulnerabilities in, find security "
                "problems in, look for dead code in, look for unused code in, find dead code in, find unused code in, "
                "is something wrong with, is something wrong in, is anything wrong with, is anything wrong in, are "
                "there unused imports in, are there any unused imports in, any unused imports in, any unused code in, "
                "any dead code in, any security problems in, any vulnerabilities in, are there vulnerabilities in, "
                "are there any vulnerabilities in, are there security problems in, are there any security problems "
                "in, which imports be unused in, which imports be not used in, what code be unused in, what code be "
                "dead in, find unused imports in, look for unused imports in, find security holes in, look for "
                "security holes in, any bugs in, any problems in, any issues in, any faults in, is there dead code "
                "in, is there unused code in, is there any dead code in, search for dead code in, run an audit of, "
                "run audit on, run an audit on, run audit over, do audit of, do audit on, make audit of, perform "
                "audit of, perform audit on, carry out audit of, want audit of, need audit of, give … audit of, have "
                "… audited, run linter on, run linter over, is anything unused in, is something unused in, anything "
                "unused in, what be unused in, what be broken in, what be wrong about, go through … and tell … what "
                "be wrong with it, go through … and tell … what be wrong, look through … and tell … what be wrong "
                "with it",
                "*path > in, of, below, on, for, from, over",
                SAID_TIME,
                about=f"{_ABOUT_CODE} audit all whole",
                never="notes log logs fix fixes model llm ai",
            ),
            sense(
                "show, give, get, make, do, want, need, run, perform",
                "*path > in, of, below, on, for, over",
                SAID_TIME,
                about=f"{_ABOUT_CODE} all whole full security",
                key="audit",
                never="notes log fix fixes model llm ai report commit",
            ),
        ),
        _CODE_PLACE,
        _ALSO,
    ),
    "propose_fixes": Said(
        (
            sense(
                "propose, suggest, show, recommend, which, what, work out, list, offer, give, find, preview, think of",
                "*path > for, in, of, to, on, below",
                _BY_RULES,
                SAID_TIME,
                about=(
                    f"{_ABOUT_CODE} fix fixes safe improvement improvements repair repairs correction "
                    f"corrections suggestion propose ruff linter lint automatic possible"
                ),
                key="fix fixes improvement improvements repair repairs correction corrections",
                never="apply make carry perform implement model llm ai typo typos commit",
            ),
            sense(
                "make proposal of, make proposal for, make suggestions for, make suggestion for, give suggestions "
                "for, how "
                "could … be improved, how can … be improved, how could … improve, how can … improve, what would … "
                "fixed in, "
                "what would … fix in, show … would be fixed in, show … would fix in, what can be improved in, what "
                "can be fixed "
                "in, what could be fixed in",
                "*path > in, of, to, below, for",
                _BY_RULES,
                SAID_TIME,
                about=f"{_ABOUT_CODE} fix fixes improvements",
                never="model llm ai",
            ),
            sense(
                _BETTER + ", what could be improved in, make … better, what could be better in",
                "*path > of, in, below, to, for",
                _BY_RULES,
                SAID_TIME,
                about=f"{_ABOUT_CODE} quality",
                never=(
                    "model llm ai bug bugs typo typos error errors test tests text name sentence word function wording "
                    "automatically spelling"
                ),
            ),
            sense(
                "tidy, tidy up",
                "*path > of, in, below",
                _BY_RULES,
                SAID_TIME,
                about=f"{_ABOUT_CODE} quality",
                wants="path",
            ),
        ),
        _CODE_PLACE,
        _ALSO,
    ),
    "apply_fixes": Said(
        (
            sense(
                "apply, make, carry out, do, perform, implement, put in, execute, run",
                "*path > to, in, of, for, on, below",
                _BY_RULES,
                SAID_TIME,
                about=(
                    f"{_ABOUT_CODE} fix fixes safe repair repairs correction corrections improvements all ruff "
                    "linter automatic"
                ),
                key="fix fixes repair repairs correction corrections",
                never="propose suggest proposal proposals suggestion suggestions preview model llm ai commit",
            ),
            sense(
                # Whoever says fix wants it done; whoever says improve, what could be.
                "fix, repair, mend, fix up, fix what is safe in, fix what … find in, repair what … find in, fix "
                "whatever … find in, repair whatever … find in, mend what … find in, fix everything that … find in, "
                "fix all that … find in, fix what can … fixed in, repair what can … repaired in, mend what can … "
                "mended in, fix whatever can … fixed in, repair whatever can … repaired in, fix everything that can … "
                "fixed in, fix what may … fixed in, correct what can … corrected in, fix all that can … fixed in",
                "*path > of, in, below, to, for",
                _BY_RULES,
                SAID_TIME,
                about=f"{_ABOUT_CODE} quality safe safely automatically ruff linter",
                never=(
                    "model llm ai bug bugs typo typos error errors test tests text name sentence word function wording "
                    "spelling problem problems issue issues crash import imports"
                ),
            ),
            sense(
                "remove|delete|drop|strip|clean [all|any] [the] unused imports from|in|of, clean|clear up [the] "
                "unused imports in|of, get rid of [all] [the] unused imports in|from, take|throw|clean [all|the] "
                "unused imports out of, remove [the|all] imports that be not used from|in, remove imports that nobody "
                "uses from|in",
                "*path > in, of, from",
                SAID_TIME,
                about=f"{_ABOUT_CODE} all",
                rules="F401",
            ),
            sense(
                "auto-fix, autofix, fix … automatically, repair … automatically",
                "*path > in, of",
                SAID_TIME,
                _BY_RULES,
                about=f"{_ABOUT_CODE} automatically problems issues faults everything",
            ),
        ),
        _CODE_PLACE,
        _ALSO,
    ),
    "send_file_to_model": Said(
        (
            sense(
                "send … to the language model, send … to the model, send … to a model, ask … model to improve, "
                "ask … model to mend, have … model improve, let … model improve, ask … model for improvements of, "
                "ask … model for improvements to, use … model to improve, get … model to improve, improve, "
                "enhance, mend",
                "*path > of, to, the file",
                _WISH,
                SAID_TIME,
                about=f"{_ABOUT_CODE} model language llm ai by with improvements improvement for",
                key="model llm ai",
                never="summarize summary notes translate explain",
            ),
            sense(
                "suggest, propose, recommend, find, work out, think of, look at … and suggest, look at … and "
                "propose, look over … and suggest, go over … and suggest, look at … and say, suggest improvements "
                "for, suggest improvements to, suggest improvements of, suggest changes to, suggest changes for, "
                "propose changes to, propose changes for, improve, enhance, mend, fix, rework, refactor, polish, "
                "tidy up, clean up, rewrite",
                "*path > of, to, for, in, the file",
                _WISH,
                SAID_TIME,
                about=f"{_ABOUT_CODE} model language llm ai by with improvements improvement changes for better fixes",
                key="model llm ai",
                never="summarize summary notes translate explain",
            ),
            sense(
                "send … to the language model, send … to the model, send … to a model, send … to model, give … to the "
                "model, let … model suggest, let … model propose, have … model suggest, have … model propose, ask … "
                "model to "
                "suggest, ask … model to propose",
                "*path > the file",
                _WISH,
                SAID_TIME,
                about=f"{_ABOUT_CODE} model language llm ai improvements improvement for improving",
                key="improvement improvements improve improving wish mend better fix fixes",
                never="summarize summary notes",
            ),
        ),
        {"path": Place("file", code=True)},
        {**_ALSO, "instruction": "wish"},
    ),
}

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
            tells_changes="diff",
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
    _SAID,
)
