"""The policies' verdict on a plan: conditions, and one verdict from many. Pure: no Django, no clock, no rows."""
