"""A program: the official A2A client submits a goal, asks until somebody else has decided it, and reads the result.

usage: official_client.py ADDRESS TOKEN TEXT; prints one line of JSON for each state it sees.
"""

from __future__ import annotations

import asyncio
import json
import sys

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers.proto_helpers import get_data_parts, new_text_message
from a2a.types import GetTaskRequest, ListTasksRequest, Role, SendMessageRequest, Task, TaskState
from google.protobuf.json_format import MessageToDict

OVER = ("TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED")
LOOKS = 600
PAUSE_S = 0.2


def tell(task: Task) -> str:
    """Print a task; its state."""
    state = TaskState.Name(task.status.state)
    told = {"id": task.id, "state": state, "data": get_data_parts(task.status.message.parts)}
    told["artifacts"] = [MessageToDict(one) for one in task.artifacts]
    print(json.dumps(told), flush=True)
    return state


async def main(address: str, token: str, text: str) -> None:
    """Its whole life, bounded."""
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as link:
        client = await create_client(address, ClientConfig(httpx_client=link, streaming=False))
        message = new_text_message(text, role=Role.ROLE_USER)
        seen = ""
        async for event in client.send_message(SendMessageRequest(message=message)):
            seen, number = tell(event.task), event.task.id
        for _ in range(LOOKS):
            task = await client.get_task(GetTaskRequest(id=number))
            state = TaskState.Name(task.status.state)
            if state != seen:
                seen = tell(task)
            if seen in OVER:
                break
            await asyncio.sleep(PAUSE_S)
        listed = await client.list_tasks(ListTasksRequest())
        print(json.dumps({"listed": [task.id for task in listed.tasks]}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
