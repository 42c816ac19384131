"""What is learned from goals that have ended: experiences, rules made from plans, and values that people corrected.

Imports `planning`, `recovery`, `plans`, `outcome` and `beliefs`.
"""
