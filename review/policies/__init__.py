"""Policies that people wrote: kept, changed, replayed on history, and asked about one plan.

Imports `entries`, `audit`, `rights` and below; the pure verdict is in `policy`.
"""
