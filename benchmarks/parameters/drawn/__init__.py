"""Imprecise commands of known meaning, drawn by chance: a meaning first, then words for it, then what people get wrong.

The wordings are these files' own. Nothing of the product is read here but which tools there are, and nothing of the
product reads this.
"""
