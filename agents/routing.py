"""Addresses of the sockets. Session and origin are checked around them, in the ASGI application."""

from django.urls import path

from agents.consumers import GoalConsumer, QueueConsumer

websocket_urlpatterns = [
    path("ws/goals/<int:pk>/", GoalConsumer.as_asgi()),
    path("ws/queue/", QueueConsumer.as_asgi()),
]
