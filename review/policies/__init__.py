"""Policies that people wrote: stored, changed, replayed on history, and asked about one plan.

Imports `entries`, `audit`, `rights` and below; the pure verdict is in `policy`.
"""
