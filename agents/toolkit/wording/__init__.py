"""Words, slots and kinds of values: what commands and rules are both said in."""
