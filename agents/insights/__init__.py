"""The cases behind the insights of the mind, and their sums of days."""
