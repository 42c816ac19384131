"""MCP servers that people added: what they list becomes candidates of the library; what has changed is stopped."""
