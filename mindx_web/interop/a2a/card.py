"""The agent card: what mindX offers, where, and that a token is needed. It is public, so it tells what ships only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse

from agents.toolkit.registry import REGISTRY
from mindx_web.web.context import VERSION

PROTOCOL = "1.0"
_GOAL = {
    "id": "goal",
    "name": "Carry out a goal under review",
    "description": "Plans a goal given in plain English, has people review the plan, runs exactly what they approved"
    " in a sandbox, and tells the result. The task is in the state input-required while the plan waits for a person.",
    "tags": ["planning", "review", "files", "code"],
    "examples": ["Create a folder named reports and write the file reports/readme.txt saying hello"],
}


def card() -> dict[str, Any]:
    """The card in the JSON form of the protocol."""
    return {
        "name": "mindX",
        "description": "Gives goals in plain English to BDI agents. Nothing runs that was not shown to a person.",
        "version": VERSION,
        "supportedInterfaces": [
            {
                "url": f"{settings.PUBLIC_URL}{reverse('a2a')}",
                "protocolBinding": "JSONRPC",
                "protocolVersion": PROTOCOL,
            }
        ],
        "capabilities": {"streaming": True, "pushNotifications": False, "extendedAgentCard": False},
        "securitySchemes": {
            "bearer": {
                "httpAuthSecurityScheme": {
                    "scheme": "bearer",
                    "description": "An API token of mindX with the scopes goals:read and goals:write; with review:read"
                    " a waiting task shows its whole plan.",
                }
            }
        },
        "securityRequirements": [{"schemes": {"bearer": {"list": []}}}],
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [_GOAL, *(_skill(tool.name, tool.label, tool.summary) for tool in REGISTRY.tools)],
    }


def _skill(name: str, label: str, summary: str) -> dict[str, Any]:
    return {"id": name, "name": label, "description": summary, "tags": ["tool"]}
