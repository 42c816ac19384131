"""Writing decisions: the only way into the rows of review."""
