"""Why a tool does nothing, said by what lives in the jail; of the standard library alone, as all that goes there."""

from __future__ import annotations


class Refused(Exception):
    """What keeps a tool from its work: the class of the step's failure, and a clause that says why."""

    def __init__(self, error_class: str, reason: str) -> None:
        super().__init__(reason)
        self.error_class = error_class

    def answer(self) -> dict[str, str]:
        """What the tool answers then."""
        return {"error_class": self.error_class, "reason": str(self)}
