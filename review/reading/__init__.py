"""A plan's bytes in words for the person who decides. Pure; nothing is cut."""
