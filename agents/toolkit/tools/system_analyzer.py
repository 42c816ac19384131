"""Looking at a code base: how large and how intricate it is, its probable faults and dangers, what nothing uses.

Nothing of the code is run or imported. The analysers are ruff and vulture (docs/decisions/0011).
"""

from __future__ import annotations

from agents.toolkit.analysis import KIT, SAID_TIME, code_path, time_limit, work
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.saying import Place, Said, sense
from agents.toolkit.trial import Trial

NAME = "system_analyzer"
_LOOK = fields({"path": code_path(), "timeout_s": time_limit()})
_WRITE = fields({"path": code_path(), "to": path("Markdown file for the report"), "timeout_s": time_limit()}, "to")
_CODE = {"src/main.py": "import os\n\n\ndef answer():\n    return eval('6 * 7')\n"}

_LOOK_AT = (
    "analyze, review, assess, evaluate, examine, measure, study, inspect, scrutinize, do analysis of, do an "
    "analysis of, run analysis on, run an analysis on, run an analysis of, perform an analysis of, make an analysis "
    "of, make analysis of, how good is, how complex is, how large is, how is the quality of, check the quality of, "
    "check … quality, go over, look over, rate, judge, do code review of, do code analysis of, do review of, make "
    "review of, perform analysis of, perform code analysis of, perform review of, run code analysis on, make code "
    "analysis of, want analysis of, need analysis of, want review of, need review of, give … analysis of, give … "
    "review of, what be the complexity of, what be the quality of, how be the code quality in, how be the quality "
    "in, check the complexity of, measure the complexity of, do quality check of, what do you think of, what do … "
    "think about, how well is … written, how is … written, how complicated is, how big is, how messy is, how clean "
    "is, how healthy is, how well written is, how well is, how good be, look at the quality of, have a look at the "
    "quality of, check how good, see how good, be interested in the quality of, know the quality of, know how good, "
    "like to know how good, what shape be … in, how solid be, how maintainable be, how readable be"
)
_ABOUT_CODE = (
    "code source file folder tool agent component module script quality all whole project codebase system complexity "
    "complex analysis review detailed thorough full static"
)
_NO_CODE = "notes commit branch branches log logs diff sentence sentences summary model llm ai csv data"
_ALSO = {"target_path": "path", "analysis_path": "path", "target": "path", "timeout": "timeout_s", "file": "path"}

_SAID = {
    "analyze": Said(
        (
            sense(
                _LOOK_AT,
                "*path > in, of, below, on, for, from",
                SAID_TIME,
                about=_ABOUT_CODE,
                never=f"{_NO_CODE} report content contents",
            ),
            sense(
                "show, give, get, make, do, want, need, run, perform",
                "*path > in, of, below, on, for",
                SAID_TIME,
                about=_ABOUT_CODE,
                key="analysis review complexity",
                never=f"{_NO_CODE} report write audit bug bugs",
            ),
        ),
        {"path": Place("any", code=True)},
        _ALSO,
    ),
    "write_report": Said(
        (
            sense(
                "write, make, create, generate, produce, prepare, compile, save, put, give, want, need, have, do, "
                "get, draw up, write report, make report, create report, generate report, produce report, write "
                "report on, write report "
                f"about, make report about, make report on, {_LOOK_AT}",
                "*path > about, on, of, for, about the code in, on the code in, of the code in, on the code of, "
                "about the code of, on the quality of, about the quality of, in",
                "to > to the file, into the file, to, into, in the file, in file, as, in, and save it to, and save it "
                "as, and put it into, and "
                "save it in, and write it to, "
                "and put it in, and write a report to, and write the report to",
                SAID_TIME,
                about=f"{_ABOUT_CODE} report static-analysis static analysis markdown",
                key="report",
                never="notes commit branch mail email read show open delete remove copy move summarize",
            ),
            sense(
                "create, make, write, produce, generate, save",
                "*to > to, as, the file",
                "path > with an analysis of, with the analysis of, with a report on, with a report about, with a "
                "report of, with the report on, with a review of, with the results of an analysis of, with the "
                "analysis results of, containing an analysis of, containing a report on, containing a report about, "
                "holding an analysis of, about the quality of, on the quality of, with the quality of",
                SAID_TIME,
                about=f"{_ABOUT_CODE} report",
                key="report analysis review quality",
                wants="path",
                never="notes commit branch mail email",
            ),
        ),
        {"path": Place("any", code=True), "to": Place("new", makes="file")},
        {**_ALSO, "output": "to", "report": "to", "destination": "to"},
    ),
}

TOOL = Tool(
    NAME,
    "System analyzer",
    "Size, complexity, probable faults, security findings and unused code of a code base, with charts.",
    (
        Command(
            NAME,
            "analyze",
            "Look at code without running it, and report what was found.",
            _LOOK,
            (
                "analyze the code in {path} [within {timeout_s} seconds]",
                "(analyze|analyse|review|assess) [all] [the] code (in|of|below) [the (file|folder)] {path}",
                "(analyze|analyse) [all] the code",
            ),
            "idempotent",
            in_jail(work, _LOOK, reads_only=True, kit=KIT, do="analyse"),
            ("message",),
            ({"path": "src"}, {"path": "main.py", "timeout_s": 20}),
            trials=(
                Trial({"path": "src"}, _CODE, changes=()),
                Trial({"path": "nowhere"}, _CODE, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        Command(
            NAME,
            "write_report",
            "Look at code without running it, and write the report to a Markdown file.",
            _WRITE,
            (
                "write a report about the code in {path} to the file {to} [within {timeout_s} seconds]",
                "write a [code] report about [the code (in|of)] [the (file|folder)] {path} (to|into) [the file] {to}",
            ),
            "workspace",
            in_jail(work, _WRITE, reads_only=False, kit=KIT, do="analyse"),
            ("message",),
            ({"path": "src", "to": "docs/code.md"},),
            beliefs_added=("there is a file or folder named {to}",),
            trials=(Trial({"path": "src", "to": "code.md"}, _CODE, changes=("code.md",)),),
        ),
    ),
    _SAID,
)
