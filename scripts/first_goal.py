"""The first goal by the API alone; called by first_goal.sh, which brings the token. Standard library only."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

TEXT = "Create a Python project named api_client with a virtual environment and a script that prints the Python version"
URL = os.environ.get("MINDX_URL", f"http://127.0.0.1:{os.environ.get('MINDX_PORT') or 8000}").rstrip("/") + "/api/v1/"
VERSION = re.compile(r"\bPython \d+\.\d+\.\d+|^\s*3\.\d+\.\d+", re.MULTILINE)
ENDED = {"achieved", "failed", "dropped", "manual"}


class Failed(Exception):
    """Something is not as it must be; the message says what."""


def ask(method: str, path: str, body: object = None) -> tuple[int, Any]:
    """One request; returns the status and the decoded JSON."""
    request = urllib.request.Request(
        URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['MINDX_TOKEN']}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, text
    except urllib.error.URLError as error:
        raise Failed(f"{URL} does not answer ({error.reason}). Is mindX running? make up") from error


def get(path: str) -> Any:
    """GET that must succeed."""
    return expect(200, "GET", path)


def expect(status: int, method: str, path: str, body: object = None) -> Any:
    """A request that must be answered with this status."""
    got, answer = ask(method, path, body)
    if got != status:
        raise Failed(f"{method} {path} answered {got} instead of {status}: {answer}")
    return answer


def until(what: str, look: Callable[[], Any], *, within_s: float) -> Any:
    """Look again and again until something is there; returns it."""
    deadline = time.monotonic() + within_s
    while not (found := look()):
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {within_s:g} s")
        time.sleep(0.2)
    return found


def wait_for_state(goal: str, wanted: str, *, within_s: float) -> dict[str, Any]:
    """The goal once it is in that state; fails at once when it ends otherwise."""

    def look() -> dict[str, Any] | None:
        now: dict[str, Any] = get(f"goals/{goal}")
        if now["state"] != wanted and now["state"] in ENDED:
            log = "\n".join(f"    {line['source']}: {line['text']}" for line in get(f"goals/{goal}/log")["lines"][-20:])
            raise Failed(f"the goal is {now['state']} ({now['reason']}) instead of {wanted}\n{log}")
        return now if now["state"] == wanted else None

    found: dict[str, Any] = until(f"goal {goal} in state {wanted}", look, within_s=within_s)
    return found


def say(text: str) -> None:
    """Tell the person at the terminal, at once."""
    print(text, flush=True)


def run() -> None:
    """The whole way. Raises Failed."""
    goal = expect(201, "POST", "goals", {"text": TEXT})
    say(f"submitted as goal {goal['id']}")
    goal = wait_for_state(goal["id"], "awaiting_review", within_s=120)

    plan = get(f"intent-plans/{goal['intent_plan']}")
    say(f"plan {plan['id']} awaits review: {len(plan['intents'])} steps, digest {plan['digest']}")
    for intent in plan["intents"]:
        say(f"    {intent['position']}. {intent['tool']}.{intent['command']} {json.dumps(intent['params'])[:100]}")
    if not plan["intents"]:
        raise Failed("the plan has no steps")

    other = ("0" if plan["digest"][0] != "0" else "1") + plan["digest"][1:]
    for digest in (other, plan["digest"][:-1], "no digest at all", "", 7, None):
        expect(409, "POST", f"intent-plans/{plan['id']}/approve", {"digest": digest})
    say("wrong and malformed digests are refused with 409")

    expect(202, "POST", f"intent-plans/{plan['id']}/approve", {"digest": plan["digest"]})
    say("approved")
    goal = wait_for_state(goal["id"], "achieved", within_s=300)
    say("achieved")

    lines = get(f"goals/{goal['id']}/log")["lines"]
    version = next((text for text in (line["text"] for line in lines) if VERSION.search(text)), None)
    if version is None:
        raise Failed("no log line holds the interpreter's version:\n" + "\n".join(line["text"] for line in lines))
    say(f"the log holds: {version.strip()}")

    files = json.dumps(get(f"workspaces/{urllib.parse.quote(goal['workspace'], safe='')}/files"))
    if "api_client" not in files:
        raise Failed(f"the workspace does not hold the project: {files[:500]}")
    say(f"workspace {goal['workspace']} holds the project")

    query = urllib.parse.urlencode({"q": "python project"})
    until(
        "the experience in a search for “python project”",
        lambda: any(TEXT in json.dumps(item) for item in get(f"experiences?{query}")["items"]),
        within_s=60,
    )
    say("searching “python project” finds the experience")


if __name__ == "__main__":
    try:
        run()
    except Failed as problem:
        sys.exit(f"first goal: {problem}")
