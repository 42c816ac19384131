"""The language of plan rules: reading it, matching goals, judging conditions, choosing a rule, checking rules.

Pure; only `starter` reads files (its own, shipped with the package). The language is described in docs/rules.md.
"""
