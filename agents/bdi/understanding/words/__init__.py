"""English words and how they are written: base forms, spelling, synonyms, numerals, tokens, words of commands.

Imports no other room of `understanding`.
"""
