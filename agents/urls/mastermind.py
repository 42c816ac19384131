"""Addresses of mastermind and its backlog."""

from django.urls import path

from agents.views import backlog, mastermind

urlpatterns = [
    path("", mastermind.commands, name="mastermind"),
    path("backlog/", backlog.listing, name="mastermind-backlog"),
    path("backlog/decide/", backlog.decide, name="mastermind-decide"),
    path("backlog/process/", backlog.process, name="mastermind-process"),
    path("backlog/lift/", backlog.lift, name="mastermind-lift"),
    path("backlog/rules/", backlog.rules, name="mastermind-rules"),
    path("backlog/<int:pk>/", backlog.detail, name="mastermind-item"),
]
