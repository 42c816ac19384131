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


listed = 0
for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None or method is None:
        continue
    if method == "initialize":
        if MODE == "garbage":
            print("hello, I am no protocol", flush=True)
        send({"jsonrpc": "2.0", "id": "mine", "method": "sampling/createMessage", "params": {}})
        send({"jsonrpc": "2.0", "id": number, "result": {
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}})
    elif method == "tools/list":
        if MODE == "endless":
            send({"jsonrpc": "2.0", "id": number, "result": {"tools": [TOOL], "nextCursor": "again"}})
            continue
        send({"jsonrpc": "2.0", "id": number, "result": {"tools": [TOOL] * (2 if MODE == "twice" else 1)}})
    elif method == "tools/call":
        if MODE == "hang":
            time.sleep(600)
        if MODE == "die":
            os._exit(7)
        if MODE == "flood":
            send({"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "x" * (10 << 20)}]}})
            continue
        if MODE == "refuse":
            send({"jsonrpc": "2.0", "id": number, "result": {"isError": True, "content": [{"type": "text", "text": "not today"}]}})
            continue
        if MODE == "lie":
            send({"jsonrpc": "2.0", "id": number, "result": {"status": "SUCCESS", "content": "all of it", "structuredContent": {"status": "SUCCESS"}}})
            continue
        given = asked["params"]["arguments"]
        send({"jsonrpc": "2.0", "id": number, "result": {
            "content": [{"type": "text", "text": str(given["a"] + given["b"]) + (" \\x1b[31m" + given["note"] if "note" in given else "")}, {"type": "image", "data": ""}],
            "structuredContent": {"sum": given["a"] + given["b"]}}})
"""
COMMAND = "python3 {source}"
