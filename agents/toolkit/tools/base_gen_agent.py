"""Documentation of a code base as Markdown: modules, classes, functions, who imports whom, where it starts.

Read from the text of the files alone; nothing is imported or run.
"""

from __future__ import annotations

from agents.toolkit.analysis import KIT, SAID_TIME, code_path, time_limit, work
from agents.toolkit.command import Command, Tool
from agents.toolkit.describing import fields, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.saying import Place, Said, sense
from agents.toolkit.trial import Trial

NAME = "base_gen_agent"
_WRITE = fields({"path": code_path(), "to": path("Folder for the pages"), "timeout_s": time_limit()}, "to")
_CODE = {
    "src/app/__init__.py": '"""An app."""\n',
    "src/app/core.py": "from app import other\n\n\ndef answer(a: int = 1) -> int:\n    return a\n",
    "src/app/other.py": "LIMIT = 5\n",
}

_SAID = {
    "document": Said(
        (
            sense(
                "document, write documentation of, write documentation for, write the documentation for, write the "
                "documentation of, write the documentation, write documentation about, generate documentation of, "
                "generate documentation for, make documentation from, make documentation of, make documentation "
                "for, create documentation for, create documentation of, create documentation, generate "
                "documentation, make documentation, write documentation, generate docs for, write docs for, create "
                "docs for, make docs for, generate docs, produce documentation of, produce documentation for, "
                "describe, write docs of, generate docs of, make docs of, create docs of, want documentation of, "
                "want documentation for, like documentation of, like documentation for, need documentation for, "
                "need documentation of, need docs for, want docs for, have … documented, want … documented, need … "
                "documented, make api docs of, make api docs for, generate api docs for, generate api docs of, "
                "create markdown documentation of, generate markdown documentation of, write markdown documentation "
                "of, do documentation of, put documentation of, put documentation for, make pages about, write "
                "pages about, create pages about, generate pages about, make markdown pages about, write markdown "
                "pages about, generate markdown pages about, generate doc pages of, generate doc pages for, "
                "generate doc pages from, make doc pages of, make doc pages for, write doc pages of, write doc "
                "pages for",
                "*path > in, of, below, for, from, about",
                "to > into the folder, in the folder, to the folder, into, to, in, under, and put it in, and put it "
                "into, and save it to, and save it in, as, put pages in, put pages into, put the pages in, put the "
                "pages into, and put the pages in, and put the pages into, and put pages in, and put them in, put "
                "them in, store them in, save them in, save it in, save it to, put it in, pages go to",
                SAID_TIME,
                about=(
                    "code source module documentation docs pages markdown base gen agent file api project codebase "
                    "reference full whole all"
                ),
                never="notes commit branch report summary read show open delete remove copy move rename list",
            ),
            sense(
                "make, give, generate, create, write, want, need, get, have, do, produce",
                "*path > of, for, about",
                "to > into the folder, in the folder, to the folder, into, to, in, under, and put it in, put it in, "
                "put it "
                "into, and put it into, put them in, put them into, save it in, generated into, written to, written "
                "into",
                SAID_TIME,
                about="code source module pages markdown api file project codebase full whole all",
                key="documentation docs",
                never="notes commit branch report summary read show open delete remove copy move rename list",
                wants="to",
            ),
        ),
        {"path": Place("any", code=True), "to": Place("new", makes="folder")},
        {
            "root_path_str": "path",
            "root_path": "path",
            "source": "path",
            "output": "to",
            "destination": "to",
            "timeout": "timeout_s",
        },
    ),
}

TOOL = Tool(
    NAME,
    "Documentation writer",
    "Markdown pages about a code base: its modules, classes and functions, and how they hang together.",
    (
        Command(
            NAME,
            "document",
            "Write Markdown pages about code, one for each module and one that leads to all.",
            _WRITE,
            (
                "document the code in {path} in the folder {to} [within {timeout_s} seconds]",
                "(document|write documentation of) [the] code (in|of|below) [the (file|folder)] {path} (to|into|in) "
                "[the folder] {to}",
            ),
            "workspace",
            in_jail(work, _WRITE, reads_only=False, kit=KIT, do="document"),
            ("message",),
            ({"path": "src", "to": "docs/code"},),
            beliefs_added=("there is a folder named {to}",),
            trials=(
                Trial({"path": "src", "to": "docs"}, _CODE, changes=("docs", "docs/*")),
                Trial({"path": "nowhere", "to": "docs"}, _CODE, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
    ),
    _SAID,
)
