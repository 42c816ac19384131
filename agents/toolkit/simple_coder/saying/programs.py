"""How people say that programs run, start, stop and what they wrote."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Said, sense
from agents.toolkit.simple_coder.saying.words import SHOW

_ACCESS = "[network|internet|web] access"
_REACH = "reach|access|contact|talk|connect|speak [to]"

SAID: Mapping[str, Said] = {
    "run": Said(
        (
            sense(
                "run, execute, launch, call, perform, start, carry out, fire up, invoke, do run of, give … run, have … "
                "run, have … executed, let … run, kick off",
                "*command_line~line > the command, the program, the script, command, program, script, command "
                "line, the command line",
                "stdin~quoted > with [the|this] input|stdin [of|being], giving|feeding|passing|sending it [the] "
                "[input], feed|give|pass|send|hand it [the] [input|text|word|line], type|enter [in] [the] [word|text], "
                "pipe [in] < as [its|the] [standard] input, to|on [its|the] stdin, into|to it",
                "timeout_s > within, for at most, at most, with [a] timeout [of], timeout [of], with a [time] limit of "
                "< seconds",
                f"hosts~hosts > with {_ACCESS} to, allowing|granting|giving|having {_ACCESS} to, "
                f"may|can|should|must [only] {_REACH}, needs|has to {_REACH}, needs {_ACCESS} to, let|letting it "
                f"{_REACH}, "
                f"allow|allowing|give|giving|grant it {_ACCESS} to, allow|allowing [the] host|hosts",
                about="program command script",
                flags={
                    "in a terminal": ("terminal", True),
                    "at a terminal": ("terminal", True),
                    "with a terminal": ("terminal", True),
                },
                never="background audit analysis note venv virtualenv fixes tests api website app repo repository",
            ),
            sense(
                "install, pip install, pip3 install, have … installed, need … installed, want … installed, get … "
                "installed, do pip install of, put in, do install of",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the module, the python package, the python library, from, listed in, in, of",
                "hosts~hosts > with access to",
                about=(
                    "package library module pip dependency dependencies requirement requirements python everything all"
                ),
                line="pip install {}",
                never="which what list show uninstall app application driver windows",
            ),
            sense(
                "install what is in, install everything in, install all in, install everything from, install all from",
                "*command_line~packages",
                about="packages package libraries the of listed",
                line="pip install {}",
            ),
            sense(
                "install, pip install, need … installed, have … installed, get … installed, want … installed",
                about="python all our needed listed",
                key="requirements",
                command_line="pip install -r requirements.txt",
            ),
            sense(
                "add, get, need, want, set up, put in",
                "*command_line~packages > the package, package, packages, the packages, the library, library, "
                "the python package, the python library",
                about="pip python",
                key="package packages library libraries dependency dependencies",
                line="pip install {}",
                never="which what list show documentation docs",
            ),
            sense(
                f"{SHOW}, give, tail, get, want, need, have, what be, what do … say at, let … see",
                "*command_line~lastlines",
                about="file line lines row rows entry entries",
                key="last final bottom tail end",
                never="-n -f -c changed modified edited commit commits note notes week month version used branch page",
            ),
            sense(
                "list, show, which … installed, what … installed, print, give, display, see, pip list",
                about="python pip packages libraries modules are",
                key="installed",
                command_line="pip list",
                never="folder file",
            ),
        ),
        {},
        {"command": "command_line", "cmd": "command_line", "timeout": "timeout_s", "input": "stdin"},
    ),
    "start": Said(
        (
            sense(
                "start, launch, run, begin, fire up, spin up, boot, kick off, execute, start up, bring up, have … "
                "running, "
                "need … running, want … running, get … running, keep … running, leave … running, let … run",
                "*command_line~line > the program, the command, the script, program, command",
                "name~word > as [the|a] [background] [program|process|service|job], [in|into] [the] background "
                "as|named|called, "
                "in the background under|with the name [of], [as] [a] [background] [program|process|service] named, "
                "named, "
                "under|with|by [the] name [of], [and|then] call|name|title|label|christen it|this, [and|then] give it "
                "the "
                "name [of], name",
                about="program command background bg again running job process",
                never="venv virtualenv repository repo branch mode",
            ),
        ),
        {},
        {"command": "command_line", "cmd": "command_line"},
        it="program {name}",
    ),
    "process_log": Said(
        (
            sense(
                f"{SHOW}, what do … write, what do … print, what do … say, what is … saying, what is … writing, "
                f"what be … printing, what have … written, what have … printed, what program … write, what program … "
                "print, what process … write, give, get, tail, follow, list, want, "
                "need",
                "*name~word > of program, of the program, from program, from the program, of the process, of process, "
                "from the process, of, from, program, the program, for, did the program, process, the process, of the "
                "background program",
                "from_byte > from byte, starting at byte, starting from byte, beginning from byte, beginning at byte, "
                "beginning with byte, after byte",
                about="log output program started process saying print written say writing logs background so far 's",
                key="program process output",
                never="commit commits git branch file audit",
            ),
        ),
        {},
        {"program": "name"},
        it="program {name}",
    ),
    "stop": Said(
        (
            sense(
                "stop, end, kill, terminate, shut down, shut … down, halt, quit, close, cancel, abort, bring down, "
                "bring "
                "… down, bring … to stop, have … stopped, put end to",
                "*name~word > the program, program, the process, process, named, the running program",
                about="program process started running background",
                never=(
                    "all every everything processes programs computer machine system pc working venv virtualenv "
                    "environment mode branch note file folder plan goal of"
                ),
            ),
        ),
        {},
        {"program": "name", "process": "name"},
        it="program {name}",
    ),
}
