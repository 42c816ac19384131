"""Git on a repository that nobody trusts, so that nothing the repository names is run. Lives in the jail.

A repository's configuration can name programs for nearly everything git does: hooks, a file watcher, filters, drivers
for differences, pagers, signers, helpers for credentials. To forbid each by its name would be a list with holes. So git
is given a folder of its own instead of the repository's `.git`: its objects, branches and index are the repository's,
its configuration is written here and its hooks and attributes do not exist.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from agents.toolkit.refusal import Refused

MOST_SAID = 1_500
_SHARED = ("objects", "refs", "logs", "packed-refs", "shallow", "info/exclude", "info/sparse-checkout")
# What git notes beside the branches, and puts into its own folder: it comes along, and goes back after a change.
_NOTES = ("HEAD", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_KEPT_SETTINGS = {
    "core.filemode": ("true", "false"),
    "core.symlinks": ("true", "false"),
    "core.ignorecase": ("true", "false"),
    "core.autocrlf": ("true", "false", "input"),
    "core.eol": ("lf", "crlf", "native"),
    "core.sparsecheckout": ("true", "false"),
    "core.sparsecheckoutcone": ("true", "false"),
    "extensions.objectformat": ("sha1", "sha256"),
}
_OWN_SETTINGS = {
    "core.bare": "false",
    "core.quotepath": "false",
    "core.hookspath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesfile": "/dev/null",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "diff.ignoresubmodules": "all",
    "protocol.allow": "never",
    "commit.gpgsign": "false",
}
_REVISION = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_./@{}~^+-]{0,199}")


def found(path: str) -> tuple[Path, Path]:
    """The folder with the files and its `.git`, at `path` or above it, but never above the workspace."""
    start = Path(path).resolve()
    if not start.is_dir():
        raise Refused("INVALID_PARAMETERS", f"{path} is no folder")
    # The session's folder is in the workspace; what is above the workspace belongs to the jail.
    for folder in (start, *start.parents):
        place = folder / ".git"
        if place.is_file() or place.is_symlink():
            reason = "its .git leads elsewhere: a linked work tree or a submodule, which is not worked in"
            raise Refused("INVALID_PARAMETERS", f"{folder.name or path} cannot be used; {reason}")
        if place.is_dir() and (place / "HEAD").exists() and (place / "objects").is_dir():
            return folder, place
        if not os.access(folder.parent, os.W_OK) or folder.parent == folder:
            break
    raise Refused("INVALID_PARAMETERS", f"there is no git repository in {path}, nor in a folder above it")


class Git:
    """Git on one repository: `top` holds the files, `place` is its `.git`, `own` the folder that stands for it."""

    def __init__(self, program: str, top: Path, place: Path, own: Path) -> None:
        self.top, self._place, self._own, self._program = top, place, own, program
        self._env = environment(own) | {
            "GIT_DIR": str(own),
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": str(place / "index"),
        }
        (own / "info").mkdir()
        for name in (*_SHARED, *(each.name for each in place.glob("sharedindex.*"))):
            if (place / name).exists():
                (own / name).symlink_to(place / name)
        for name in _NOTES:
            if (place / name).is_file():
                (own / name).write_bytes((place / name).read_bytes())
        self._write_settings()

    def _write_settings(self) -> None:
        """The few settings of the repository that say how its files are stored, and our own."""
        found = self._settings()
        version = 1 if any(name.startswith("extensions.") for name in found) else 0
        lines = []
        for name, value in {"core.repositoryformatversion": str(version), **found, **_OWN_SETTINGS}.items():
            section, _, key = name.partition(".")
            lines.append(f"[{section}]\n\t{key} = {value}\n")
        (self._own / "config").write_text("".join(lines))

    def _settings(self) -> dict[str, str]:
        config = str(self._place / "config")
        said = self._call(
            "config", "--file", config, "--no-includes", "--list", "-z", env=environment(self._own), check=False
        )
        found = {}
        for entry in said.stdout.split(b"\0"):
            name, _, value = entry.decode("utf-8", "replace").partition("\n")
            if value.lower() in _KEPT_SETTINGS.get(name.lower(), ()):
                found[name.lower()] = value.lower()
        return found

    def ask(self, *words: str, stdin: bytes = b"", check: bool = True, **more: str) -> bytes:
        """What git says to a question, which changes nothing, not even what git remembers of the files."""
        env = self._env | {"GIT_OPTIONAL_LOCKS": "0"} | more
        return self._call(*words, stdin=stdin, env=env, check=check).stdout

    def change(self, *words: str, stdin: bytes = b"", **more: str) -> bytes:
        """What git says to a change; what it noted goes back into the repository."""
        said = self._call(*words, stdin=stdin, env=self._env | more).stdout
        for name in _NOTES:
            own, place = self._own / name, self._place / name
            if own.is_file():
                if not place.is_file() or place.read_bytes() != own.read_bytes():
                    beside = place.with_name(f"{name}.new")
                    beside.write_bytes(own.read_bytes())
                    beside.replace(place)
            elif place.is_file():
                place.unlink()
        return said

    def head(self, *words: str, most_bytes: int) -> tuple[bytes, bool]:
        """The first bytes of an answer that may be long, and whether there is more."""
        with subprocess.Popen(
            [self._program, *words],
            cwd=self.top,
            env=self._env | {"GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as running:
            assert running.stdout is not None  # noqa: S101 - for the checker of types
            data = running.stdout.read(most_bytes + 1)
            running.kill()
        return data[:most_bytes], len(data) > most_bytes

    def _call(
        self, *words: str, env: dict[str, str], stdin: bytes = b"", check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            [self._program, *words], cwd=self.top, env=env, input=stdin, capture_output=True, check=False
        )
        if check and done.returncode != 0:
            raise Refused("TOOL_EXECUTION_ERROR", complaint(done.stderr))
        return done

    def is_branch_name(self, name: str) -> bool:
        """Whether a branch may be called this."""
        done = self._call("check-ref-format", f"refs/heads/{name}", env=self._env, check=False)
        return done.returncode == 0

    def notes(self, name: str) -> bool:
        """Whether git has noted this."""
        return (self._own / name).is_file()

    def revision(self, said: str) -> str:
        """The commit that a word means."""
        if _REVISION.fullmatch(said):
            found = self.ask("rev-parse", "--verify", "--quiet", f"{said}^{{commit}}", check=False).decode().strip()
            if found:
                return found
        raise Refused("INVALID_PARAMETERS", f"{said!r} is no commit of this repository")

    def base(self) -> str:
        """The newest commit; in a repository without one the tree that holds nothing."""
        found = self.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).decode().strip()
        return found or self.ask("hash-object", "-t", "tree", "--stdin").decode().strip()


def environment(own: Path) -> dict[str, str]:
    """The whole environment: nothing of what programs of the session may have left in its home counts."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(own),
        "XDG_CONFIG_HOME": str(own),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "false",
        "GIT_PAGER": "cat",
        "GIT_LITERAL_PATHSPECS": "1",
    }


def complaint(said: bytes) -> str:
    """What git complained of, without its hints."""
    lines = [line for line in text(said).splitlines() if line.strip() and not line.startswith("hint:")]
    return " ".join(lines).strip()[:MOST_SAID] or "git failed and said nothing"


def text(data: bytes) -> str:
    """Bytes as text that can be told apart: what is no UTF-8 is written out."""
    return data.decode("utf-8", "backslashreplace")
