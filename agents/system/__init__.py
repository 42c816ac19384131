"""The system agents: they search, design, remember and read plans for others. They decide nothing and approve nothing.

What acts goes through goals, whose plans people review.
"""
