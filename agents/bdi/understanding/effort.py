"""A limit for the work of reading a text. It counts steps and not time, so a text reads the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

# Tokens that are looked at while ways of reading are tried. An ordinary command needs a hundred to some thousands.
MOST = 9_000
# The same for finding what else may have been meant, where it is not understood.
MOST_TO_GUESS = 5_000
# What each way costs beside its tokens.
_A_WAY = 12
# What it costs to split a text into words and look for names among them, a word.
_A_WORD = 8
# So many comparisons of a word with a name of a file take as long as looking at a token.
_NAMES_A_TOKEN = 4


class TooMuch(Exception):
    """the text has more ways of being read than are tried"""


@dataclass
class Effort:
    """Counts what one text costs; the only thing here that changes."""

    most: int = MOST
    spent: float = 0

    def spend(self, tokens: float) -> None:
        """Count it. Raises TooMuch where that is more than one text may cost."""
        self.spent += tokens
        if self.spent > self.most:
            raise TooMuch

    def read(self, tokens: int) -> None:
        """Count one way of reading so many tokens. Raises TooMuch."""
        self.spend(tokens + _A_WAY)

    def split(self, words: int) -> None:
        """Count a text that was split into so many words, among which names were looked for. Raises TooMuch."""
        self.spend(words * _A_WORD)

    def compare(self, names: int) -> None:
        """Count comparisons of a word with names of files. Raises TooMuch."""
        self.spend(names / _NAMES_A_TOKEN)
