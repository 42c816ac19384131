"""Repositories for git_tool, made by the git of this machine before a jail sees them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = {f"GIT_{role}_{part}": "mia@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
_ALONE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"]}
# The jail's uid owns a workspace that a session was opened over.
_ALONE |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}


def git(folder: Path, *words: str, check: bool = True) -> str:
    """What git says in a folder, with no settings but the repository's own."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env=_WHO | _ALONE, check=check, capture_output=True, text=True, timeout=45
    )
    return done.stdout


def repository(folder: Path, **files: str) -> Path:
    """A repository on the branch main with one commit of these files, named by words with _ for the dot."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for name, content in (files or {"a_txt": "one\n"}).items():
        (folder / name.replace("_", ".")).write_text(content)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=first")
    return folder
