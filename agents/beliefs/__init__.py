"""What is held true for a goal: perceived, told, and loaded for the pure core."""
