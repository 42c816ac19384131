"""How dangerous a step is and what it acts on, from the plan and from how often similar steps failed. Pure.

Imports `errors` and packages below review.
"""
