"""Adding up calls by day, agent and model, in the transaction that ends a call; so sums and rows never differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from library import prepared
from library.models import ModelCall, ModelDay

_COUNTED = (
    "answered",
    "cached",
    "failed",
    "tokens_in",
    "tokens_out",
    "cost",
    "unpriced",
    "latency_ms",
    "attempts",
    "plans",
)
_ADDED = ", ".join(f"{name} = {ModelDay._meta.db_table}.{name} + EXCLUDED.{name}" for name in _COUNTED)
# Read from the call's own row, so that nothing is counted that does not stand there.
_ADD = f"""
    INSERT INTO {ModelDay._meta.db_table} (day, agent, model, {", ".join(_COUNTED)})
    SELECT (at AT TIME ZONE 'UTC')::date, agent, model, {{values}} FROM {{source}}
    ON CONFLICT (day, agent, model) DO UPDATE SET {_ADDED}
"""  # noqa: S608  # names of our own tables and columns
_OF_A_CALL = """
    (state = 'answered')::int, (state = 'cached')::int, (state = 'failed')::int,
    tokens_in, tokens_out, coalesce(cost, 0), (state <> 'cached' AND cost IS NULL)::int,
    CASE state WHEN 'answered' THEN coalesce(latency_ms, 0) ELSE 0 END, 0, 0
"""
_ITS_ROW = f"{ModelCall._meta.db_table} WHERE id = %(call)s"
_END = f"WITH ended AS (UPDATE {ModelCall._meta.db_table} SET {{changed}} WHERE id = %(call)s RETURNING *)"  # noqa: S608  # names of our own tables
_ADD_ENDED = _ADD.format(values=_OF_A_CALL, source="ended")
_OF_AN_ATTEMPT = "0, 0, 0, 0, 0, 0, 0, 0, 1, %(is_plan)s::int"


def add_call(call: int) -> None:
    """Count a call that has just ended."""
    _add(_OF_A_CALL, {"call": call})


def end_call(call: int, values: Mapping[str, Any]) -> None:
    """Write what became of a call into its row, and count it: one statement, so that neither is ever without the other.

    `values` are by the row's columns, whose names are ours. The prompt, which is long, stands there already and is not
    sent again.
    """
    changed = ", ".join(f"{name} = %({name})s" for name in values)
    prepared.run(_END.format(changed=changed) + _ADD_ENDED, {**values, "call": call})


def add_attempt(call: int, *, is_plan: bool) -> None:
    """Count the answer of a call as an attempt at a plan, and whether it was a valid one."""
    _add(_OF_AN_ATTEMPT, {"call": call, "is_plan": is_plan})


def _add(values: str, params: dict[str, int | bool]) -> None:
    prepared.run(_ADD.format(values=values, source=_ITS_ROW), params)
