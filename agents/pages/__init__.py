"""What pages show, one room a subject: rows are read here, views and the socket render the templates.

Imports whatever holds rows, and `agents.presentation` for the words.
"""
