"""Addresses of the pages that explain the tools, and of those where people make some."""

from django.urls import path

from agents.views import tool_editor, tools

urlpatterns = [
    path("", tools.listing, name="tools"),
    path("new/", tool_editor.new, name="tool-new"),
    path("check/", tool_editor.check, name="tool-check"),
    path("<slug:name>/", tools.detail, name="tool"),
    path("<slug:name>/edit/", tool_editor.edit, name="tool-edit"),
    path("<slug:name>/evolve/", tools.ask_model, name="tool-evolve"),
    path("<slug:name>/search/", tools.search, name="tool-search"),
    path("<slug:name>/versions/<int:version>/<str:move>/", tools.move, name="tool-version"),
]
