"""How dangerous a step is and what it acts on, told from the plan and from how often such steps failed. Pure.

Imports `errors` and what lies below review.
"""
