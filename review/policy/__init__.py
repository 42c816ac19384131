"""What a policy says of a plan: conditions, and one verdict out of many. Pure: no Django, no clock, no rows."""
