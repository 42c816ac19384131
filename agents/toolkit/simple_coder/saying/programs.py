"""How people say that programs run, start, stop and what they wrote."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Said, sense
from agents.toolkit.simple_coder.saying.words import SHOW

SAID: Mapping[str, Said] = {
    "run": Said(
        (
            sense(
                "run, execute, launch, call, perform, start, carry out, fire up, invoke, do run of, give … run, have … "
                "run, have … executed, let … run, kick off",
                "*command_line~line > the command, the program, the script, command, program, script, command "
                "line, the command line",
                "stdin~text > with the input, with input, giving it the input, and type, feeding it, with stdin",
                "timeout_s > within, for at most, at most, in at most, with a timeout of, with timeout, timeout, "
                "timeout of, with a time limit of, "
                "with a limit of, in under, in less than, no longer than, stop after, for no more than < "
                "seconds, second, secs, s",
                "hosts~hosts > with access to, with network access to, allowing access to, may reach, and let it reach",
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
                "start, launch, run, begin, fire up, spin up, boot, kick off, execute",
                "*command_line~line > the program, the command, the script, program, command",
                "name~word > as, named, with name, with the name, under the name, under the name of, as the "
                "program, as program, and call it, call it, and name it, in the background as, in background as, in "
                "the "
                "background under the name, in the background named, in the background with the name, and name it, "
                "as the background program, as a background program named, as a program named, name",
                about="program command background bg",
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
