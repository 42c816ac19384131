"""What git_tool's commands do, each an answer of plain fields. Lives in the jail."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.toolkit.git_tool.repository import Git, complaint, environment, found, text
from agents.toolkit.refusal import Refused

MOST_ENTRIES = 2_000
MOST_DIFF_BYTES = 300_000
MOST_BRANCHES = 500
_STATES = {
    ".": "",
    "M": "modified",
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "of another kind",
    "U": "in conflict",
}
_CONFLICTS = {
    "DD": "deleted by both",
    "AU": "added by us",
    "UD": "deleted by them",
    "UA": "added by them",
    "DU": "deleted by us",
    "AA": "added by both",
    "UU": "changed by both",
}


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What the command `do` answers."""
    program = shutil.which("git")
    try:
        if program is None:
            reason = "git is not installed where the jail can see it; install it on every machine that runs workers"
            raise Refused("TOOL_UNAVAILABLE", f"{reason} (apt-get install git)")
        if params["do"] == "init":
            return _init(program, params)
        with tempfile.TemporaryDirectory(prefix="git-") as own:
            git = Git(program, *found(params["path"]), Path(own))
            return _DO[params["do"]](git, params)
    except Refused as refused:
        return refused.answer()


def _status(git: Git, _params: dict[str, Any]) -> dict[str, Any]:
    facts, entries = _entries(git, "normal")
    where = f"On {facts['branch']}" if facts["branch"] else f"At {facts['commit'][:10]}, on no branch"
    inside = _submodules(git)
    unseen = f"; not looked into: {_listed(inside)}" if inside else ""
    return {
        "message": f"{where}: {_counted(len(entries), 'change') if entries else 'nothing changed'}{unseen}",
        "branch": facts["branch"],
        "detached": facts["detached"],
        "commit": facts["commit"],
        # Of a submodule only its commit is known here: its files may have changed, too.
        "clean": not entries and not inside,
        "submodules": inside[:MOST_ENTRIES],
        "conflicts": [entry["path"] for entry in entries if "conflict" in entry],
        "entries": entries[:MOST_ENTRIES],
        "left_out": max(0, len(entries) - MOST_ENTRIES),
        "under_way": _under_way(git),
    }


def _under_way(git: Git) -> str:
    known = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}
    return next((word for name, word in known.items() if git.notes(name)), "")


def _entries(git: Git, untracked: str) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Where the repository stands, and what differs from its newest commit, from git's format for programs."""
    # A submodule is named when another commit of it is checked out; git does not go into it, where its settings hold.
    said = git.ask(
        *("status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=dirty", f"--untracked-files={untracked}")
    )
    facts: dict[str, Any] = {"branch": "", "detached": False, "commit": ""}
    entries: list[dict[str, str]] = []
    lines = iter(said.split(b"\0"))
    for line in lines:
        kind, _, rest = line.partition(b" ")
        if kind == b"#":
            _note(facts, text(rest))
        elif kind == b"1":
            states, path = rest[:2], rest.split(b" ", 7)[7]
            entries.append(_entry(path, states))
        elif kind == b"2":
            states, path = rest[:2], rest.split(b" ", 8)[8]
            entries.append(_entry(path, states) | {"from": text(next(lines))})
        elif kind == b"u":
            path = rest.split(b" ", 9)[9]
            entries.append({**_entry(path, b".U"), "conflict": _CONFLICTS.get(text(rest[:2]), "in conflict")})
        elif kind == b"?":
            entries.append({"path": text(rest), "staged": "", "unstaged": "new"})
    return facts, entries


def _note(facts: dict[str, Any], said: str) -> None:
    name, _, value = said.partition(" ")
    if name == "branch.oid":
        facts["commit"] = "" if value == "(initial)" else value
    elif name == "branch.head":
        facts["detached"] = value == "(detached)"
        facts["branch"] = "" if facts["detached"] else value


def _entry(path: bytes, states: bytes) -> dict[str, str]:
    staged, unstaged = (_STATES.get(chr(letter), "changed") for letter in states)
    return {"path": text(path), "staged": staged, "unstaged": unstaged}


def _diff(git: Git, params: dict[str, Any]) -> dict[str, Any]:
    what = params.get("what", "all")
    against = git.revision(params["since"]) if params.get("since") else git.base()
    sides = {"all": [against], "staged": ["--cached", against], "unstaged": []}[what]
    plain = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--find-renames")
    only = ["--", os.path.relpath(Path(params["only"]).resolve(), git.top)] if params.get("only") else ["--"]
    files = _changed(git.ask(*plain, "--numstat", "-z", *sides, *only))
    patch, cut = git.head(*plain, "--patch", *sides, *only, most_bytes=MOST_DIFF_BYTES)
    added, deleted = (sum(one[name] for one in files) for name in ("added", "deleted"))
    message = f"{_counted(len(files), 'file')}, {_counted(added, 'line')} added, {deleted:,} deleted"
    return {
        "message": message + (f"; only the first {MOST_DIFF_BYTES:,} bytes are here" if cut else ""),
        "files": files[:MOST_ENTRIES],
        "left_out": max(0, len(files) - MOST_ENTRIES),
        "added": added,
        "deleted": deleted,
        "diff": text(patch),
        "truncated": cut,
    }


def _changed(said: bytes) -> list[dict[str, Any]]:
    """Files with the lines that came and went, from `--numstat -z`; of a binary file none are counted."""
    files = []
    parts = iter(said.split(b"\0"))
    for part in parts:
        if part.count(b"\t") < 2:
            continue
        added, deleted, path = part.split(b"\t", 2)
        one: dict[str, Any] = {"path": text(path)}
        if not path:
            one = {"from": text(next(parts)), "path": text(next(parts))}
        binary = added == b"-"
        counts = {"added": 0, "deleted": 0} if binary else {"added": int(added), "deleted": int(deleted)}
        files.append({**one, **counts, "binary": binary})
    return files


def _log(git: Git, params: dict[str, Any]) -> dict[str, Any]:
    start = git.revision(params["branch"]) if params.get("branch") else git.base()
    if not git.ask("cat-file", "-t", start).startswith(b"commit"):
        return {"message": "No commit yet", "commits": [], "more": False}
    most = int(params.get("most", 20))
    form = "--format=%H%x00%an%x00%ae%x00%aI%x00%B%x00%x01"
    words = ["log", "--no-color", "--no-show-signature", f"--max-count={most + 1}", form]
    said = git.ask(*words, *_followed(git, params, start))
    commits = []
    for each in said.split(b"\0\x01\n"):
        fields = each.split(b"\0", 4)
        if len(fields) == 5:
            names = ("commit", "author", "email", "at", "message")
            commits.append({name: text(field).strip()[:5_000] for name, field in zip(names, fields, strict=True)})
    more = len(commits) > most
    message = f"{_counted(len(commits[:most]), 'commit')}{', and there are more' if more else ''}"
    return {"message": message, "commits": commits[:most], "more": more}


def _followed(git: Git, params: dict[str, Any], start: str) -> list[str]:
    """The commit to begin at, and the file or folder whose history is asked for; a file is followed by its names."""
    if not params.get("only"):
        return [start]
    path = Path(params["only"]).resolve()
    name = os.path.relpath(path, git.top)
    if not os.path.lexists(path) and not git.ask("log", "--max-count=1", "--format=%H", start, "--", name):
        raise Refused("INVALID_PARAMETERS", f"{params['only']} is not there, and no commit knows it")
    return [*([] if path.is_dir() else ["--follow"]), start, "--", name]


def _branches(git: Git, _params: dict[str, Any]) -> dict[str, Any]:
    form = "--format=%(refname:lstrip=2)%00%(objectname)%00%(committerdate:iso-strict)%00%(subject)%00"
    said = git.ask("for-each-ref", "--sort=-committerdate", form, "refs/heads")
    facts, _ = _entries(git, "no")
    branches = []
    for line in said.split(b"\0\n"):
        fields = line.split(b"\0")
        if len(fields) >= 4:
            name, commit, at, subject = map(text, fields[:4])
            branches.append(
                {"name": name, "commit": commit, "at": at, "subject": subject, "current": name == facts["branch"]}
            )
    shown = {"branches": branches[:MOST_BRANCHES], "left_out": max(0, len(branches) - MOST_BRANCHES)}
    message = f"{_counted(len(branches), 'branch', 'branches')}, on {facts['branch'] or 'none of them'}"
    return {"message": message, **shown, "branch": facts["branch"], "detached": facts["detached"]}


def _commit(git: Git, params: dict[str, Any]) -> dict[str, Any]:
    _, entries = _entries(git, "all")
    conflicts = [entry["path"] for entry in entries if "conflict" in entry]
    if conflicts:
        raise Refused("TOOL_EXECUTION_ERROR", f"{_named(conflicts)} in conflict; resolve that first")
    if params.get("everything", True):
        _stage(git, params.get("only"))
    staged = _changed(git.ask("diff", "--cached", "--numstat", "-z", "--no-ext-diff", "--no-textconv", git.base()))
    if not staged and not _under_way(git):
        raise Refused("TOOL_EXECUTION_ERROR", "there is nothing to commit")
    who = {"NAME": params["author_name"], "EMAIL": params["author_email"]}
    named = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in who.items()}
    words = ("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--file=-")
    git.change(*words, stdin=params["message"].encode(), **named)
    facts, left = _entries(git, "normal")
    names = [one["path"] for one in left]
    inside = [one for one in _submodules(git) if one not in names]
    is_all = params.get("everything", True) and not params.get("only")
    return {
        "commit": facts["commit"],
        "branch": facts["branch"],
        "files": staged[:MOST_ENTRIES],
        "left_out": max(0, len(staged) - MOST_ENTRIES),
        "clean": not left and not inside,
        "left": left[:MOST_ENTRIES],
        "uncommitted": names[:MOST_ENTRIES] if is_all else [],
        "submodules": inside[:MOST_ENTRIES],
        "message": f"Committed {_counted(len(staged), 'file')} as {facts['commit'][:10]}"
        + (f"; left as it was: {_listed(names)}" if left else "")
        + (f"; not looked into: {_listed(inside)}" if inside else ""),
    }


def _undo_commit(git: Git, _params: dict[str, Any]) -> dict[str, Any]:
    """Takes the newest commit back; the files stay as they are, and what it held is in the index again."""
    if under_way := _under_way(git):
        raise Refused("TOOL_EXECUTION_ERROR", f"a {under_way} is under way; finish or leave it first")
    newest = git.base()
    if not git.ask("cat-file", "-t", newest).startswith(b"commit"):
        raise Refused("TOOL_EXECUTION_ERROR", "the repository has no commit yet, so there is nothing to undo")
    before = git.ask("rev-parse", "--verify", "--quiet", f"{newest}^", check=False).decode().strip()
    if not before:
        raise Refused("TOOL_EXECUTION_ERROR", "it is the first commit; there is none before it to go back to")
    said = text(git.ask("log", "--max-count=1", "--format=%B", newest)).strip()[:5_000]
    is_elsewhere = bool(git.ask("for-each-ref", "--contains", newest, "--count=1", "refs/remotes"))
    git.change("reset", "--quiet", "--soft", before)
    facts, entries = _entries(git, "normal")
    shared = "; another repository has it already, so pushing needs force" if is_elsewhere else ""
    return {
        "undone": newest,
        "undone_message": said,
        "commit": facts["commit"],
        "branch": facts["branch"],
        "entries": entries[:MOST_ENTRIES],
        "message": f"Undid {newest[:10]}; its files stay as they are{shared}",
    }


def _stage(git: Git, only: str | None) -> None:
    """Puts what changed into the index, path by path: folders that are repositories of their own stay out."""
    below = ["--", os.path.relpath(Path(only).resolve(), git.top)] if only else []
    plain = ("ls-files", "-z", "--deduplicate", "--exclude-standard")
    said = git.ask(*plain, "--modified", "--deleted", "--others", *below)
    gitlinks = set(_submodules(git))
    paths = [path for path in said.split(b"\0") if path and not path.endswith(b"/") and text(path) not in gitlinks]
    if not paths:
        return
    listed = b"".join(path + b"\0" for path in paths)
    rows = git.ask("check-attr", "-z", "--stdin", "filter", stdin=listed).split(b"\0")
    filtered = [text(rows[at]) for at in range(0, len(rows) - 2, 3) if rows[at + 2] not in (b"unspecified", b"unset")]
    if filtered:
        reason = "stored through a filter of the repository (Git LFS is one), which is not run here"
        raise Refused("TOOL_EXECUTION_ERROR", f"{_named(filtered)} {reason}")
    git.change("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=listed)


def _submodules(git: Git) -> list[str]:
    """The folders that the index knows as commits of other repositories."""
    rows = git.ask("ls-files", "-z", "-s").split(b"\0")
    return [text(row.partition(b"\t")[2]) for row in rows if row[:6] == b"160000"]


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _named(paths: list[str]) -> str:
    return f"{_listed(paths)} {'is' if len(paths) == 1 else 'are'}"


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _create_branch(git: Git, params: dict[str, Any]) -> dict[str, Any]:
    name = _branch_name(git, params["name"])
    if not git.ask("cat-file", "-t", git.base()).startswith(b"commit"):
        raise Refused("TOOL_EXECUTION_ERROR", "the repository has no commit yet, so there is nothing to branch from")
    start = git.revision(params["start"]) if params.get("start") else git.base()
    git.change("branch", "--no-track", name, start)
    return {"branch": name, "commit": start, "message": f"Created the branch {name} at {start[:10]}"}


def _switch_branch(git: Git, params: dict[str, Any]) -> dict[str, Any]:
    name = _branch_name(git, params["name"])
    # An ignored file that the other branch tracks may be the only copy there is.
    git.change("switch", "--quiet", "--no-guess", "--no-recurse-submodules", "--no-overwrite-ignore", name)
    facts, _ = _entries(git, "no")
    return {"branch": facts["branch"], "commit": facts["commit"], "message": f"Switched to the branch {name}"}


def _branch_name(git: Git, name: str) -> str:
    fits = not name.startswith(("-", "@")) and name.isprintable()
    if not fits or not git.is_branch_name(name):
        raise Refused("INVALID_PARAMETERS", f"{name!r} cannot be the name of a branch")
    return name


def _init(program: str, params: dict[str, Any]) -> dict[str, Any]:
    folder = Path(params["path"]).resolve()
    if (folder / ".git").exists():
        raise Refused("TOOL_EXECUTION_ERROR", f"{params['path']} is a git repository already")
    if not folder.is_dir():
        raise Refused("INVALID_PARAMETERS", f"{params['path']} is no folder")
    with tempfile.TemporaryDirectory(prefix="git-") as own:
        words = ("init", "--quiet", "--template=", f"--initial-branch={params['branch']}", str(folder))
        done = subprocess.run([program, *words], env=environment(Path(own)), capture_output=True, check=False)
    if done.returncode != 0:
        raise Refused("TOOL_EXECUTION_ERROR", complaint(done.stderr))
    return {"branch": params["branch"], "message": f"Made a git repository in {params['path']}"}


_DO: dict[str, Callable[[Git, dict[str, Any]], dict[str, Any]]] = {
    "status": _status,
    "diff": _diff,
    "log": _log,
    "branches": _branches,
    "commit": _commit,
    "undo_commit": _undo_commit,
    "create_branch": _create_branch,
    "switch_branch": _switch_branch,
}
