"""Nouns and pronouns that stand around a name and are not part of it."""

from __future__ import annotations

FILE_HEADS = frozenset(
    [
        "file",
        "files",
        "document",
        "documents",
        "script",
        "scripts",
        "module",
        "modules",
        "page",
        "doc",
        "program",
        "text",
        "report",
    ]
)


FOLDER_HEADS = frozenset("folder folders dir dirs subfolder subdirectory map directory".split())


NAMING = frozenset({"name", "named", "title", "titled", "call"})


IT = frozenset(
    {
        "it",
        "them",
        "there",
        "same",
        "one",
        "ones",
        "this",
        "that",
        "itself",
        "copy",
        "original",
        "result",
        "former",
        "latter",
    }
)


# Said of all that is there, so that nothing else need be named.
WHOLE = frozenset(
    "project workspace repository repo codebase system code everything all whole entire complete full here".split()
)


LINKING = frozenset({"and", "plus", "&", "as", "well", "also"})


TYPES = {
    "python": "*.py", "py": "*.py", "markdown": "*.md", "md": "*.md", "json": "*.json", "csv": "*.csv", "text": "*.txt",
    "txt": "*.txt", "yaml": "*.yaml", "yml": "*.yml", "log": "*.log", "html": "*.html", "javascript": "*.js",
    "js": "*.js", "css": "*.css", "toml": "*.toml", "ini": "*.ini", "xml": "*.xml", "typescript": "*.ts", "ts": "*.ts",
    "shell": "*.sh", "bash": "*.sh", "sh": "*.sh", "sql": "*.sql", "pdf": "*.pdf", "png": "*.png", "jpg": "*.jpg",
    "zip": "*.zip", "svg": "*.svg", "rst": "*.rst", "logs": "*.log",
    "mp3": "*.mp3", "mp4": "*.mp4", "wav": "*.wav", "jpeg": "*.jpeg", "gif": "*.gif", "docx": "*.docx",
    "xlsx": "*.xlsx", "xls": "*.xls", "odt": "*.odt", "ods": "*.ods", "epub": "*.epub", "tsx": "*.tsx", "vue": "*.vue",
}  # fmt: skip


def type_of(word: str) -> str:
    """The pattern of the files that a word says the kind of, “csv”, “pdfs” or “markdowns”; empty where it says none."""
    return TYPES.get(word) or (TYPES.get(word[:-1], "") if word.endswith("s") and word[:-1] not in _NOT_COUNTED else "")


# More of these are something else than files of that kind.
_NOT_COUNTED = frozenset({"text", "shell", "log", "t", "j"})
