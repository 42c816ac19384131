"""What the bus decides: who gets a request, whether a breaker lets it through, and where calls among agents end. Pure:
no rows, no clock.
"""
