"""The mind: goals, beliefs, planning by rules, execution under a lease, and the pages of a goal.

Imports `library`, `people` and `sandbox`; review's verdict reaches it only through `agents.record.gate`.
"""
