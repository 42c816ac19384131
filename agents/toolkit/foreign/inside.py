"""Speaks to an MCP server, in the jail, with Python's own library. Nothing that the server says is believed.

The server is a program that is started here (stdio), or an address that the network gate lets through. Its answers are
bounded in size and time, its tool must be the one that was reviewed, and what it asks of its client is declined.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import selectors
import shlex
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

PROTOCOL = "2025-06-18"
MOST_BYTES = 4 << 20
MOST_TEXT = 200_000
MOST_STRUCTURED = 100_000
MOST_TOOLS = 200
MOST_PAGES = 20
DEFINED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


class Refused(Exception):
    """The work ends here; the class is one of the sandbox's, the reason is for people."""

    def __init__(self, error_class: str, reason: str) -> None:
        super().__init__(reason)
        self.error_class, self.reason = error_class, reason


def digest_of(tool: Mapping[str, Any]) -> str:
    """One word for everything by which a tool is known."""
    known = {name: tool[name] for name in DEFINED if name in tool}
    return hashlib.sha256(json.dumps(known, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def listing(server: dict[str, str]) -> dict[str, Any]:
    """All tools of a server: {"tools": […]}, or a refusal."""
    return _speaking(server, lambda link: {"tools": _tools(link)})


def called(
    server: dict[str, str], reviewed: dict[str, str], mapping: dict[str, list[str]], params: dict[str, Any]
) -> dict[str, Any]:
    """Call the tool that was reviewed with the parameters of a step; the result, or a refusal.

    `reviewed`: {"name", "digest"}. `mapping`: {parameter of the step: [the server's, "text" | "number" | "json"]}.
    """
    try:
        arguments = _arguments(mapping, params)
    except Refused as refused:
        return {"error_class": refused.error_class, "reason": refused.reason}

    def work(link: Link) -> dict[str, Any]:
        _check(_tools(link), reviewed)
        if params.get("only_check"):
            return {"is_as_reviewed": True, "text": "", "truncated": False}
        return _told(link.ask("tools/call", {"name": reviewed["name"], "arguments": arguments}))

    return _speaking(server, work)


def _speaking(server: dict[str, str], work: Callable[[Link], dict[str, Any]]) -> dict[str, Any]:
    until = time.monotonic() + max(1.0, float(os.environ.get("MINDX_SECONDS", "30")) - 1)
    link: Link | None = None
    try:
        link = Program(server, until) if "command" in server else Address(server, until)
        link.ask(
            "initialize",
            {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "mindX", "version": "1"}},
        )
        link.tell("notifications/initialized")
        return work(link)
    except Refused as refused:
        return {"error_class": refused.error_class, "reason": refused.reason}
    except (OSError, http.client.HTTPException) as error:
        kind = "TOOL_UNAVAILABLE" if "command" in server else "NETWORK_ERROR"
        return {"error_class": kind, "reason": f"the server: {str(error) or type(error).__name__}"[:500]}
    finally:
        if link is not None:
            link.close()


def _arguments(mapping: dict[str, list[str]], params: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (theirs, kind) in mapping.items():
        if name not in params:
            continue
        try:
            value = json.loads(params[name]) if kind == "json" else params[name]
        except ValueError as error:
            raise Refused("INVALID_PARAMETERS", f"{name} is not JSON: {error}") from error
        if theirs:
            found[theirs] = value
        elif isinstance(value, dict):
            found = value
        else:
            raise Refused("INVALID_PARAMETERS", f"{name} is not a JSON object")
    return found


def _tools(link: Link) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = link.ask("tools/list", {"cursor": cursor} if cursor else {})
        some = page.get("tools")
        if not isinstance(some, list) or not all(
            isinstance(one, dict) and isinstance(one.get("name"), str) for one in some
        ):
            raise Refused("TOOL_EXECUTION_ERROR", "the server does not list its tools as the protocol says")
        tools += some
        cursor = page.get("nextCursor")
        if len(tools) > MOST_TOOLS:
            raise Refused("TOOL_EXECUTION_ERROR", f"the server lists more than {MOST_TOOLS} tools")
        if not isinstance(cursor, str):
            return tools
    raise Refused("TOOL_EXECUTION_ERROR", f"the server's list has more than {MOST_PAGES} pages")


def _check(tools: list[dict[str, Any]], reviewed: dict[str, str]) -> None:
    same = [one for one in tools if one["name"] == reviewed["name"]]
    if len(same) != 1:
        said = "does not list it any more" if not same else "lists it twice"
        raise Refused("TOOL_UNAVAILABLE", f"the server {said}: {reviewed['name']}")
    if digest_of(same[0]) != reviewed["digest"]:
        reason = "its description or parameters are not those that were reviewed; list its tools again and review it"
        raise Refused("PERMISSION_ERROR", f"{reviewed['name']}: {reason}")


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    content = answer.get("content")
    parts = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    text = "\n".join(str(one.get("text", "")) for one in parts if one.get("type") == "text")
    if answer.get("isError"):
        return {"error_class": "TOOL_EXECUTION_ERROR", "reason": f"the server says: {text[:1_500]}"}
    told: dict[str, Any] = {"text": text[:MOST_TEXT], "truncated": len(text) > MOST_TEXT}
    if others := sorted({str(one.get("type"))[:40] for one in parts if one.get("type") != "text"}):
        told["left_out"] = others
    structured = answer.get("structuredContent")
    if structured is not None and len(json.dumps(structured)) <= MOST_STRUCTURED:
        told["structured"] = structured
    elif structured is not None:
        told["left_out"] = [*others, "structured content"]
    return told


class Link:
    """What both ways of speaking to a server have in common."""

    def __init__(self, until: float) -> None:
        self.until, self._number, self._came = until, 0, 0

    def left_s(self) -> float:
        """How long is left. Raises Refused."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise Refused("TOOL_UNAVAILABLE", "the server did not answer in time")
        return left

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises Refused."""
        self._number += 1
        answer = self.asked({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        if "error" in answer:
            error = answer["error"] if isinstance(answer["error"], dict) else {}
            raise Refused("TOOL_EXECUTION_ERROR", f"the server refuses {method}: {str(error.get('message'))[:500]}")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise Refused("TOOL_EXECUTION_ERROR", f"the server's answer to {method} is not one of the protocol")
        return result

    def asked(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request; the message that answers it."""
        raise NotImplementedError

    def tell(self, method: str) -> None:
        """Send what has no answer."""
        raise NotImplementedError

    def reply(self, message: dict[str, Any]) -> None:
        """Answer the server."""
        raise NotImplementedError

    def close(self) -> None:
        """End the connection."""
        raise NotImplementedError

    def count(self, size: int) -> None:
        """Note what came. Raises Refused when it is too much."""
        self._came += size
        if self._came > MOST_BYTES:
            raise Refused("TOOL_EXECUTION_ERROR", f"the server sent more than {MOST_BYTES:,} bytes")

    def is_answer(self, message: Any, number: int) -> bool:
        """Whether this is the answer; a question of the server's own is declined."""
        if not isinstance(message, dict):
            raise Refused("TOOL_EXECUTION_ERROR", "the server's message is not one of the protocol")
        if "method" in message and "id" in message:
            ping = (
                {"result": {}} if message["method"] == "ping" else {"error": {"code": -32601, "message": "not offered"}}
            )
            self.reply({"jsonrpc": "2.0", "id": message["id"], **ping})
        return "method" not in message and message.get("id") == number

    def read(self, text: str) -> Any:
        """A message. Raises Refused."""
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Refused("TOOL_EXECUTION_ERROR", "the server's message is not JSON") from error


class Program(Link):
    """A server that is a program of this jail."""

    def __init__(self, server: dict[str, str], until: float) -> None:
        super().__init__(until)
        self._folder = tempfile.TemporaryDirectory()
        words = shlex.split(server["command"])
        if server.get("source"):
            path = Path(self._folder.name, "server")
            path.write_text(server["source"], encoding="utf-8")
            words = [str(path) if word == "{source}" else word for word in words]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("it has no pipes")
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._out.fileno(), False)
        os.set_blocking(self._in.fileno(), False)
        self._kept = b""

    def asked(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request; the message that answers it."""
        self._write(message)
        while True:
            answer: dict[str, Any] = self.read(self._line())
            if self.is_answer(answer, message["id"]):
                return answer

    def tell(self, method: str) -> None:
        """Send what has no answer."""
        self._write({"jsonrpc": "2.0", "method": method})

    def reply(self, message: dict[str, Any]) -> None:
        """Answer the server."""
        self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        left = json.dumps(message).encode() + b"\n"
        while left:
            self._wait(self._in, selectors.EVENT_WRITE)
            try:
                left = left[os.write(self._in.fileno(), left) :]
            except BrokenPipeError as error:
                raise self._gone() from error

    def _line(self) -> str:
        while b"\n" not in self._kept:
            self._wait(self._out, selectors.EVENT_READ)
            came = os.read(self._out.fileno(), 1 << 16)
            if not came:
                raise self._gone()
            self.count(len(came))
            self._kept += came
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _wait(self, file: IO[bytes], event: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(file, event)
            if not selector.select(self.left_s()):
                self.left_s()

    def _gone(self) -> Refused:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return Refused("TOOL_UNAVAILABLE", "the server closed its output")
        return Refused("TOOL_UNAVAILABLE", f"the server ended with exit code {code}")

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


class Address(Link):
    """A server at an address of the web, by the protocol's streamable HTTP."""

    def __init__(self, server: dict[str, str], until: float) -> None:
        super().__init__(until)
        self._at = urlsplit(server["address"])
        self._session: str | None = None

    def asked(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a request; the message that answers it."""
        response = self._post(message)
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        self._session = self._session or response.getheader("Mcp-Session-Id")
        if response.status >= 400:
            raise Refused("NETWORK_ERROR", f"the server answers with status {response.status}")
        if kind == "text/event-stream":
            return self._of_stream(response, message["id"])
        if response.status != 200 or kind != "application/json":
            raise Refused(
                "TOOL_EXECUTION_ERROR", f"the server answers {response.status} {kind[:60]}, which is not the protocol's"
            )
        text = b""
        while came := response.read1(1 << 16):
            self.count(len(came))
            text += came
            self.left_s()
        answer: dict[str, Any] = self.read(text.decode("utf-8", "replace"))
        if not self.is_answer(answer, message["id"]):
            raise Refused("TOOL_EXECUTION_ERROR", "the server answered something else")
        return answer

    def tell(self, method: str) -> None:
        """Send what has no answer."""
        self._post({"jsonrpc": "2.0", "method": method}).close()

    def reply(self, message: dict[str, Any]) -> None:
        """Answer the server."""
        self._post(message).close()

    def _of_stream(self, response: http.client.HTTPResponse, number: int) -> dict[str, Any]:
        data: list[str] = []
        while True:
            line = response.readline(MOST_BYTES)
            self.count(len(line))
            self.left_s()
            said = line.decode("utf-8", "replace").rstrip("\r\n")
            if said.startswith("data:"):
                data.append(said[5:].lstrip(" "))
            elif not said and data:
                text, data = "\n".join(data), []
                answer: dict[str, Any] = self.read(text) if text.strip() else {"method": ""}
                if self.is_answer(answer, number):
                    return answer
            if not line:
                raise Refused("NETWORK_ERROR", "the server closed the connection before it answered")

    def _post(self, message: dict[str, Any]) -> http.client.HTTPResponse:
        host, port = self._at.hostname or "", self._at.port
        connection: http.client.HTTPConnection
        if self._at.scheme == "https":
            trusted = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=self.left_s(), context=trusted)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=self.left_s())
        path = (self._at.path or "/") + (f"?{self._at.query}" if self._at.query else "")
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= {"Connection": "close", "User-Agent": "mindX", "MCP-Protocol-Version": PROTOCOL}
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        connection.request("POST", path, json.dumps(message).encode(), headers)
        return connection.getresponse()

    def close(self) -> None:
        """Every request had a connection of its own."""
