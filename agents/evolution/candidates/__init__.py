"""How a candidate comes to be: written by a person, by a model, by a search, or taken from a file.

Imports all other rooms of evolution; none of them imports this one.
"""
