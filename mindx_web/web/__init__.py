"""What stands around every request of a browser: limits, origins, refusals, outages, what each page needs.

Imports `people` and below; no page.
"""
