"""What operators say that a model costs. Pure: the settings read it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation


def parse_prices(text: str) -> dict[str, tuple[Decimal, Decimal]]:
    """`NAME=IN/OUT, …` in dollars for a million tokens, by the model's name. Raises ValueError with the faulty part."""
    found = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, price = part.rpartition("=")
        asked, _, answered = price.partition("/")
        try:
            both = Decimal(asked.strip()), Decimal(answered.strip())
        except InvalidOperation:
            raise ValueError(f"“{part}” is not NAME=IN/OUT, such as openai/local=0.5/1.5") from None
        if not name.strip() or not all(one.is_finite() and one >= 0 for one in both):
            raise ValueError(f"“{part}” is not NAME=IN/OUT, such as openai/local=0.5/1.5")
        found[name.strip()] = both
    return found
