"""One file, one tool: each holds a constant TOOL. A new file here is found by itself."""
