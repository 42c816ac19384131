"""The bus: who can be asked, found by capability or by a task in words, and requests that are answered once.

A message on it approves nothing: what an agent or a tool is asked for becomes a goal, planned and reviewed like any.
"""
