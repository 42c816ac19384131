"""Tools of MCP servers that other people wrote: how one becomes the text of a made tool, and what speaks to its server
in the jail. Pure.
"""
