"""Acting in environments of text by plan rules: percepts become beliefs, rules are chosen by them, lines are actions.

Pure: environments and entailment are handed in. The way an agent takes is described in docs/environments.md.
"""
