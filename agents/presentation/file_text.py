"""What can be shown of a file: numbered lines of text, a picture, or only its size and digest."""

from __future__ import annotations

from dataclasses import dataclass

SHOWN_BYTES = 512 << 10
LINES_MAX = 5_000
LINE_MAX = 2_000

# By its first bytes, never by its name: a name says what somebody wants it to be. SVG is a program, so it is not here.
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@dataclass(frozen=True)
class Text:
    """Lines to show; `cut` says that the file goes on."""

    lines: tuple[str, ...]
    cut: bool


def image_type(head: bytes) -> str:
    """The media type of a picture that browsers draw harmlessly; empty for everything else."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media for start, media in _IMAGES if head.startswith(start)), "")


def text_of(head: bytes, is_whole: bool) -> Text | None:
    """The beginning of a file as text; None when it is not UTF-8. A character that the end cuts in two is let go."""
    if b"\0" in head:
        return None
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if is_whole or error.start < len(head) - 3:
            return None
        text = head[: error.start].decode()
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    cut = not is_whole or len(lines) > LINES_MAX
    shown = tuple(line if len(line) <= LINE_MAX else f"{line[:LINE_MAX]} …" for line in lines[:LINES_MAX])
    return Text(shown, cut or any(len(line) > LINE_MAX for line in lines[:LINES_MAX]))
