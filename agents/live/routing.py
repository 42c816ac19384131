"""Addresses of the sockets. Session and origin are checked around them, in the ASGI application."""

from typing import Any, cast

from django.urls import path, re_path

from agents.live.consumers import GoalConsumer, QueueConsumer


async def nothing_here(scope: Any, receive: Any, send: Any) -> None:
    """Refuse the handshake at any other address; without this route Channels raises an error for it."""
    await receive()
    await send({"type": "websocket.close"})


websocket_urlpatterns = [
    path("ws/goals/<int:pk>/", GoalConsumer.as_asgi()),
    path("ws/queue/", QueueConsumer.as_asgi()),
    re_path("", cast("Any", nothing_here)),
]
