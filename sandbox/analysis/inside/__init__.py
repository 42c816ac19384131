"""Runs in the jail to analyse code: the standard library, ruff and vulture. It never imports the analysed code.

The code, its names and its comments may be hostile. Of its settings only the oldest supported Python is read, and no
analyser is told where the settings are.
"""
