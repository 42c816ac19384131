"""The inbox end to end: the programs of docs/inbox.md, as they stand there, with the real frameworks."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = [pytest.mark.extras, pytest.mark.xdist_group("whole")]
PAGE = Path(__file__).parents[2] / "docs" / "inbox.md"
CALL = {"to": "a@example.org", "text": "The invoice for May is due."}
EDITED = {"to": "b@example.org"}
# What a person says, and which of the program's last words show that it was heard.
DECISIONS: dict[str, tuple[dict[str, Any], str]] = {
    "approve": ({"decision": "approve"}, "'sent': {'to': 'a@example.org'}"),
    "edit": ({"decision": "edit", "answer": EDITED}, "'sent': {'to': 'b@example.org'}"),
    "edit_to_nothing": ({"decision": "edit", "answer": {}}, "'sent': {}"),
    "reject": ({"decision": "reject", "reason": "not in May"}, "'why': 'not in May'"),
}


def programs() -> list[str]:
    """The page's examples: the module that asks, LangGraph, the OpenAI Agents SDK."""
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert [("langgraph" in one, "function_tool" in one) for one in found] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    return found


@contextmanager
def running(python: str, text: str, folder: Path, whole: Whole, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Start a program of the page beside its module, in a folder of its own; ended with the block."""
    (folder / "inbox.py").write_text(programs()[0])
    (folder / "program.py").write_text(text)
    token = whole.running.manage("token", "admin", "--scope", "goals:write", "--scope", "goals:read")
    its = {
        "PATH": os.environ["PATH"],
        "MINDX_URL": whole.address,
        "MINDX_TOKEN": token.strip().splitlines()[-1],
        **environment,
    }
    with subprocess.Popen(
        [python, "program.py"], cwd=folder, env=its, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def asked(whole: Whole, source: str, process: subprocess.Popen[str]) -> dict[str, Any]:
    """The request of this program that waits."""
    found: list[dict[str, Any]] = []

    def waits() -> bool:
        assert process.poll() is None, process.stdout and process.stdout.read()
        rows = whole.api.get("inbox", params={"state": "waiting"}).raise_for_status().json()["items"]
        found[:] = [row for row in rows if row["source"] == source]
        return bool(found)

    wait_until(waits, within=60, what=f"{source} asks")
    (row,) = found
    return row


def decide(whole: Whole, row: dict[str, Any], **decision: Any) -> None:
    whole.api.post(f"inbox/{row['id']}/decide", json={"digest": row["digest"], **decision}).raise_for_status()


@pytest.mark.skipif(importlib.util.find_spec("langgraph") is None, reason="requirements-agents.txt is not installed")
@pytest.mark.parametrize("way", DECISIONS)
def test_a_graph_of_langgraph_waits_for_a_person_and_does_what_was_decided(
    way: str, whole: Whole, tmp_path: Path
) -> None:
    decision, says = DECISIONS[way]
    with running(sys.executable, programs()[1], tmp_path, whole) as process:
        row = asked(whole, "mail graph", process)
        assert (row["tool"], row["arguments"], row["thread"]) == ("mail.send", {"to": "a@example.org"}, "may")
        decide(whole, row, **decision)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert says in told


class Scripted:
    """A model server on loopback (the Responses protocol): first a call of `send_mail`, then the result it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(outer.answer(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """What the model says to this conversation."""
        results = [item["output"] for item in body["input"] if item.get("type") == "function_call_output"]
        if results:
            self.told += results
            text = {"type": "output_text", "text": f"The tool said: {results[0]}", "annotations": []}
            said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
        else:
            said = {
                "type": "function_call",
                "id": "f",
                "call_id": "c",
                "name": "send_mail",
                "arguments": json.dumps(CALL),
                "status": "completed",
            }
        usual = {"object": "response", "created_at": 0, "status": "completed", "error": None, "tools": []}
        return {
            "id": "r",
            "model": body["model"],
            "output": [said],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
        } | usual

    @contextmanager
    def served(self) -> Iterator[str]:
        """Its address, while it answers."""
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield self.address
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


@pytest.mark.parametrize(
    ("decision", "says"),
    [
        ({"decision": "approve"}, "sent to a@example.org"),
        ({"decision": "reject", "reason": "not in May"}, "Not approved: not in May"),
    ],
    ids=["approve", "reject"],
)
def test_an_agent_of_the_openai_sdk_waits_for_a_person_and_does_what_was_decided(
    decision: dict[str, Any], says: str, whole: Whole, tmp_path: Path
) -> None:
    from agents.frameworks import of_openai_agents

    if not of_openai_agents.is_there():
        pytest.skip("the environment of `make extras-openai-agents` is not there")
    model = Scripted()
    with model.served() as address:
        environment = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
        with running(str(of_openai_agents.python()), programs()[2], tmp_path, whole, **environment) as process:
            row = asked(whole, "mail agent", process)
            assert (row["tool"], row["arguments"]) == ("send_mail", CALL)
            assert not model.told, "nothing was called before somebody decided"
            decide(whole, row, **decision)
            told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert model.told == [says]
    assert f"The tool said: {says}" in told
