"""`python -m sandbox`: a jailed session for people, interactive or from a script.

Exit codes: 0 every command succeeded, 1 one failed, 2 wrong usage, 3 the sandbox is not available.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from sandbox.console.terminal import Terminal, interact
from sandbox.contract import SandboxError, SessionState
from sandbox.gate.hosts import HostRefused
from sandbox.jail.probe import LEVELS
from sandbox.places import data_folder
from sandbox.sessions.session import open_session
from sandbox.store.snapshots import SnapshotStore

_FAILED, _USAGE, _UNAVAILABLE = 1, 2, 3


def main() -> int:
    arguments = _arguments()
    # The banner, errors and exit codes replace what the sandbox logs for operators.
    logging.getLogger("sandbox").addHandler(logging.NullHandler())
    root = Path(arguments.root) if arguments.root else data_folder() / "sandbox" / "terminal"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # if a terminal cannot show a character, write its number
    try:
        root.mkdir(parents=True, exist_ok=True)
        store = SnapshotStore(data_folder() / "sandbox" / "undo")
        minimum = os.environ.get("MINDX_SANDBOX_MIN", LEVELS[-1])
        with open_session(root, SessionState(), minimum=minimum, store=store, hosts=arguments.host) as session:
            if arguments.command:
                return _script(Terminal(session, as_json=arguments.json), arguments.command)
            interact(session, root, data_folder() / "sandbox" / "history", as_json=arguments.json)
            return 0
    except HostRefused as error:
        print(f"--host: {error}", file=sys.stderr)
        return _USAGE
    except SandboxError as error:
        print(f"The sandbox failed: {error}", file=sys.stderr)
        return _UNAVAILABLE
    except BrokenPipeError:
        # The reader of the output has gone; without this Python would complain again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except OSError as error:
        print(f"{root} cannot be used: {error}", file=sys.stderr)
        return _USAGE


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description="Open a sandboxed session over one folder.")
    parser.add_argument("--root", metavar="DIR", help="folder to work in (default: in the data folder)")
    parser.add_argument("-c", dest="command", action="append", metavar="COMMAND", help="run it and exit; repeatable")
    parser.add_argument(
        "--host", action="append", default=[], metavar="HOST", help="a host that programs may reach: a name"
        " or address, with a port unless it is 80 or 443, or packages (the package index); repeatable",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one line of JSON for each command")
    return parser.parse_args()


def _script(terminal: Terminal, lines: Iterable[str]) -> int:
    """Run commands until one fails."""
    return 0 if all(terminal.do(line) for line in lines if line.strip()) else _FAILED


if __name__ == "__main__":
    sys.exit(main())
