"""The page of a goal's session: what plans and people typed into its terminal, and who may type there now.

Imports the room `goals`; no other room imports this one.
"""
