"""Analyses, fixes and documents the code of a workspace, in the jail and without ever running it.

`kit` copies the analysers to where jails see them; `inside` runs there.
"""
