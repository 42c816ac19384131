"""Addresses of the pages that explain the tools, and of those where people make some."""

from django.urls import path

from agents.views.library import mcp_servers, tool_editor, tools

urlpatterns = [
    path("", tools.listing, name="tools"),
    path("new/", tool_editor.new, name="tool-new"),
    path("check/", tool_editor.check, name="tool-check"),
    path("mcp/", mcp_servers.listing, name="mcp-servers"),
    path("mcp/<int:pk>/", mcp_servers.one, name="mcp-server"),
    path("mcp/<int:pk>/refresh/", mcp_servers.act, {"act": "refresh"}, name="mcp-server-refresh"),
    path("mcp/<int:pk>/remove/", mcp_servers.act, {"act": "remove"}, name="mcp-server-remove"),
    path("<slug:name>/", tools.detail, name="tool"),
    path("<slug:name>/edit/", tool_editor.edit, name="tool-edit"),
    path("<slug:name>/evolve/", tools.ask_model, name="tool-evolve"),
    path("<slug:name>/search/", tools.search, name="tool-search"),
    path("<slug:name>/versions/<int:version>/<str:move>/", tools.move, name="tool-version"),
]
