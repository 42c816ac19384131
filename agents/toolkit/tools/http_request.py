"""Requests to approved hosts. The method is the command, so that each has the effect class it deserves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agents.toolkit import refusal, web_address
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import address, fields, hosts, line, number, path, switch
from agents.toolkit.http_request import inside
from agents.toolkit.http_request.saying import SAID
from agents.toolkit.jailed import in_jail
from agents.toolkit.trial import Trial

NAME = "http_request"
_REACH = "[with access to {hosts}] [with the headers {headers}] [within {timeout_s} seconds]"
_URL = "https://api.example.org/items/7"
_HEADERS = {"type": "string", "title": "Headers, one a line", "maxLength": 8_000, "x-multiline": True}
_CONTENT = {
    "type": "string",
    "title": "Content",
    "maxLength": 1_000_000,
    "x-reference": True,
    "x-multiline": True,
}
_COMMON: Mapping[str, Any] = {
    "url": address("Address"),
    "hosts": hosts("Further hosts, for redirects"),
    "headers": _HEADERS,
    "timeout_s": number("Time limit in seconds", 2, 300, default=20),
    "ca_file": path("File with a further certificate authority to trust"),
}
_READING: Mapping[str, Any] = {
    "any_status": switch("An answer of 400 or above counts as success too", default=False),
    "most_bytes": number("Keep at most so many bytes", 1, inside.MOST_TEXT_BYTES, default=100_000),
}
_SENDING: Mapping[str, Any] = {
    "content": _CONTENT,
    "content_type": line("Type of the content", 200, default="application/json", pattern=r"^[\x20-\x7e]+$"),
}

_WEB = {"/items": '{"count": 2}'}
_AT = {"url": "{web}/items"}
_SENT = (Trial({**_AT, "content": "{}"}, web=_WEB, result={"status_code": 200}, changes=()),)
_TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "get": (
        Trial(_AT, web=_WEB, result={"status_code": 200, "json": {"count": 2}}, changes=()),
        Trial({"url": "{web}/none"}, web=_WEB, error="TOOL_EXECUTION_ERROR", changes=()),
        Trial({"url": "{web}/none", "any_status": True}, web=_WEB, result={"status_code": 404}, changes=()),
    ),
    "head": (Trial(_AT, web=_WEB, result={"text": ""}, changes=()),),
    "download": (
        Trial({**_AT, "file": "items.json"}, web=_WEB, changes=("items.json",)),
        Trial({**_AT, "file": "a.txt"}, {"a.txt": "kept"}, web=_WEB, error="INVALID_PARAMETERS", changes=()),
    ),
    "post": _SENT,
    "put": _SENT,
    "patch": _SENT,
    "delete": (Trial(_AT, web=_WEB, result={"status_code": 200}, changes=()),),
}


def _faults(params: Params) -> Iterator[tuple[str, str]]:
    """What is wrong with headers, as the request itself would say it."""
    try:
        web_address.headers(str(params.get("headers", "")))
    except ValueError as error:
        yield "headers", str(error)


def _command(
    method: str,
    summary: str,
    effect: str,
    phrases: tuple[str, ...],
    more: Mapping[str, Any],
    example: Params,
    name: str = "",
    required: tuple[str, ...] = (),
) -> Command:
    schema = fields({**_COMMON, **more}, "url", *required)
    work = in_jail(inside, schema, reads_only=effect != "workspace", parts=(refusal, web_address), method=method)
    told = ("message", "sha256") if "file" in more else () if method == "HEAD" else ("text", "json")
    keys = ("status_code", "headers", "url", *told)
    return Command(
        NAME,
        name or method.lower(),
        summary,
        schema,
        phrases,
        effect,
        work,
        keys,
        (example,),
        trials=_TRIALS[name or method.lower()],
        faults=_faults,
    )


def _sending(method: str, word: str, summary: str, effect: str) -> Command:
    phrases = (
        f"{word} {{content}} to the address {{url}} [as {{content_type}}] {_REACH}",
        f"{word} {{content}} to the address {{url}}",
    )
    example = {"url": _URL, "content": '{"name": "rain"}'}
    return _command(method, summary, effect, phrases, {**_SENDING, **_READING}, example, required=("content",))


TOOL = Tool(
    NAME,
    "HTTP requests",
    "Asks web servers, one request a step, from within the jail. A step reaches the host of its address and those it "
    "names besides, and nothing else: redirects to other hosts are refused. It sends no password, cookie or key.",
    (
        _command(
            "GET",
            "Get what an address answers: status, headers, and the text or value of the answer.",
            "idempotent",
            (
                f"request the address {{url}} {_REACH} [keeping at most {{most_bytes}} bytes] "
                "[with any status {any_status}] [trusting the file {ca_file}]",
                "(request|fetch|get) [the address] {url}",
            ),
            _READING,
            {"url": "https://api.example.org/items?limit=5"},
        ),
        _command(
            "HEAD",
            "Get the status and the headers of an address, without its content.",
            "idempotent",
            (f"request the headers of the address {{url}} {_REACH}",),
            {"any_status": _READING["any_status"]},
            {"url": "https://example.org/"},
        ),
        _command(
            "GET",
            "Get what an address answers into a new file of the workspace.",
            "workspace",
            (
                f"download the address {{url}} to the file {{file}} {_REACH}",
                "download {url} (to|as|into) [the file] {file}",
            ),
            {"file": path("New file")},
            {"url": "https://example.org/data.csv", "file": "data.csv"},
            name="download",
            required=("file",),
        ),
        _sending("POST", "post", "Send something to an address. It is never sent twice by itself.", "once"),
        _sending("PUT", "put", "Put something at an address, in the place of what is there.", "keyed"),
        _sending("PATCH", "send the change", "Change what is at an address. It is never sent twice by itself.", "once"),
        _command(
            "DELETE",
            "Delete what is at an address.",
            "keyed",
            (f"delete what is at the address {{url}} {_REACH}",),
            _READING,
            {"url": _URL},
        ),
    ),
    SAID,
)
