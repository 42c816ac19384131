"""Files on pages: what a goal changed, how two snapshots differ, and which goal has the files that others wait for.

Imports no other room of pages.
"""
