"""How an imprecise command in plain English becomes exactly the meant command with its parameters, or a question.

Words, spelling, paths, clauses, readings and decisions, one idea a file. Pure: the world comes in as plain values.
"""
