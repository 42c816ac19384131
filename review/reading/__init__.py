"""What a plan's bytes say to the person who decides: pure, and nothing of it is cut."""
