"""What an agent can do: tools with commands, each with a schema, English phrases and its predicted effects.

A tool is one file in `agents/toolkit/tools/`; the registry finds it there.
"""
