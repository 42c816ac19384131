"""Pages of people: entering, leaving, one's own account."""
