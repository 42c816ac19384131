"""The page of one goal and the list of all: rows, what a person may do, the log, the result, the tree.

Imports the rooms `files` and `library`; only `sessions` imports this one.
"""
