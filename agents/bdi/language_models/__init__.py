"""What language models are asked for (plans, files, rules, tools) and how their answers are read and checked.

Imports `plans`.
"""
