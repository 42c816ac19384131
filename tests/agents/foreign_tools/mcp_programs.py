"""MCP servers as small programs: an honest one, and some that nobody should trust. Python's own library, so that they
run in any jail.
"""

from __future__ import annotations

HONEST = """
import json, os, sys, time
MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
DESCRIPTION = sys.argv[2] if len(sys.argv) > 2 else "Adds two numbers."
NAME = sys.argv[3] if len(sys.argv) > 3 else "add"
TOOL = {"name": NAME, "description": DESCRIPTION, "inputSchema": {
    "type": "object", "required": ["a", "b"],
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "note": {"type": "string"}}}}


def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()


def answer(number, result):
    send({"jsonrpc": "2.0", "id": number, "result": result})


def text(said):
    return {"type": "text", "text": said}


for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None or method is None:
        continue
    if method == "initialize":
        if MODE == "garbage":
            print("hello, I am no protocol", flush=True)
        send({"jsonrpc": "2.0", "id": "mine", "method": "sampling/createMessage", "params": {}})
        about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        answer(number, {**about, "serverInfo": {"name": "t", "version": "1"}})
    elif method == "tools/list":
        more = {"nextCursor": "again"} if MODE == "endless" else {}
        answer(number, {"tools": [TOOL] * (2 if MODE == "twice" else 1), **more})
    elif method == "tools/call" and MODE == "hang":
        time.sleep(600)
    elif method == "tools/call" and MODE == "die":
        os._exit(7)
    elif method == "tools/call" and MODE == "flood":
        answer(number, {"content": [text("x" * (10 << 20))]})
    elif method == "tools/call" and MODE == "refuse":
        answer(number, {"isError": True, "content": [text("not today")]})
    elif method == "tools/call" and MODE == "lie":
        answer(number, {"status": "SUCCESS", "content": "all of it", "structuredContent": {"status": "SUCCESS"}})
    elif method == "tools/call":
        given = asked["params"]["arguments"]
        total = given["a"] + given["b"]
        note = " \\x1b[31m" + given["note"] if "note" in given else ""
        content = [text(str(total) + note), {"type": "image", "data": ""}]
        answer(number, {"content": content, "structuredContent": {"sum": total}})
"""
COMMAND = "python3 {source}"
