"""How paths are written: what marks a word as a path, endings, drives and homes, and placeholders for a path."""

from __future__ import annotations

import posixpath
import re

_PLACEHOLDER_PART = re.compile(
    r"(?:path|to|the|your|my|some|file_?path|full|absolute|relative|folder_?path|placeholder|todo|xxx+|\.\.\.|…"
    r"|your[-_ ].*|my[-_ ].*|some[-_ ].*|example[-_ ].*|[<{\[$%].*)\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_NAME = re.compile(
    r"(?:(?:your|my|some|the|a|example)[-_ ]"
    r"(?:file|folder|dir|directory|path|filename|script|module|code)(?:[-_ ]?name)?"
    r"|file[-_]?name|file|path|placeholder|xxx+|\.\.\.|…)(?:\.\w+)?\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_KIND = re.compile(
    r"(?:folder|dir|directory|script|module|code|file|foo|bar|source|destination|dest|target|origin|original|input|output"
    r"|old|new|here|there|somewhere|place|location)(?:[-_ ]?(?:file|folder|dir|directory|path|name))?(?:\.\w+)?\Z",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\A(?:<(.*)>|\{(.*)\}|\[(.*)\]|\$\{?(\w*)\}?|%(.*)%)\Z", re.DOTALL)
_DRIVE = re.compile(r"\A(?:file://|[A-Za-z]:(?=[/\\])|~(?=/)|\$\w+(?=/)|%\w+%(?=[/\\]))")
_ENDINGS = frozenset(
    [
        "py",
        "md",
        "txt",
        "json",
        "csv",
        "yaml",
        "yml",
        "toml",
        "ini",
        "cfg",
        "log",
        "html",
        "css",
        "js",
        "ts",
        "sh",
        "xml",
        "rst",
        "sql",
        "pdf",
        "png",
        "jpg",
        "zip",
        "gz",
        "conf",
        "env",
        "bak",
        "old",
        "orig",
        "tex",
        "ipynb",
        "tsv",
        "cpp",
        "java",
        "rb",
        "php",
        "jsx",
        "tsx",
        "vue",
        "doc",
        "docx",
        "xls",
        "xlsx",
        "ppt",
        "pptx",
        "odt",
        "mp3",
        "mp4",
        "wav",
        "gif",
        "jpeg",
        "webp",
        "tar",
        "bz2",
        "bin",
        "dat",
        "db",
        "sqlite",
        "lock",
        "tmp",
        "bib",
        "scss",
        "less",
        "adoc",
        "org",
        "eml",
        "ics",
        "pem",
        "key",
        "crt",
        "svg",
        "h",
        "c",
        "go",
        "rs",
        "r",
        "lua",
        "kt",
        "swift",
    ]
)


def cleaned(said: str) -> str:
    """A path as it is written here: slashes, no drive or home, no `./` before and no `/` behind."""
    path = said.strip().strip("\"'`“”‘’«»").strip().replace("\\", "/")
    path = _DRIVE.sub("", path)
    while path.startswith("./") and len(path) > 2:
        path = path[2:]
    path = re.sub(r"/{2,}", "/", path)
    return path.rstrip("/") or ("." if path else "")


def is_written_absolute(said: str) -> bool:
    """Whether a path begins at a root, a drive or a home."""
    clean = said.strip().strip("\"'`“”‘’«»").replace("\\", "/")
    return clean.startswith(("/", "~", "file:")) or bool(_DRIVE.match(clean))


def without_placeholders(path: str) -> tuple[str, bool]:
    """The parts of a path that say something, and whether any of it was a placeholder (`path/to/`, `<file>`)."""
    whole = _BRACKETS.match(path)
    if whole:
        inner = next((part for part in whole.groups() if part), "")
        is_name = "/" in inner or "." in inner
        return (without_placeholders(inner)[0] if is_name else ""), True
    parts = [part for part in path.split("/") if part]
    kept, cut = list(parts), False
    if len(kept) > 1 and any(_PLACEHOLDER_PART.match(part) for part in kept[:-1]):
        last = max(at for at, part in enumerate(kept[:-1]) if _PLACEHOLDER_PART.match(part))
        # A folder really named "my_data" is no placeholder on its own; a row that begins with one is.
        if all(_PLACEHOLDER_PART.match(part) for part in kept[: last + 1]):
            kept, cut = kept[last + 1 :], True
    if kept and (
        _BRACKETS.match(kept[-1])
        or _PLACEHOLDER_NAME.match(kept[-1])
        # Below a folder of its own “code” is a name: /path/to/project/docs/code.
        or (cut and len(kept) == 1 and _PLACEHOLDER_KIND.match(kept[-1]))
    ):
        return "/".join(kept[:-1]), True
    return "/".join(kept), cut


def parted(name: str) -> tuple[str, str]:
    """Name and ending; `.gitignore` and `v1.2` have none."""
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem or not ending or not ending.isalnum() or ending.isdigit() or len(ending) > 6:
        return name, ""
    return stem, ending


def has_ending(path: str) -> bool:
    """Whether a name ends as files do."""
    return parted(posixpath.basename(path))[1].casefold() in _ENDINGS


def looks_like_path(word: str) -> bool:
    """Whether a word can only be meant as a path: with a slash, an ending, a leading dot or a star."""
    if re.match(r"\A[a-z]+://", word, re.IGNORECASE) or not re.search(r"\w", word):
        return word in (".", "..", "./", "../", "/")
    if "/" in word or "\\" in word:
        return bool(re.search(r"[A-Za-z]", word)) and not re.fullmatch(
            r"(?:and|either)/or|n/a|w/o?|[a-z]/[a-z]", word.casefold()
        )
    if word.startswith((".", "~")) and len(word) > 1:
        return True
    stem, ending = parted(word)
    return bool(ending) and (
        ending.casefold() in _ENDINGS
        or (ending.islower() and not stem[-1:].isspace() and len(ending) <= 4 and bool(re.search(r"\w", stem)))
    )
