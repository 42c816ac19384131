"""Taking goals in, changing their terms, cancelling them, and what belongs to the goal as a whole."""
