"""A program: the official A2A client submits a goal as a stream, or subscribes to a task, and tells each event.

usage: streaming_client.py ADDRESS TOKEN send TEXT | subscribe TASK [EVENTS]; prints one line of JSON for each event,
and goes away after so many of them, in the middle of the stream.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator

import httpx
from a2a.client import Client, ClientConfig, create_client
from a2a.helpers.proto_helpers import new_text_message
from a2a.types import Role, SendMessageRequest, StreamResponse, SubscribeToTaskRequest
from google.protobuf.json_format import MessageToDict


def events(client: Client, verb: str, what: str) -> AsyncIterator[StreamResponse]:
    """The stream that was asked for."""
    if verb == "send":
        return client.send_message(SendMessageRequest(message=new_text_message(what, role=Role.ROLE_USER)))
    return client.subscribe(SubscribeToTaskRequest(id=what))


async def main(address: str, token: str, verb: str, what: str, most: str = "1000") -> None:
    """Its whole life; the client's own patience (five seconds without a byte) is left as it is."""
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as link:
        client = await create_client(address, ClientConfig(httpx_client=link, streaming=True))
        left = int(most)
        async for event in events(client, verb, what):
            kind = event.WhichOneof("payload")
            print(json.dumps({"kind": kind, **MessageToDict(getattr(event, kind))}), flush=True)
            left -= 1
            if not left:
                return
        print(json.dumps({"kind": "end"}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
