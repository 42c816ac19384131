"""Memory: what finished goals taught, found again by meaning, with the rights of the goal."""
