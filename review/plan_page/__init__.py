"""Everything that the page of one plan shows.

Imports `queue` and below.
"""
