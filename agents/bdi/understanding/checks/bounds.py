"""What is never planned from a loose reading, however sure it looks: running what only sounds like a command line, and
deleting or overwriting what was named in other words. The plan is then the first answer to a question.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from agents.bdi.understanding.names.paths import Tree, is_in_table
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.values.line_values import RUNNING, SCRIPT_HEADS, SPEAKING
from agents.bdi.understanding.words.tokens import tokens_of
from agents.bdi.understanding.words.written_paths import has_ending
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param
from agents.toolkit.wording.words import QUOTES

_LINE = "command_line"
# “make lint”, “pytest tests”: a program and one plain word behind it may be typed so.
_PLAIN_WORDS = 1


def loose(meant: Sequence[Meant], text: str, tree: Tree, registry: Registry) -> Iterator[str]:
    """Why these commands are not taken without an answer, in a sentence each."""
    spoken = text.casefold()
    for one in meant:
        line = one.params.get(_LINE)
        if line is not None and not _is_command_line(line, one, text):
            yield f"“{line.value}” was not given as a command line; put what is to run in quotes."
        command = registry.command(one.tool, one.command)
        if not command.destroys(one.values()):
            continue
        for name in registry.said(command).places:
            param = one.params.get(name)
            if param is None or param.origin != "mapping" or is_in_table(param.original, tree):
                continue
            # “Read a.csv and delete it” names it exactly, too.
            if posixpath.basename(str(param.value)).casefold() not in spoken:
                yield f"“{param.original}” is not exactly the name of {param.value}, which would be lost."


def _is_command_line(line: Param, one: Meant, text: str) -> bool:
    """Whether the words show that they are to be typed: quoted, a program with its arguments, a script by its file
    name or as “the script …”, or packages to be installed.
    """
    if line.span is None:
        return True
    start, end = line.span
    said = text[start:end].split()
    if not said or set(QUOTES).intersection(text[max(start - 1, 0) : start + 1]) or _is_made(line, text):
        return True
    program, behind = said[0], said[1:]
    plain = [word for word in behind if word.isalpha()]
    if program in SPEAKING or any(word.startswith("-") for word in behind):
        return True
    if "/" in program or has_ending(program):
        return not plain
    if program in RUNNING:
        return len(plain) <= _PLAIN_WORDS or len(plain) < len(behind)
    return any(token.text in SCRIPT_HEADS for token in tokens_of(one.text)) and line.origin == "mapping"


def _is_made(line: Param, text: str) -> bool:
    """Whether a command’s own way of being said became this line: packages to install, “the last lines of x”."""
    program = str(line.value).split(" ", 1)[0]
    is_script = program == "python" or program.startswith("./")
    return line.origin == "mapping" and not is_script and (program == "pip" or program not in text)
