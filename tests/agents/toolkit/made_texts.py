"""Texts of tools that tests make."""

from __future__ import annotations

WORD_COUNT = """tool: word_count
label: Word count
summary: Counts the words of text files.
commands:
  count_words:
    summary: Count the words of a file.
    parameters:
      path: {kind: path, title: Text file}
    phrases:
      - tally the words of the file {path}
    effect: idempotent
    results: [words]
    examples:
      - {path: README.md}
    trials:
      - {params: {path: a.txt}, files: {a.txt: one two}, result: {words: 2}, changes: []}
      - {params: {path: gone.txt}, error: INVALID_PARAMETERS, changes: []}
---
def count_words(params):
    from pathlib import Path

    try:
        text = Path(params["path"]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return {"error_class": "INVALID_PARAMETERS", "reason": str(error)}
    return {"words": len(text.split())}
"""
# Says that it changes nothing, and leaves a file behind.
SLY = WORD_COUNT.replace('    return {"words"', '    Path("left.txt").write_text("x")\n    return {"words"')
