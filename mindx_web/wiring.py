"""What must point upwards is inverted here: lower apps declare a need, this module hands them the answer."""

from agents import gate


def connect() -> None:
    """Give the executor review's gate."""
    from review.gate import check

    gate.register(check)
