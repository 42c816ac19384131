"""No kind of row is forgotten: each is sealed, only ever added to, or listed with its reason; and seals cover what they
say, in rows of every kind, written with the application's database role.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Model

from mindx_web.operations import row_protection
from mindx_web.operations.row_protection import LINES, How
from people import sealing
from tests.forging import forge
from tests.web.furnished import Furnished
from tests.web.test_axe_on_every_page import furnished as furnished

PAGE = Path(__file__).parents[2] / "docs/why/security.md"
SEALED = [model for model in apps.get_models() if sealing.fields_of(model)]
# Kinds of which the world of the pages has no row; the files named forge them.
_ELSEWHERE = {
    "agents.CardReading": "tests/agents/foreign/test_foreign_agents.py",
    "agents.CandidateSearch": "tests/agents/record/test_leased_work.py",
    "agents.FrameworkCall": "tests/agents/frameworks/test_forged_calls.py",
    "agents.FrameworkRun": "tests/agents/frameworks/test_forged_calls.py",
    "agents.EvolutionGrant": "tests/agents/evolution/test_forged_evolution.py",
    "agents.LevelDocument": "tests/review/audit/test_forged_rows.py",
    "agents.Rollout": "tests/agents/evolution/test_forged_evolution.py",
    "agents.HandCommand": "tests/review/audit/test_forged_rows.py",
    "agents.SubGoal": "tests/agents/goals/test_sub_goals.py",
    "people.AnsweredRequest": "tests/api/test_idempotency.py",
    "people.ExternalLogin": "tests/people/test_sealed_people.py",
    "review.Delivery": "tests/review/notices/test_notices.py",
    "review.HeldDecision": "tests/review/audit/test_forged_rows.py",
    "review.NoticeChoice": "tests/review/notices/test_notices.py",
}
# Their sealed columns cannot be written at all: a trigger or a missing right forbids it.
_FIXED = {"agents.IntentPlan", "review.PolicyVersion"}


def test_each_model_has_its_line_and_no_other_has() -> None:
    """A new model needs a decision: sealed, only added to, or neither, and why. See `row_protection`."""
    assert {model._meta.label for model in apps.get_models()} == set(LINES)


def test_the_page_has_the_tables() -> None:
    """`manage.py row_protection` prints them."""
    made = "\n".join(row_protection.tables()).strip()
    assert made in PAGE.read_text()


@pytest.mark.parametrize("model", SEALED, ids=lambda model: model._meta.label)
def test_a_sealed_model_says_which_of_its_rows_the_audit_looks_at(model: type[Model]) -> None:
    assert str(model._base_manager.filter(model.acted_on).values(*sealing.fields_of(model)).query)  # type: ignore[attr-defined]
    assert row_protection.how(model) is How.SEALED


@pytest.mark.django_db
def test_each_column_of_each_kind_is_noticed_and_so_is_a_row_of_the_same_content(furnished: Furnished) -> None:
    without_row = set()
    for model in SEALED:
        row = next((one for one in model._base_manager.order_by("-pk") if sealing.is_genuine(one)), None)
        if row is None:
            without_row.add(model._meta.label)
            continue
        own = [model._meta.get_field(name) for name in sealing.fields_of(model) if "__" not in name]
        written = [field.name for field in own if _is_noticed(row, field)]
        assert written or model._meta.label in _FIXED, f"nothing of {model._meta.label} could be written"
        _is_noticed_anew(row)
    assert without_row <= set(_ELSEWHERE), without_row - set(_ELSEWHERE)
    assert all((PAGE.parents[2] / file).exists() for file in _ELSEWHERE.values())


class _Undo(Exception):
    """Roll back what was forged."""


def _is_noticed(row: Model, field: Any) -> bool:
    """Whether the column could be written at all; a row with another value in it is not genuine."""
    table, key = row._meta.db_table, row._meta.pk.column
    try:
        with transaction.atomic():
            assert forge(f"UPDATE {table} SET {field.column} = {_other(field)} WHERE {key} = %s", row.pk) == 1
            stored = type(row)._base_manager.filter(pk=row.pk).values(*sealing.fields_of(type(row))).first()
            # Nothing is read where it was given to another row that is not there.
            fits = stored is not None and sealing.fits(type(row), row.pk, stored, sealing.newest_of(row))
            assert not fits, f"{row._meta.label}.{field.name} can be changed unnoticed"
            raise _Undo from None
    except _Undo:
        return True
    except DatabaseError:
        return False  # a trigger, a right that the role lacks, or a constraint forbids it


def _is_noticed_anew(row: Model) -> None:
    """A copy of the row under another key has no seal."""
    assert sealing.newest_of(type(row)(pk=10**9)) is None
    columns = sealing.fields_of(type(row))
    same = {name: sealing._value(row, name) for name in columns}
    assert not sealing.fits(type(row), 10**9, same, sealing.newest_of(row))


def _other(field: Any) -> str:
    """An expression for a value that the column does not have now."""
    name = field.column
    if isinstance(field, models.JSONField):
        return """'{"forged": true}'::jsonb"""
    if isinstance(field, models.BooleanField):
        return f"NOT coalesce({name}, false)"
    if isinstance(field, models.DateTimeField):
        return f"coalesce({name}, now()) + interval '1 day'"
    if "char" in (kind := field.db_type(connection)) or kind == "text":
        return f"overlay({name} placing CASE WHEN left({name}, 1) = 'a' THEN 'b' ELSE 'a' END from 1 for 1)"
    if kind.endswith("[]"):
        return "'{}'" if "char" not in kind else "'{x}'"
    return f"coalesce({name}, 0) + 1"
