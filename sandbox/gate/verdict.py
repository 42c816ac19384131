"""Adds the gate's notes to a command's result. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sandbox.contract import Result

_MOST_NAMED = 3


def with_network(result: Result, network: dict[str, Any]) -> Result:
    """The result with what happened on the network. A program that failed after a refusal gets PERMISSION_ERROR.

    But a limit that was reached is the reason itself, and a program that succeeded did not need the refused host.
    """
    if not network:
        return result
    told = replace(result, data=result.data | {"network": network})
    if result.ok or result.limit is not None or not result.data.get("return_code") or not network["refused"]:
        return told
    return replace(told, error_class="PERMISSION_ERROR", reason=f"{result.reason}; {_why(network['refused'])}")


def _why(refused: list[dict[str, Any]]) -> str:
    """Only hosts that were not approved are called so; an approved one has its own reason."""
    approved = [f"{_named(each)}: {each['why']}" for each in refused if "why" in each]
    names = [_named(each) for each in refused if "why" not in each]
    parts = [f"it asked for {_listed(names)}, which was not approved"] if names else []
    return "; ".join([*parts, *approved[:_MOST_NAMED]])


def _named(each: dict[str, Any]) -> str:
    return str(each["host"]) if each["port"] is None else f"{each['host']}:{each['port']}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
