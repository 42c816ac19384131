"""The severity of a security finding, by its rule. The levels are Bandit's for the same tests."""

from __future__ import annotations

LEVELS = ("high", "medium", "low")
_HIGH = frozenset(
    {
        *("S201", "S321", "S323", "S324", "S401", "S402", "S412", "S413", "S501", "S502", "S504", "S505", "S507"),
        *("S509", "S602", "S604", "S605", "S611", "S701", "S702"),
    }
)
_LOW = frozenset(
    {
        *("S101", "S105", "S106", "S107", "S110", "S112", "S303", "S311", "S403", "S404", "S405", "S406", "S407"),
        *("S408", "S409", "S603", "S606", "S607"),
    }
)


def severity(code: str) -> str:
    """high, medium or low."""
    return "high" if code in _HIGH else "low" if code in _LOW else "medium"
