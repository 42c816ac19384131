"""What runs in the jail to look at code: the standard library, ruff and vulture. Nothing here imports what it looks at.

The code, its names and its comments may have been written by somebody hostile. Of its settings only the oldest Python
that it asks for is read, and no analyser is told where its settings are.
"""
