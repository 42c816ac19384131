"""Words as values of parameters: paths, texts, names, command lines, settings, time limits.

Imports `names` and `words`.
"""
