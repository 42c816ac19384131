"""Pages of components: where one is shown, who uses it, a design of several, a workflow, the tools of an MCP server.

Imports no other room of pages.
"""
