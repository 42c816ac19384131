"""What the gate's notes mean for a command's result. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sandbox.contract import Result

_MOST_NAMED = 3


def with_network(result: Result, network: dict[str, Any]) -> Result:
    """The result with what happened on the network. A program that failed and was refused something lacked permission.

    One that reached a limit failed by that limit, and one that ended well did without what it was refused.
    """
    if not network:
        return result
    told = replace(result, data=result.data | {"network": network})
    if result.ok or result.limit is not None or not result.data.get("return_code") or not network["refused"]:
        return told
    return replace(told, error_class="PERMISSION_ERROR", reason=f"{result.reason}; {_why(network['refused'])}")


def _why(refused: list[dict[str, Any]]) -> str:
    """Only hosts that were not approved are said to be that; an approved one has a reason of its own."""
    approved = [f"{_named(each)}: {each['why']}" for each in refused if "why" in each]
    names = [_named(each) for each in refused if "why" not in each]
    parts = [f"it asked for {_listed(names)}, which was not approved"] if names else []
    return "; ".join([*parts, *approved[:_MOST_NAMED]])


def _named(each: dict[str, Any]) -> str:
    return str(each["host"]) if each["port"] is None else f"{each['host']}:{each['port']}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
