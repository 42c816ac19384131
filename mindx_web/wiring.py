"""What must point upwards is inverted here: lower apps declare a need, this module hands them the answer."""

from agents import audit, gate


def connect() -> None:
    """Give the executor review's gate, and typed commands review's audit."""
    from review.gate import check
    from review.services.typed_audit import keep

    gate.register(check)
    audit.register(keep)
