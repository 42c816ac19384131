"""The migrations that made these tables before 0.1.0. A database that has all of them is up to date; one that has
some must first be brought to the last commit that had them (docs/operations.md)."""

REPLACED = [
    ("people", "0001_initial"),
    ("people", "0002_answered_request"),
    ("people", "0003_rate_limits"),
    ("people", "0004_row_seals"),
]
