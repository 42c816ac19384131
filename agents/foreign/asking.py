"""Asks one agent by A2A 1.0 and waits for its answer. Runs in the jail, as the code of that agent's own tool."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

AGENT = ""
MOST_ANSWER_BYTES = 1 << 20
MOST_TEXT = 60_000
PAUSE_S = 1.0
OVER = ("TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED")
ASKS = ("TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED")


class Failed(Exception):
    def __init__(self, error_class: str, reason: str) -> None:
        super().__init__(reason)
        self.answer = {"error_class": error_class, "reason": reason[:2_000]}


def ask_agent(params: dict[str, Any]) -> dict[str, Any]:
    agent = params["agent"]
    # The trials of this tool have an agent of their own on this machine.
    if agent != AGENT and urlsplit(agent).hostname != "127.0.0.1":
        return {"error_class": "INVALID_PARAMETERS", "reason": f"This tool asks {AGENT} and nobody else."}
    # A little less than the program itself has, so that it can still say why it ends.
    until = time.monotonic() + max(1.0, params["timeout_s"] - 1)
    try:
        return answered(agent, params["message"], until)
    except Failed as failed:
        return failed.answer
    except (OSError, http.client.HTTPException) as error:
        reason = f"{agent}: {error or type(error).__name__}; the message may have been read"
        return {"error_class": "NETWORK_ERROR", "reason": reason}


def answered(agent: str, message: str, until: float) -> dict[str, Any]:
    sent = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": message}]}
    result = call(agent, "SendMessage", {"message": sent}, until)
    if isinstance(result.get("message"), dict):
        return told("message", [result["message"]])
    task = result.get("task")
    while isinstance(task, dict) and isinstance(task.get("status"), dict):
        state = str(task["status"].get("state"))
        if state in OVER or state in ASKS:
            return ended(state, task)
        if time.monotonic() + PAUSE_S >= until:
            raise Failed("TOOL_EXECUTION_ERROR", f"no answer in time; its task {str(task.get('id'))[:200]} is {state}")
        time.sleep(PAUSE_S)
        task = call(agent, "GetTask", {"id": task.get("id")}, until)
    raise Failed("TOOL_EXECUTION_ERROR", "the agent answered neither with a message nor with a task")


def ended(state: str, task: dict[str, Any]) -> dict[str, Any]:
    said = [task["status"].get("message"), *listed(task.get("artifacts"))]
    found = told(state, said)
    if state != OVER[0]:
        raise Failed("TOOL_EXECUTION_ERROR", f"the agent's task is {state}: {found['answer']}")
    return found


def told(state: str, said: list[Any]) -> dict[str, Any]:
    texts = []
    for one in said:
        for part in listed(one.get("parts")) if isinstance(one, dict) else []:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif isinstance(part, dict) and "data" in part:
                texts.append(json.dumps(part["data"], ensure_ascii=False))
    answer = "\n".join(texts)
    return {"answer": answer[:MOST_TEXT], "state": state, "cut": len(answer) > MOST_TEXT}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def call(agent: str, method: str, params: dict[str, Any], until: float) -> dict[str, Any]:
    left = until - time.monotonic()
    if left <= 0:
        raise Failed("TOOL_EXECUTION_ERROR", "no answer in time")
    at = urlsplit(agent)
    host = str(at.hostname)
    connection: http.client.HTTPConnection
    if at.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, at.port or 443, timeout=left, context=context)
    else:
        connection = http.client.HTTPConnection(host, at.port or 80, timeout=left)
    body = json.dumps({"jsonrpc": "2.0", "id": "1", "method": method, "params": params})
    headers = {"Content-Type": "application/json", "A2A-Version": "1.0", "Accept": "application/json"}
    try:
        target = (at.path or "/") + (f"?{at.query}" if at.query else "")
        connection.request("POST", target, body.encode(), headers)
        response = connection.getresponse()
        data = read(response, until)
    finally:
        connection.close()
    if response.status != 200:
        raise Failed("TOOL_EXECUTION_ERROR", f"the agent answered with status {response.status}")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Failed("TOOL_EXECUTION_ERROR", "the agent's answer is no JSON") from error
    result = found.get("result") if isinstance(found, dict) else None
    if not isinstance(result, dict):
        refusal = found.get("error") if isinstance(found, dict) else None
        raise Failed("TOOL_EXECUTION_ERROR", f"the agent refused: {json.dumps(refusal)[:1_000]}")
    return result


def read(response: http.client.HTTPResponse, until: float) -> bytes:
    data = b""
    while part := response.read1(1 << 16):
        data += part
        if len(data) > MOST_ANSWER_BYTES:
            raise Failed("TOOL_EXECUTION_ERROR", f"the agent's answer has more than {MOST_ANSWER_BYTES} bytes")
        if time.monotonic() > until:
            raise Failed("TOOL_EXECUTION_ERROR", "no whole answer in time")
    return data
