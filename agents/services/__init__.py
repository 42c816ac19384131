"""Services of the mind: each loads rows, asks the pure core, stores what it decided."""
