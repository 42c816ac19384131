"""Addresses of the agents."""

from django.urls import path

from agents.views.agents import agents, architect, foreign, system

urlpatterns = [
    path("", agents.listing, name="agents"),
    path("foreign/", foreign.listing, name="agents-foreign"),
    path("foreign/readings/", foreign.readings, name="agents-foreign-readings"),
    path("stop", agents.stop_all, name="agents-stop"),
    path("go-on", agents.go_on, name="agents-go-on"),
    path("system/", system.page, name="system-agents"),
    path("system/design/", architect.design, name="architect"),
    path("<int:pk>/", agents.detail, name="agent"),
    path("<int:pk>/versions/<int:version>", agents.become, name="agent-version"),
    path("<int:pk>/pause", agents.pause, name="agent-pause"),
    path("<int:pk>/resume", agents.resume, name="agent-resume"),
    path("<int:pk>/commitment", agents.commit, name="agent-commitment"),
    path("<int:pk>/memory", agents.use_memory, name="agent-memory"),
]
