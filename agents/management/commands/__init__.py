"""Commands of the mind."""
