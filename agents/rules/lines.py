"""The lines of a rule text: what stands in quotes, where steps part, what a comment says.

A piece that is read here says the same on a line of its own, so that a rule can be printed and read again.
"""

from __future__ import annotations

from agents.toolkit.wording.words import closing_quote


class RuleSyntaxError(ValueError):
    """The rule text cannot be read; `line` counts from 1, `code` is one word, the message says what to write."""

    def __init__(self, line: int, code: str, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.code, self.message = line, code, message


def quoted(line: str, number: int) -> bytearray:
    """Return for each character whether it stands in quotes. Raises RuleSyntaxError for a quotation never closed."""
    inside = bytearray(len(line))
    at = 0
    hopeless: set[str] = set()
    while at < len(line):
        end = closing_quote(line, at, exact=True, hopeless=hopeless)
        if end is not None:
            inside[at : end + 1] = b"\1" * (end + 1 - at)
            at = end + 1
            continue
        if line[at] in '"“«' and line[at - 1 : at] in ("", " ", "\t"):
            message = (
                "the quotation mark opened here is never closed on its line; close it, and write line breaks as \\n"
            )
            raise RuleSyntaxError(number, "open_quote", message)
        at += 1
    return inside


def steps_in(line: str, number: int) -> list[str]:
    """Part a body line at the commas that stand outside quotes."""
    is_quoted = quoted(line, number)
    items, start = [], 0
    for at, char in enumerate(line):
        if char == "," and not is_quoted[at]:
            items.append(line[start:at])
            start = at + 1
    items.append(line[start:])
    return [bare for item in items if (bare := without_end(item.strip(), ";")).strip(" \t;.")]


def without_end(text: str, marks: str) -> str:
    """Return the text without any of these marks, or spaces, at its end."""
    end = len(text)
    while end and (text[end - 1] in marks or text[end - 1].isspace()):
        end -= 1
    return text[:end]


def is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def comment(line: str) -> str:
    """Return what a comment line says, without its signs."""
    start = 0
    while start < len(line) and (line[start] == "#" or line[start].isspace()):
        start += 1
    return line[start:].strip()


def says_something(line: str) -> bool:
    """Whether a line is more than empty or a comment."""
    return bool(line.strip()) and not is_comment(line)


def short(text: str) -> str:
    """Return the text as a message quotes it."""
    clean = " ".join(text.split())
    return clean if len(clean) <= 60 else clean[:57] + "…"
