"""Addresses of mastermind and its backlog."""

from django.urls import path

from agents.views import backlog, mastermind
from agents.views.library import copies

urlpatterns = [
    path("", mastermind.commands, name="mastermind"),
    path("copies/<int:pk>/", copies.detail, name="mastermind-copy"),
    path("copies/<int:pk>/<slug:verdict>/", copies.decide, name="mastermind-copy-decide"),
    path("backlog/", backlog.listing, name="mastermind-backlog"),
    path("backlog/decide/", backlog.decide, name="mastermind-decide"),
    path("backlog/process/", backlog.process, name="mastermind-process"),
    path("backlog/lift/", backlog.lift, name="mastermind-lift"),
    path("backlog/<int:pk>/", backlog.detail, name="mastermind-item"),
]
