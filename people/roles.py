"""The five roles of mindX and what each may do; one person may hold several."""

from enum import StrEnum


class Role(StrEnum):
    """What a person is here for. ADMIN implies all others."""

    SUBMITTER = "submitter"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    DEVELOPER = "developer"
    ADMIN = "admin"


CHOICES = [(role.value, role.value) for role in Role]
