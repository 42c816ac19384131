"""Planning by rules: from a goal and beliefs to steps, with the evidence for the choice.

Imports `plans` and `beliefs`.
"""
