"""Pages of review: find, check rights, call one service, render."""
